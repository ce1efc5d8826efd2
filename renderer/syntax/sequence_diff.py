"""A diff of two sequences: the items that both share, in order, and the words that differ between two short texts.

Diffs, merges and anchors all use this comparison. The work is bounded whatever the sequences contain (`alignment`).
What isn't compared within the bound counts as changed: the result is always a valid alignment, but not always the
longest.
"""

import hashlib
import re
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from promptuary.renderer.syntax.alignment import Effort, Match, align_sequences

__all__ = [
    "WORD",
    "WORD_STEPS",
    "Step",
    "Word",
    "clear_cache",
    "diff_words",
    "find_matches",
    "find_steps",
    "write_unified",
]

WORD = re.compile(r"\w+|[^\S\n]+|[^\w\s]")
"""A word, a run of spaces, or one punctuation mark."""

WORD_STEPS = 500_000
"""The step limit of all word marks of one comparison; after that, whole texts are marked."""

_MAX_WORDS = 600
"""Beyond this length, marks cost more than they tell."""

_REMEMBERED_FROM = 400
"""Shorter pairs are cheaper to compare than to cache."""
_MAX_REMEMBERED = 128


class Step(NamedTuple):
    """The change of a stretch: `old` start to end became `new` start to end."""

    kind: Literal["equal", "replace", "delete", "insert"]
    old_start: int
    old_end: int
    new_start: int
    new_end: int


_remembered: OrderedDict[bytes, tuple[Match, ...]] = OrderedDict()
_lock = threading.Lock()


def find_matches(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> tuple[Match, ...]:
    """Return the runs that both share, ascending, never adjacent on both sides. Deterministic.

    Without the caller's own `effort`, the positions found for a long pair are cached under the pair's digest. Only
    positions are cached, so no text outlives the call.
    """
    if effort is not None or len(old) + len(new) < _REMEMBERED_FROM:
        return tuple(align_sequences(old, new, effort or Effort()))
    key = _compute_digest(old) + _compute_digest(new)
    with _lock:
        remembered = _remembered.get(key)
        if remembered is not None:
            _remembered.move_to_end(key)
            return remembered
    pairs = tuple(align_sequences(old, new, Effort()))
    with _lock:
        _remembered[key] = pairs
        while len(_remembered) > _MAX_REMEMBERED:
            _remembered.popitem(last=False)
    return pairs


def clear_cache() -> None:
    """Clear the cache."""
    with _lock:
        _remembered.clear()


def find_steps(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> list[Step]:
    """Return how the old side becomes the new one; the steps cover both sides without gaps."""
    result: list[Step] = []
    at_old = at_new = 0
    for match in (*find_matches(old, new, effort), Match(len(old), len(new), 0)):
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


def write_unified(
    old: Sequence[str], new: Sequence[str], old_name: str, new_name: str, context: int = 3
) -> Iterator[str]:
    """Return a unified diff of lines with their line ends; empty for equal sides."""
    hunks = _group_into_hunks(find_steps(old, new), context)
    for number, hunk in enumerate(hunks):
        if number == 0:
            yield f"--- {old_name}\n"
            yield f"+++ {new_name}\n"
        first, last = hunk[0], hunk[-1]
        was, is_ = _format_extent(first.old_start, last.old_end), _format_extent(first.new_start, last.new_end)
        yield f"@@ -{was} +{is_} @@\n"
        for step in hunk:
            if step.kind == "equal":
                yield from (" " + line for line in old[step.old_start : step.old_end])
                continue
            yield from ("-" + line for line in old[step.old_start : step.old_end])
            yield from ("+" + line for line in new[step.new_start : step.new_end])


def _group_into_hunks(steps: Sequence[Step], context: int) -> Iterator[list[Step]]:
    """Changes with up to `context` equal lines on both sides; longer equal stretches than twice that separate them."""
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


def _format_extent(start: int, end: int) -> str:
    """The line range of one side in a hunk's header, as in `diff -u`."""
    size = end - start
    if size == 1:
        return str(start + 1)
    return f"{start + 1 if size else start},{size}"


def _compute_digest(items: Sequence[str]) -> bytes:
    """A digest of the texts and their lengths, so that no two sequences share one."""
    digest = hashlib.sha256("".join(items).encode("utf-8", "surrogatepass"))
    digest.update(array("Q", map(len, items)).tobytes())
    return digest.digest()


class Word(NamedTuple):
    """A run of a text, marked if it isn't in the other text."""

    text: str
    changed: bool = False


def diff_words(
    old: str, new: str, effort: Effort | None = None, *, most_words: int = _MAX_WORDS
) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Split both texts into runs, marking what differs; the runs of a side join to its text.

    effort: a shared step budget for several comparisons. most_words: texts that have more words than this together are
    marked as a whole.
    """
    before, after = _split_words(old), _split_words(new)
    effort = effort or Effort(WORD_STEPS)
    if len(before) + len(after) > most_words or not effort.left:
        return (Word(old, True),), (Word(new, True),)
    left: list[Word] = []
    right: list[Word] = []
    for kind, i1, i2, j1, j2 in find_steps(before, after, effort):
        changed = kind != "equal"
        _push(left, "".join(before[i1:i2]), changed)
        _push(right, "".join(after[j1:j2]), changed)
    return _join_islands(left), _join_islands(right)


def _split_words(text: str) -> list[str]:
    return WORD.findall(text)


def _push(words: list[Word], text: str, is_changed: bool) -> None:
    if text:
        words.append(Word(text, is_changed))


def _join_islands(words: list[Word]) -> tuple[Word, ...]:
    """Merge a lone space between two changed words into the change: one mark is easier to read than three."""
    words_joined: list[Word] = []
    for index, word in enumerate(words):
        between = 0 < index < len(words) - 1 and words[index - 1].changed and words[index + 1].changed
        changed = word.changed or (between and word.text.isspace())
        if words_joined and words_joined[-1].changed == changed:
            words_joined[-1] = Word(words_joined[-1].text + word.text, changed)
        else:
            words_joined.append(Word(word.text, changed))
    return tuple(words_joined)
