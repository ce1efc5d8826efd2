"""A line diff in two columns: old on the left, new on the right. Pure; no Django."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from frontend.diff.text import Fold, Gap, Line

__all__ = ["FoldedRows", "Row", "pair_lines"]


@dataclass(frozen=True)
class Row:
    """The lines side by side; None if a side has none. An unchanged line is on both sides."""

    old: Line | None
    new: Line | None

    kind = "row"


@dataclass(frozen=True)
class FoldedRows:
    """A run of folded unchanged lines."""

    rows: Sequence[Row]

    kind = "fold"


def pair_lines(entries: Iterable[Line | Fold | Gap]) -> list[Row | FoldedRows | Gap]:
    """Pair the entries of a diff in rows: an edited line next to its old text, other removed lines next to the added
    ones.
    """
    rows: list[Row | FoldedRows | Gap] = []
    removed: list[Line] = []
    added: list[Line] = []

    def write_changes() -> None:
        rows.extend(Row(old, new) for old, new in zip_longest(removed, added))
        removed.clear()
        added.clear()

    for entry in entries:
        if not isinstance(entry, Line) or entry.kind == "same":
            write_changes()
            rows.append(_build_unchanged(entry))
        elif entry.kind == "removed":
            # Marked words mean that this line was edited: the added line after it is its counterpart.
            if added or entry.marked is not None:
                write_changes()
            removed.append(entry)
        else:
            added.append(entry)
            if entry.marked is not None:
                write_changes()
    write_changes()
    return rows


def _build_unchanged(entry: Line | Fold | Gap) -> Row | FoldedRows | Gap:
    if isinstance(entry, Fold):
        return FoldedRows([Row(line, line) for line in entry.lines])
    return entry if isinstance(entry, Gap) else Row(entry, entry)
