"""Which items two sequences share, in order: the one comparison behind diffs, merges and anchors.

The work is bounded whatever the sequences hold (`alignment`). What is not compared within the bound counts as changed
as a whole: the answer is always a true alignment, though not always the longest.
"""

import hashlib
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from promptuary.renderer.syntax.alignment import Effort, Match, align

__all__ = ["Step", "forget", "matches", "steps", "unified"]

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
