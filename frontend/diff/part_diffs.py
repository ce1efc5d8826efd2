"""The parts of two rendered prompts compared, with values from inputs and fragments marked."""

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, Literal

from django.utils.translation import gettext

from frontend.diff import text as diff_text
from frontend.diff.text import Entry, Fold, Line, Value
from promptuary.renderer.syntax.alignment import Effort

__all__ = ["PartDiff", "compare_parts", "read_reference", "read_text", "split_at_values"]

REFERENCE = re.compile(r"""["']([^"']+@[^"']+)["']""")
Values = Mapping[int, tuple[Value, ...]]


@dataclass(frozen=True)
class PartDiff:
    """One part on two sides; `index` is its place on the new side.

    `moved` is empty or names both places: `moved from place 2 to 4`.
    """

    name: str
    role: str
    state: Literal["same", "changed", "added", "removed"]
    old_tokens: int | None
    new_tokens: int | None
    moved: str
    lines: tuple[diff_text.Entry, ...]
    index: int | None = None

    @property
    def change(self) -> int:
        """The token difference: new minus old."""
        return (self.new_tokens or 0) - (self.old_tokens or 0)


def read_text(part: Mapping[str, Any]) -> str:
    """A part's text; multimodal content is shown as its JSON."""
    content = part.get("content")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)


def compare_parts(old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]) -> list[PartDiff]:
    """Compare parts of the same name, in the new order; removed parts stay in their old place."""
    effort = Effort()
    before, after = _map_by_name(old), _map_by_name(new)
    places = {name: place for place, name in enumerate(before)}
    stays = _find_longest_rising([places[name] for name in after if name in places])
    result: list[PartDiff] = []
    for place, (name, part) in enumerate(after.items()):
        if name not in before:
            result.append(replace(_build_one_sided(part, "added"), index=place))
            continue
        move = ""
        if places[name] not in stays:
            move = gettext("moved from place {before} to {after}").format(before=places[name] + 1, after=place + 1)
        result.append(replace(_build_two_sided(before[name], part, move, effort), index=place))
    return _add_removed(before, after, result)


def _add_removed(
    before: Mapping[tuple[str, int], Mapping[str, Any]],
    after: Mapping[tuple[str, int], Any],
    result: Sequence[PartDiff],
) -> list[PartDiff]:
    """Insert the removed parts, each below the lowest of the parts that preceded it."""
    order = {name: place for place, name in enumerate(after)}
    removed: dict[int, list[PartDiff]] = {}
    lowest = -1
    for name, part in before.items():
        if name in order:
            lowest = max(lowest, order[name])
        else:
            removed.setdefault(lowest, []).append(_build_one_sided(part, "removed"))
    part_diffs = removed.get(-1, [])
    for place, part_diff in enumerate(result):
        part_diffs += [part_diff, *removed.get(place, [])]
    return part_diffs


def read_reference(expression: str) -> str:
    """The reference in a fragment's expression: `support/policy@3`."""
    match = REFERENCE.search(expression)
    return match[1] if match else expression


def split_at_values(line: Line) -> Iterator[tuple[str, bool, Value | None]]:
    """Split the line into runs: text, whether it is changed, and the value that it is part of."""
    at = 0
    for word in line.words:
        end = at + len(word.text)
        edges = {edge for value in line.values for edge in (value.start, value.end) if at < edge < end}
        cuts = [at, *sorted(edges), end]
        for start, stop in pairwise(cuts):
            value = next((value for value in line.values if value.start <= start < value.end), None)
            yield word.text[start - at : stop - at], word.changed, value
        at = end


