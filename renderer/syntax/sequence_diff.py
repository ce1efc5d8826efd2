"""A diff of two sequences: the items that both share, in order, and the words that differ between two short texts.

This is the one comparison behind diffs, merges and anchors.

The work is bounded whatever the sequences hold (`alignment`). What is not compared within the bound counts as changed
as a whole: the answer is always a true alignment, though not always the longest.
"""

import hashlib
import re
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from promptuary.renderer.syntax.alignment import Effort, Match, align

__all__ = ["WORD", "WORD_STEPS", "Step", "Word", "diff_words", "forget", "matches", "steps", "unified"]

WORD = re.compile(r"\w+|[^\S\n]+|[^\w\s]")
"""A word, a run of spaces, or one mark: what a person would call one changed thing."""

WORD_STEPS = 500_000
"""Steps that all word marks of one comparison may take together; after that texts are marked as a whole."""

_MOST_WORDS = 600
"""Marks inside longer texts would cost more than they tell."""

_REMEMBERED_FROM = 400
"""Shorter pairs cost less to compare than to remember."""
_MOST_REMEMBERED = 128


class Step(NamedTuple):
    """What became of a stretch: `old` from-to became `new` from-to."""

    kind: Literal["equal", "replace", "delete", "insert"]
    old_start: int
    old_end: int
    new_start: int
    new_end: int


_remembered: OrderedDict[bytes, tuple[Match, ...]] = OrderedDict()
_lock = threading.Lock()


def matches(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> tuple[Match, ...]:
    """The runs that both share, ascending on both sides, none touching the next on both; the same each time.

    Without `effort` of the caller's own, the positions found for a long pair are remembered under the pair's digest.
    Positions are all that is kept: no text outlives the call.
    """
    if effort is not None or len(old) + len(new) < _REMEMBERED_FROM:
        return tuple(align(old, new, effort or Effort()))
    key = _digest(old) + _digest(new)
    with _lock:
        remembered = _remembered.get(key)
        if remembered is not None:
            _remembered.move_to_end(key)
            return remembered
    pairs = tuple(align(old, new, Effort()))
    with _lock:
        _remembered[key] = pairs
        while len(_remembered) > _MOST_REMEMBERED:
            _remembered.popitem(last=False)
    return pairs


def forget() -> None:
    """Drop what is remembered of every pair."""
    with _lock:
        _remembered.clear()


def steps(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> list[Step]:
    """How the old side becomes the new one; the steps cover both sides without a gap."""
    result: list[Step] = []
    at_old = at_new = 0
    for match in (*matches(old, new, effort), Match(len(old), len(new), 0)):
        kind: Literal["replace", "delete", "insert"] = "replace"
        if at_old == match.old:
            kind = "insert"
        elif at_new == match.new:
            kind = "delete"
        if at_old < match.old or at_new < match.new:
            result.append(Step(kind, at_old, match.old, at_new, match.new))
        at_old, at_new = match.old + match.size, match.new + match.size
        if match.size:
            result.append(Step("equal", match.old, at_old, match.new, at_new))
    return result


def unified(old: Sequence[str], new: Sequence[str], old_name: str, new_name: str, context: int = 3) -> Iterator[str]:
    """A unified diff of lines that carry their line ends; nothing for equal sides."""
    hunks = _hunks(steps(old, new), context)
    for number, hunk in enumerate(hunks):
        if number == 0:
            yield f"--- {old_name}\n"
            yield f"+++ {new_name}\n"
        first, last = hunk[0], hunk[-1]
        was, is_ = _extent(first.old_start, last.old_end), _extent(first.new_start, last.new_end)
        yield f"@@ -{was} +{is_} @@\n"
        for step in hunk:
            if step.kind == "equal":
                yield from (" " + line for line in old[step.old_start : step.old_end])
                continue
            yield from ("-" + line for line in old[step.old_start : step.old_end])
            yield from ("+" + line for line in new[step.new_start : step.new_end])


def _hunks(steps: Sequence[Step], context: int) -> Iterator[list[Step]]:
    """Changes with up to `context` equal lines on both sides; equal stretches longer than twice that part them."""
    hunk: list[Step] = []
    for place, (kind, i1, i2, j1, j2) in enumerate(steps):
        if kind != "equal":
            hunk.append(Step(kind, i1, i2, j1, j2))
            continue
        before, after = place > 0, place < len(steps) - 1
        size = i2 - i1
        if before and after and size <= 2 * context:
            hunk.append(Step(kind, i1, i2, j1, j2))
            continue
        overlap = min(context, size)
        if before:
            yield [*hunk, Step(kind, i1, i1 + overlap, j1, j1 + overlap)]
        hunk = [Step(kind, i2 - overlap, i2, j2 - overlap, j2)] if after else []
    if hunk:
        yield hunk


def _extent(start: int, end: int) -> str:
    """Lines of one side in a hunk's head, as `diff -u` writes them."""
    size = end - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _digest(items: Sequence[str]) -> bytes:
    """Of the texts and where each ends, so that no two sequences share one."""
    digest = hashlib.sha256("".join(items).encode("utf-8", "surrogatepass"))
    digest.update(array("Q", map(len, items)).tobytes())
    return digest.digest()


class Word(NamedTuple):
    """A run of a text, marked if it is not in the other text."""

    text: str
    changed: bool = False


def diff_words(
    old: str, new: str, effort: Effort | None = None, *, most_words: int = _MOST_WORDS
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Both texts as runs, with what differs marked; joined, the runs of a side give its text again.

    effort: what several comparisons may cost together. most_words: texts with more words than this, counted together,
    are marked as a whole.
    """
    before, after = _split_words(old), _split_words(new)
    effort = effort or Effort(WORD_STEPS)
    if len(before) + len(after) > most_words or not effort.left:
        return (Word(old, True),), (Word(new, True),)
    left: list[Word] = []
    right: list[Word] = []
    for kind, i1, i2, j1, j2 in steps(before, after, effort):
        changed = kind != "equal"
        _push(left, "".join(before[i1:i2]), changed)
        _push(right, "".join(after[j1:j2]), changed)
    return _join_islands(left), _join_islands(right)


def _split_words(text: str) -> list[str]:
    return WORD.findall(text)


def _push(words: list[Word], text: str, changed: bool) -> None:
    if text:
        words.append(Word(text, changed))


def _join_islands(words: list[Word]) -> tuple[Word, ...]:
    """A lone space between two changed words is part of the change: one mark reads better than three."""
    words_joined: list[Word] = []
    for index, word in enumerate(words):
        between = 0 < index < len(words) - 1 and words[index - 1].changed and words[index + 1].changed
        changed = word.changed or (between and word.text.isspace())
        if words_joined and words_joined[-1].changed == changed:
            words_joined[-1] = Word(words_joined[-1].text + word.text, changed)
        else:
            words_joined.append(Word(word.text, changed))
    return tuple(words_joined)
