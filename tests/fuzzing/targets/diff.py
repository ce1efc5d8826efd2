"""Diffs of lines and words: either text can be read back from them."""

from frontend.diff.text import compare_lines
from promptuary.renderer.syntax.sequence_diff import diff_words
from tests.fuzzing.text import decode_text


def try_input(data: bytes) -> None:
    """Compare the halves of the bytes."""
    middle = len(data) // 2
    old, new = decode_text(data[:middle]), decode_text(data[middle:])
    lines = compare_lines(old, new)
    assert [line.text for line in lines if line.kind != "added"] == old.splitlines()
    assert [line.text for line in lines if line.kind != "removed"] == new.splitlines()
    left, right = diff_words(old, new)
    assert "".join(word.text for word in left).replace("\n", "") == old.replace("\n", "")
    assert "".join(word.text for word in right).replace("\n", "") == new.replace("\n", "")
