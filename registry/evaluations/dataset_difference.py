"""The difference between two versions of a dataset: added, removed, changed and moved rows."""

from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from promptuary.evaluation import Row
from promptuary.renderer.digest import encode_canonical_json
from registry.evaluations.dataset_models import DatasetVersion

__all__ = ["RowDifference", "diff_dataset_versions"]

Placed = tuple[int, Row]
Column = tuple[str, str, bytes]
"""Whether it is an input or an expectation, its name, and its value."""


@dataclass(frozen=True)
class RowDifference:
    """The rows of one version against those of another; indexes count from 0 in the row's own version.

    `changed` has (index after, row before, row after). `moved` is the smallest number of moved rows that explains the
    new order.
    """

    added: list[Placed]
    removed: list[Placed]
    changed: list[tuple[int, Row, Row]]
    same: int
    moved: int


def diff_dataset_versions(before: DatasetVersion, after: DatasetVersion) -> RowDifference:
    """Compare two versions row by row. Each row is matched with one row of the other version, or with none.

    Rows with an id are matched by it alone. Rows without one are matched by the first of these that finds a row:

    1. the same content, at the beginning and at the end of both versions first
    2. the same inputs
    3. the most values that no other row of either version has in that column
    4. the position: between the same neighbours, as many rows are missing from one version as from the other
    """
    old, new = before.rows(), after.rows()
    old_lines, new_lines = before.lines(), after.lines()
    matches = _match_ends(old_lines, new_lines)
    _match_by_key(old_lines, new_lines, matches)
    _match_by_key(_list_keys(old), _list_keys(new), matches)
    _match_by_unique_values(old, new, matches)
    _match_by_position(old, new, matches)
    matched = set(matches.values())
    changed_rows = [
        (index, old[matches[index]], row)
        for index, row in enumerate(new)
        if index in matches and new_lines[index] != old_lines[matches[index]]
    ]
    return RowDifference(
        added=[(index, row) for index, row in enumerate(new) if index not in matches],
        removed=[(place, row) for place, row in enumerate(old) if place not in matched],
        changed=changed_rows,
        same=len(matches) - len(changed_rows),
        moved=len(matches) - _find_longest_rise([matches[index] for index in sorted(matches)]),
    )


def _match_ends(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """The index of the old row of each new row, for the rows that are the same at the beginning and at the end."""
    shorter = min(len(old), len(new))
    start = next((index for index in range(shorter) if old[index] != new[index]), shorter)
    remaining = shorter - start
    end = next((index for index in range(remaining) if old[-1 - index] != new[-1 - index]), remaining)
    return {index: index for index in range(start)} | {len(new) - step: len(old) - step for step in range(1, end + 1)}


def _match_by_key(old: Sequence[str], new: Sequence[str], matches: dict[int, int]) -> None:
    """Add matches of rows of the same key, in order."""
    matched = set(matches.values())
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, key in enumerate(old):
        if place not in matched:
            places[key].append(place)
    for index, key in enumerate(new):
        if index not in matches and places[key]:
            matches[index] = places[key].popleft()


def _list_keys(rows: Sequence[Row]) -> list[str]:
    """What identifies each row: its id, or else its inputs."""
    return [f"id:{row.id}" if row.id else f"inputs:{encode_canonical_json(row.inputs).decode()}" for row in rows]


def _match_by_unique_values(old: Sequence[Row], new: Sequence[Row], matches: dict[int, int]) -> None:
    """Add matches of rows that share values which no other row has, those that share most first."""
    matched = set(matches.values())
    if len(matched) == min(len(old), len(new)):
        return
    places, indexes = (
        {column: at for column, at in _find_unique_values(rows).items() if at not in matched_rows and not rows[at].id}
        for rows, matched_rows in ((old, matched), (new, matches))
    )
    shared = Counter((indexes[column], place) for column, place in places.items() if column in indexes)
    for (index, place), _ in sorted(shared.items(), key=lambda item: (-item[1], item[0])):
        if index not in matches and place not in matched:
            matches[index] = place
            matched.add(place)


def _match_by_position(old: Sequence[Row], new: Sequence[Row], matches: dict[int, int]) -> None:
    """Add matches of rows between the same neighbours, in order, where both versions have equally many of them."""
    old_gaps = _group_gaps(old, {place: index for index, place in matches.items()})
    for neighbours, indexes in _group_gaps(new, {index: index for index in matches}).items():
        places = old_gaps.get(neighbours, [])
        if len(places) == len(indexes):
            matches.update(zip(indexes, places, strict=True))


def _group_gaps(rows: Sequence[Row], matched: Mapping[int, int]) -> dict[tuple[int | None, int | None], list[int]]:
    """The rows without an id in each run of rows without a match, by the two matched rows next to it.

    matched: the new index of each matched row. At the beginning and at the end the neighbour is None.
    """
    gaps = {}
    for is_matched, run in groupby(range(len(rows)), key=matched.__contains__):
        if not is_matched:
            indexes = list(run)
            neighbours = matched.get(indexes[0] - 1), matched.get(indexes[-1] + 1)
            gaps[neighbours] = [index for index in indexes if not rows[index].id]
    return gaps


def _find_unique_values(rows: Sequence[Row]) -> dict[Column, int]:
    """The index of the row of each value that only one row has in its column."""
    places: defaultdict[Column, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        for kind, values in (("input", row.inputs), ("expected", row.expected or {})):
            for name, value in values.items():
                places[kind, name, encode_canonical_json(value)].append(index)
    return {column: row_numbers[0] for column, row_numbers in places.items() if len(row_numbers) == 1}


def _find_longest_rise(numbers: Sequence[int]) -> int:
    """The length of the longest increasing subsequence: the rows that count as not moved."""
    ends: list[int] = []
    for number in numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)