def _map_by_name(parts: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Parts by (name, occurrence), because a name can occur more than once."""
    parts_by_name: dict[tuple[str, int], Mapping[str, Any]] = {}
    turns: dict[str, int] = {}
    for part in parts:
        name = str(part.get("name") or "")
        turns[name] = turns.get(name, -1) + 1
        parts_by_name[name, turns[name]] = part
    return parts_by_name


def _build_one_sided(part: Mapping[str, Any], state: Literal["added", "removed"]) -> PartDiff:
    text = read_text(part)
    lines, _ = diff_text.build_folded_diff("", text) if state == "added" else diff_text.build_folded_diff(text, "")
    marks = _find_values(text, part.get("spans") or ())
    tokens = part.get("token_count")
    return PartDiff(
        name=str(part.get("name") or ""),
        role=str(part.get("role") or ""),
        state=state,
        old_tokens=None if state == "added" else tokens,
        new_tokens=tokens if state == "added" else None,
        moved="",
        lines=tuple(_mark_values(lines, marks, marks)),
    )


def _build_two_sided(old: Mapping[str, Any], new: Mapping[str, Any], move: str, effort: Effort) -> PartDiff:
    lines, counts = diff_text.build_folded_diff(read_text(old), read_text(new), effort, context=2)
    before, after = (_find_values(read_text(part), part.get("spans") or ()) for part in (old, new))
    same_role = old.get("role") == new.get("role")
    same = same_role and not counts.added and not counts.removed
    role = str(new.get("role") or "")
    return PartDiff(
        name=str(new.get("name") or ""),
        role=role if same_role else gettext("{before} to {after}").format(before=old.get("role"), after=role),
        state="same" if same else "changed",
        old_tokens=old.get("token_count"),
        new_tokens=new.get("token_count"),
        moved=move,
        lines=tuple(_fold_fragments(_mark_values(lines, before, after))),
    )


def _find_longest_rising(places: Sequence[int]) -> set[int]:
    """The places that keep their order (a longest increasing subsequence); every other part moved."""
    tops: list[int] = []
    below: dict[int, int | None] = {}
    for place in places:
        pile = bisect_left(tops, place)
        below[place] = tops[pile - 1] if pile else None
        tops[pile : pile + 1] = [place]
    rising: set[int] = set()
    at = tops[-1] if tops else None
    while at is not None:
        rising.add(at)
        at = below[at]
    return rising


def _find_values(text: str, spans: Sequence[Mapping[str, Any]]) -> Values:
    """The values by line (1-based). spans: as returned by the renderer; nested ones are dropped."""
    starts, at = [], 0
    for line in text.splitlines(keepends=True):
        starts.append((at, at + len(line.rstrip("\r\n"))))
        at += len(line)
    values: defaultdict[int, list[Value]] = defaultdict(list)
    first = 0  # the line on which the next span may begin: spans are in order and don't overlap
    for span in _list_outer_spans(spans):
        while first < len(starts) and starts[first][1] <= span["start"]:
            first += 1
        for number in range(first, len(starts)):
            start, end = starts[number]
            if start >= span["end"]:
                break
            left, right = max(start, span["start"]), min(end, span["end"])
            if left < right:
                values[number + 1].append(_build_value(span, left - start, right - start, start <= span["start"]))
    return {number: tuple(numbered) for number, numbered in values.items()}


def _mark_values(entries: Iterable[Entry], old: Values, new: Values) -> list[Entry]:
    """Add the values to the lines of a diff; removed lines get those of the old side."""
    return [_mark_entry(entry, old, new) for entry in entries]


def _fold_fragments(entries: Sequence[Entry]) -> list[Entry]:
    """Fold each run of unchanged lines from one fragment under its name."""
    folded: list[Entry] = []
    for reference, run in groupby(entries, _find_fragment):
        if not reference:
            folded.extend(run)
            continue
        lines = [line for entry in run for line in (entry.lines if isinstance(entry, Fold) else [entry])]
        folded.append(Fold(tuple(line for line in lines if isinstance(line, Line)), reference))
    return folded


def _list_outer_spans(spans: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    at = 0
    for span in sorted(spans, key=lambda span: (span["start"], -span["end"])):
        if span["start"] >= at and span["end"] > span["start"]:
            yield span
            at = span["end"]


def _build_value(span: Mapping[str, Any], start: int, end: int, is_first: bool) -> Value:
    kind: Literal["input", "fragment"] = "fragment" if span.get("kind") == "fragment" else "input"
    expression = str(span.get("expression") or "")
    source = read_reference(expression) if kind == "fragment" else expression
    return Value(start, end, kind, source, span.get("line"), is_first)


def _mark_entry(entry: Entry, old: Values, new: Values) -> Entry:
    if isinstance(entry, Fold):
        return Fold(tuple(_add_values(line, old, new) for line in entry.lines), entry.reference)
    return _add_values(entry, old, new) if isinstance(entry, Line) else entry


def _add_values(line: Line, old: Values, new: Values) -> Line:
    values = new.get(line.new, ()) if line.new is not None else old.get(line.old or 0, ())
    return line._replace(values=values) if values else line


def _find_fragment(entry: Entry) -> str:
    """The fragment that an unchanged entry consists of entirely, or an empty string."""
    if isinstance(entry, Fold):
        references = {_find_fragment(line) for line in entry.lines}
        return references.pop() if len(references) == 1 else ""
    if not isinstance(entry, Line) or entry.kind != "same" or len(entry.values) != 1:
        return ""
    value = entry.values[0]
    is_whole = value.kind == "fragment" and value.start == 0 and value.end == len(entry.text)
    return value.source if is_whole else ""
