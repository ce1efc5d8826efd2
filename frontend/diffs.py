"""What changed between two texts: lines, words inside lines, parts that moved. Pure; no Django."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

__all__ = ["Counts", "Fold", "Line", "Word", "compare", "count", "fold", "words_of"]

Kind = Literal["same", "added", "removed"]

# A word, a run of spaces, or one mark: what a person would call one changed thing.
WORD = re.compile(r"\w+|[^\S\n]+|[^\w\s]")
# Below this likeness two lines are not one line edited but one gone and one come.
ALIKE = 0.42
# In a replaced block every old line is set against every new one, up to this many pairs.
PAIRED = 2500
# Where more lines than this were replaced, nobody reads them word by word.
MARKED = 800
# difflib is quadratic; above this many lines it may take its shortcut for very common lines.
EXACT_LINES = 3000
# Word marks inside lines longer than this would cost more than they tell.
EXACT_WORDS = 600


@dataclass(frozen=True)
class Word:
    """A run of a line's text, marked where it is not in the other side's line."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the diff. `old` and `new` are its 1-based numbers on either side, None where it is absent."""

    kind: Kind
    old: int | None
    new: int | None
    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        return "".join(word.text for word in self.words)

    @property
    def number(self) -> int | None:
        """The number to show where there is one column: the new one, or the old one of a removed line."""
        return self.old if self.kind == "removed" else self.new


@dataclass(frozen=True)
class Fold:
    """A run of unchanged lines that is folded away; nothing is lost, only closed."""

    lines: tuple[Line, ...]

    kind = "fold"


@dataclass(frozen=True)
class Counts:
    """How many lines came and went."""

    added: int
    removed: int


def compare(old: str, new: str) -> list[Line]:
    """Every line of both texts once, in reading order: removed before added, edited lines word by word."""
    before, after = old.splitlines(), new.splitlines()
    matcher = SequenceMatcher(None, before, after, autojunk=max(len(before), len(after)) > EXACT_LINES)
    lines: list[Line] = []
    steps = matcher.get_opcodes()
    marked = sum(i2 - i1 + j2 - j1 for tag, i1, i2, j1, j2 in steps if tag == "replace") <= MARKED
    for tag, i1, i2, j1, j2 in steps:
        if tag == "equal":
            pairs = zip(range(i1, i2), range(j1, j2), strict=True)
            lines += [Line("same", i + 1, j + 1, (Word(before[i]),)) for i, j in pairs]
        else:
            lines += _replaced(before, after, range(i1, i2), range(j1, j2), marked)
    return lines


def count(lines: Iterable[Line]) -> Counts:
    """The size of a change in lines."""
    kinds = [line.kind for line in lines]
    return Counts(added=kinds.count("added"), removed=kinds.count("removed"))


def fold(lines: Sequence[Line], context: int = 3) -> list[Line | Fold]:
    """The lines with every long unchanged run closed but for `context` lines beside a change."""
    near = [False] * len(lines)
    for index, line in enumerate(lines):
        if line.kind != "same":
            start, stop = max(0, index - context), min(len(lines), index + context + 1)
            near[start:stop] = [True] * (stop - start)
    shown: list[Line | Fold] = []
    closed: list[Line] = []
    for line, is_near in zip(lines, near, strict=True):
        if not is_near:
            closed.append(line)
            continue
        shown += _close(closed)
        closed = []
        shown.append(line)
    return shown + _close(closed)


def words_of(old: str, new: str) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """One line against another: both sides as runs, with what differs marked."""
    before, after = WORD.findall(old), WORD.findall(new)
    if len(before) + len(after) > EXACT_WORDS:
        return (Word(old, True),), (Word(new, True),)
    left: list[Word] = []
    right: list[Word] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        changed = tag != "equal"
        _push(left, "".join(before[i1:i2]), changed)
        _push(right, "".join(after[j1:j2]), changed)
    return _join_islands(left), _join_islands(right)


def _replaced(before: list[str], after: list[str], gone: range, come: range, marked: bool) -> list[Line]:
    """A block that was replaced: likely pairs next to each other, the rest as they stand."""
    lines: list[Line] = []
    old, new = gone.start, come.start
    if marked and len(gone) * len(come) <= PAIRED:
        for at in come:
            partner = next((k for k in range(old, gone.stop) if _alike(before[k], after[at])), None)
            if partner is None:
                continue
            lines += _gone(before, old, partner) + _come(after, new, at)
            left, right = words_of(before[partner], after[at])
            lines += [Line("removed", partner + 1, None, left), Line("added", None, at + 1, right)]
            old, new = partner + 1, at + 1
    return lines + _gone(before, old, gone.stop) + _come(after, new, come.stop)


def _gone(before: list[str], start: int, stop: int) -> list[Line]:
    return [Line("removed", k + 1, None, (Word(before[k], True),)) for k in range(start, stop)]


def _come(after: list[str], start: int, stop: int) -> list[Line]:
    return [Line("added", None, k + 1, (Word(after[k], True),)) for k in range(start, stop)]


def _alike(old: str, new: str) -> bool:
    if not old.strip() or not new.strip():
        return False
    matcher = SequenceMatcher(None, WORD.findall(old)[:120], WORD.findall(new)[:120], autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _push(words: list[Word], text: str, changed: bool) -> None:
    if text:
        words.append(Word(text, changed))


def _join_islands(words: list[Word]) -> tuple[Word, ...]:
    """A lone space between two changed words is part of the change: one mark reads better than three."""
    joined: list[Word] = []
    for index, word in enumerate(words):
        between = 0 < index < len(words) - 1 and words[index - 1].changed and words[index + 1].changed
        changed = word.changed or (between and word.text.isspace())
        if joined and joined[-1].changed == changed:
            joined[-1] = Word(joined[-1].text + word.text, changed)
        else:
            joined.append(Word(word.text, changed))
    return tuple(joined)


def _close(lines: list[Line]) -> list[Line | Fold]:
    # A fold takes a row itself, so one or two lines are better left open.
    return [Fold(tuple(lines))] if len(lines) > 2 else list(lines)
