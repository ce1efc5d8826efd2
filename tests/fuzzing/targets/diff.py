"""Diffs of lines and words: either text can be read back from them."""

from typing import NamedTuple

from frontend.diff.text import compare_lines
from promptuary.renderer.syntax.alignment import Effort
from promptuary.renderer.syntax.sequence_diff import diff_words
from tests.fuzzing.text import decode_text

MAX_BYTES = 128  # the time grows with the square of the length; a small effort reaches the limits of long texts
_MAX_EDITS = 7
_EDIT_BYTES = 4
_EFFORT_STEP = 4


class Comparison(NamedTuple):
    """Two texts, and the most steps that each comparison of them may take; None for the usual number."""

    old: str
    new: str
    steps: int | None


def try_input(data: bytes) -> None:
    """Compare the two texts that the bytes describe."""
    old, new, steps = read_comparison(data)
    lines = compare_lines(old, new, _limit(steps))
    assert [line.text for line in lines if line.kind != "added"] == old.splitlines()
    assert [line.text for line in lines if line.kind != "removed"] == new.splitlines()
    left, right = diff_words(old, new, _limit(steps))
    assert "".join(word.text for word in left).replace("\n", "") == old.replace("\n", "")
    assert "".join(word.text for word in right).replace("\n", "") == new.replace("\n", "")


def read_comparison(data: bytes) -> Comparison:
    """Read the comparison from bytes.

    The first byte sets the steps, the second a number of edits, whose bytes follow. The rest is the old text, and the
    edits make the new one of it. Without an edit the texts are the halves of the rest, which have little in common.
    """
    limit, count, *_ = (*data[:2], 0, 0)
    count %= _MAX_EDITS + 1
    start = 2 + count * _EDIT_BYTES
    edits, text = data[2:start], data[start:]
    steps = limit * _EFFORT_STEP if limit % 2 else None
    if not count:
        middle = len(text) // 2
        return Comparison(decode_text(text[:middle]), decode_text(text[middle:]), steps)
    new = text
    for at in range(0, len(edits) - _EDIT_BYTES + 1, _EDIT_BYTES):
        new = _edit_text(new, edits[at : at + _EDIT_BYTES])
    return Comparison(decode_text(text), decode_text(new), steps)


def _edit_text(text: bytes, edit: bytes) -> bytes:
    """Replace one stretch by a copy of another; the bytes are the start and the length of each."""
    at, removed, source, added = (byte * len(text) // 256 for byte in edit)
    return text[:at] + text[source : source + added // 4] + text[at + removed // 4 :]


def _limit(steps: int | None) -> Effort | None:
    return None if steps is None else Effort(steps)
