"""Control marks in an author's text: they reach the model as plain text, which is seldom what was meant."""

import re
from collections.abc import Iterator

__all__ = ["find"]

_MARKS = re.compile(
    r"<\|(?!space\|)[a-z0-9_]{2,40}\|>"
    r"|\[/?INST\]|<</?SYS>>|</?s>(?=\s|\[|$)"
    r"|<(?:start_of_turn|end_of_turn|bos|eos|pad|unk)>"
    r"|<｜[^｜\n]{1,40}｜>"
)


def find(text: str) -> Iterator[re.Match[str]]:
    """Each mark of a known model family."""
    return _MARKS.finditer(text)
