"""Line diffs of two texts: changed lines with their changed words, and folds of unchanged lines. Pure; no Django."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.alignment import Effort
from promptuary.renderer.syntax.sequence_diff import WORD, WORD_STEPS, Step, Word, diff_words

__all__ = [
    "Counts",
    "Entry",
    "Fold",
    "Gap",
    "Line",
    "Rest",
    "Value",
    "build_folded_diff",
    "compare_lines",
    "fold_unchanged",
    "shorten_diff",
]

Kind = Literal["same", "added", "removed"]

# Below this similarity two lines count as removed and added, not as one edited line.
ALIKE = 0.42
# Similarity compares only this many characters at the start of each line.
LIKENESS = 600
# In a replaced block, compare every old line with every new one, up to this many pairs.
PAIRED = 2500
# No word diff if more lines than this were replaced: nobody would read it.
MARKED = 800
# The most lines that one diff adds to a page.
MAX_SHOWN = 2000


class Value(NamedTuple):
    """A run of a line that came from an input or a fragment: code points `start` to `end`, exclusive.

    `source` is the expression or the fragment's reference, `line` its line in the document. `is_first`: the value
    begins on this line.
    """

    start: int
    end: int
    kind: Literal["input", "fragment"]
    source: str
    line: int | None
    is_first: bool


class Line(NamedTuple):
    """A line of the diff. `old` and `new` are its 1-based numbers on either side, None if it is absent.

    `marked` are its words if some are marked, None if the line is one run. `values` are the runs of a rendered line
    that came from inputs and fragments, in order.
    """

    kind: Kind
    old: int | None
    new: int | None
    text: str
    marked: tuple[Word, ...] | None = None
    values: tuple[Value, ...] = ()

    @property
    def words(self) -> tuple[Word, ...]:
        """The line's text in runs; those that the other side doesn't have are marked."""
        return (Word(self.text, self.kind != "same"),) if self.marked is None else self.marked

    @property
    def number(self) -> int | None:
        """The number to show if there is one column: the new one, or the old one of a removed line."""
        return self.old if self.kind == "removed" else self.new


@dataclass(frozen=True)
class Fold:
    """A run of folded unchanged lines, which can be expanded.

    `reference` names the fragment that all of them came from, or is empty.
    """

    lines: tuple[Line, ...]
    reference: str = ""

    kind = "fold"


@dataclass(frozen=True)
class Gap:
    """Lines omitted because there are too many."""

    size: int

    kind = "gap"


@dataclass(frozen=True)
class Counts:
    """How many lines were added and removed."""

    added: int
    removed: int


@dataclass(frozen=True)
class Rest:
    """The steps beyond the lines that a page can hold, not yet converted to lines."""

    before: Sequence[str]
    after: Sequence[str]
    steps: Sequence[Step]

    kind = "rest"


Entry = Line | Fold | Gap | Rest


def build_folded_diff(old: str, new: str, effort: Effort | None = None, context: int = 3) -> tuple[list[Entry], Counts]:
    """The diff for a page, and its whole size: unchanged runs folded, only the first MAX_SHOWN lines converted."""
    before, after = old.splitlines(), new.splitlines()
    steps = sequence_diff.find_steps(before, after, effort)
    changes = [step for step in steps if step.kind != "equal"]
    counts = Counts(
        added=sum(step.new_end - step.new_start for step in changes),
        removed=sum(step.old_end - step.old_start for step in changes),
    )
    shown_steps, rest_steps, lines_left = list[Step](), list[Step](), MAX_SHOWN
    for step in steps:
        if lines_left > 0 and _count_lines(step) > lines_left:
            half = lines_left if step.kind == "equal" else lines_left // 2 + 1
            shown_steps.append(_cut(step, 0, half))
            rest_steps.append(_cut(step, half, None))
        else:
            (shown_steps if lines_left > 0 else rest_steps).append(step)
        lines_left -= _count_lines(step)
    entries: list[Entry] = [*fold_unchanged(_build_lines(before, after, shown_steps, effort), context)]
    return [*entries, Rest(before, after, rest_steps)] if rest_steps else entries, counts


def _count_lines(step: Step) -> int:
    return step.old_end - step.old_start + (0 if step.kind == "equal" else step.new_end - step.new_start)


def _cut(step: Step, start: int, end: int | None) -> Step:
    """Lines `start` to `end` of both sides of a step."""
    olds, news = (range(step.old_start, step.old_end)[start:end], range(step.new_start, step.new_end)[start:end])
    return Step(step.kind, olds.start, olds.stop, news.start, news.stop)


def compare_lines(old: str, new: str, effort: Effort | None = None) -> list[Line]:
    """Every line of both texts in reading order: removed before added, edited lines word by word.

    effort: a budget shared by several comparisons; None allows the full budget for this one.
    """
    before, after = old.splitlines(), new.splitlines()
    return _build_lines(before, after, sequence_diff.find_steps(before, after, effort), effort)


def _build_lines(
    before: Sequence[str], after: Sequence[str], steps: Sequence[Step], effort: Effort | None
) -> list[Line]:
    lines: list[Line] = []
    marked = sum(i2 - i1 + j2 - j1 for kind, i1, i2, j1, j2 in steps if kind == "replace") <= MARKED
    marks = _Marks(before, after, effort or Effort(WORD_STEPS))
    for kind, i1, i2, j1, j2 in steps:
        if kind == "equal":
            by = j1 - i1 + 1
            lines += [Line("same", i + 1, i + by, before[i]) for i in range(i1, i2)]
        elif marked and (i2 - i1) * (j2 - j1) <= PAIRED:
            lines += marks.replaced(range(i1, i2), range(j1, j2))
        else:
            lines += _list_removed(before, i1, i2) + _list_added(after, j1, j2)
    return lines


def fold_unchanged(lines: Sequence[Line], context: int = 3) -> list[Line | Fold]:
    """Fold every long unchanged run except for `context` lines next to a change."""
    near_change = [False] * len(lines)
    for index, line in enumerate(lines):
        if line.kind != "same":
            start, stop = max(0, index - context), min(len(lines), index + context + 1)
            near_change[start:stop] = [True] * (stop - start)
    entries: list[Line | Fold] = []
    lines_closed: list[Line] = []
    for line, is_near in zip(lines, near_change, strict=True):
        if not is_near:
            lines_closed.append(line)
            continue
        entries += _close(lines_closed)
        lines_closed = []
        entries.append(line)
    return entries + _close(lines_closed)


def shorten_diff(
    entries: Iterable[Entry], kept_numbers: Collection[int] = (), most_lines: int = MAX_SHOWN
) -> list[Line | Fold | Gap]:
    """The entries up to `most_lines` lines, with folded ones; then only the new lines of `kept_numbers`, and gaps."""
    entries_shown: list[Line | Fold | Gap] = []
    lines_left = most_lines
    for entry in entries:
        if isinstance(entry, Rest):
            entries_shown += _split_kept(entry, sorted(kept_numbers))
            lines_left = 0
            continue
        size = len(entry.lines) if isinstance(entry, Fold) else entry.size if isinstance(entry, Gap) else 1
        if size <= lines_left:
            entries_shown.append(entry)
            lines_left -= size
            continue
        lines_left = 0
        lines: Sequence[Line | Gap] = entry.lines if isinstance(entry, Fold) else (entry,)
        entries_shown += [line if isinstance(line, Line) and line.new in kept_numbers else Gap(1) for line in lines]
    return _merge_gaps(entries_shown)


def _split_kept(rest: Rest, kept_numbers: Sequence[int]) -> list[Line | Gap]:
    """The new lines with these numbers, ascending, with gaps between them."""
    entries: list[Line | Gap] = []
    for step in rest.steps:
        numbers = [number for number in kept_numbers if step.new_start < number <= step.new_end]
        passed = step.new_start
        removed = 0 if step.kind == "equal" else step.old_end - step.old_start
        for number in numbers:
            entries.append(Gap(number - 1 - passed + removed))
            old = step.old_start + number - step.new_start if step.kind == "equal" else None
            entries.append(Line("same" if old else "added", old, number, rest.after[number - 1]))
            passed, removed = number, 0
        entries.append(Gap(step.new_end - passed + removed))
    return entries


def _merge_gaps(entries: Sequence[Line | Fold | Gap]) -> list[Line | Fold | Gap]:
    """Merge adjacent gaps and drop empty ones."""
    merged: list[Line | Fold | Gap] = []
    for entry in entries:
        last = merged[-1] if merged else None
        if not isinstance(entry, Gap):
            merged.append(entry)
        elif isinstance(last, Gap):
            merged[-1] = Gap(last.size + entry.size)
        elif entry.size:
            merged.append(entry)
    return merged


class _Marks:
    """Pairs the replaced lines of one comparison."""

    def __init__(self, before: Sequence[str], after: Sequence[str], effort: Effort) -> None:
        self.before = before
        self.after = after
        self.effort = effort
        self._bags: dict[str, Counter[str]] = {}

    def replaced(self, old_range: range, new_range: range) -> list[Line]:
        """The lines of a replaced block: similar lines paired, the rest unchanged."""
        before, after = self.before, self.after
        lines: list[Line] = []
        old, new = old_range.start, new_range.start
        for at in new_range:
            partner = next((k for k in range(old, old_range.stop) if self._are_alike(before[k], after[at])), None)
            if partner is None:
                continue
            lines += _list_removed(before, old, partner) + _list_added(after, new, at)
            left, right = diff_words(before[partner], after[at], self.effort)
            lines.append(Line("removed", partner + 1, None, before[partner], left))
            lines.append(Line("added", None, at + 1, after[at], right))
            old, new = partner + 1, at + 1
        return lines + _list_removed(before, old, old_range.stop) + _list_added(after, new, new_range.stop)

    def _are_alike(self, old: str, new: str) -> bool:
        """Whether the lines have enough words in common."""
        first, second = self._count_words(old), self._count_words(new)
        both = first.total() + second.total()
        return both > 0 and 2 * (first & second).total() >= ALIKE * both

    def _count_words(self, line: str) -> Counter[str]:
        if line not in self._bags:
            self._bags[line] = Counter(WORD.findall(line[:LIKENESS])) if line.strip() else Counter()
        return self._bags[line]


def _list_removed(before: Sequence[str], start: int, stop: int) -> list[Line]:
    return [Line("removed", k + 1, None, before[k]) for k in range(start, stop)]


def _list_added(after: Sequence[str], start: int, stop: int) -> list[Line]:
    return [Line("added", None, k + 1, after[k]) for k in range(start, stop)]


def _close(lines: list[Line]) -> list[Line | Fold]:
    # A fold takes up a row, so one or two lines are better left open.
    return [Fold(tuple(lines))] if len(lines) > 2 else list(lines)
