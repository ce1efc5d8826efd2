"""Sentences with keys that a judge can refer to: `0a`, `0b` … in documents, `a`, `b` … in a response.

The keys are those of TRACe (RAGBench, arXiv 2407.11005): the document's number from 0, then letters; after `z` comes
`aa`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from promptuary.renderer.errors import InputError
from promptuary.renderer.functions.documents import read_content

__all__ = ["KeyedSentences", "spell_number", "split_documents", "split_response", "split_sentences"]

# Abbreviations whose full stop doesn't end a sentence, in lower case and without the stop.
_ABBREVIATION = re.compile(
    r"mr|mrs|ms|dr|prof|rev|hon|st|jr|sr|messrs|gen|col|lt|capt|sgt|gov|sen|rep|bros|inc|ltd|co|corp|dept|est|"
    r"vs|etc|e\.g|i\.e|cf|al|figs?|eqs?|nos?|vol|pp?|ch|sec|art|approx|ca|nr|bzw|usw|z\.b|d\.h|abs|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|"
    r"a\.m|p\.m|u\.s|u\.k|u\.n|e\.u|ph\.d|b\.c|a\.d"
)
# The end of a sentence: closing punctuation, an optional quote or bracket, then space (optional after CJK marks).
# Possessive and anchored at the first mark, so that a long run of marks is scanned only once.
_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’»)\]]*+(?=\s)|[。！？｡]+["'”’」』）]*""")
_WORD = re.compile(r"\S+")
_SOLID = re.compile(r"\S")
_LINES = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# A line break inside a sentence: no closing mark before it, a lower-case letter after it.
_WRAP = re.compile(r"(?<=[^\s.!?…:;。！？])[ \t]*(?:\r\n|[\n\r])[ \t]*(?=[a-z\u00df-\u00f6\u00f8-\u00ff])")


def spell_number(number: int) -> str:
    """Return the letters for 0, 1, 2 …: a … z, aa … az, ba … zz, aaa …"""
    text = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        text = chr(ord("a") + digit) + text
    return text


def split_sentences(text: str) -> list[str]:
    """Split text into sentences, without surrounding space; empty ones are dropped.

    A line break ends a sentence unless the line is clearly wrapped: no closing mark before it and a lower-case letter
    after. Takes linear time.
    """
    sentences: list[str] = []
    for line in _LINES.split(_WRAP.sub(" ", text)):
        sentences += _split_line(line)
    return [sentence.strip() for sentence in sentences if sentence.strip()]


def _split_line(line: str) -> Iterator[str]:
    start = 0
    words = _Words(line)
    for match in _END.finditer(line):
        if _ends_sentence(line, start, match, words):
            yield line[start : match.end()]
            start = match.end()
    yield line[start:]


class _Words:
    """The words of a line, read once from left to right."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._coming = _WORD.finditer(line)
        self._next = next(self._coming, None)
        self._last = (0, 0)
        self._end_before = 0

    def last(self, start: int, end: int) -> tuple[str, bool]:
        """Return the last word between two offsets, empty if there is none, and whether it is the only one.

        Neither offset may be smaller than in an earlier call.
        """
        while self._next is not None and self._next.start() < end:
            self._end_before, self._last = self._last[1], self._next.span()
            self._next = next(self._coming, None)
        begin, stop = self._last
        return self._line[max(begin, start) : min(stop, end)], self._end_before <= start


def _ends_sentence(line: str, start: int, match: re.Match[str], words: _Words) -> bool:
    mark = match[0]
    if mark[0] in "。！？｡":
        return True
    following = _SOLID.search(line, match.end())
    if following is None:
        return True
    if mark == ".":
        last, is_only = words.last(start, match.start())
        word = last.lstrip("([{\"'“‘").lower()
        if _ABBREVIATION.fullmatch(word) or (len(word) == 1 and word.isalpha()):
            return False
        if word.isdigit() and is_only:  # the number of a list item: `1. Do this`
            return False
    return not line[following.start()].islower()


class KeyedSentences(list[Any]):
    """Sentences with their keys. Printed as one line `key. sentence` each, with a blank line between documents.

    For documents: one list of (key, sentence) pairs per document, the form that `trace_scores` takes. For a response:
    just the pairs.
    """

    def __str__(self) -> str:
        if self and isinstance(self[0], tuple):
            return _format_lines(self)
        return "\n\n".join(_format_lines(pairs) for pairs in self)


def _format_lines(pairs: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"{key}. {sentence}" for key, sentence in pairs)


def split_documents(documents: Sequence[Any]) -> KeyedSentences:
    """Split documents (texts or mappings with `content`) into sentences with the keys 0a, 0b … 1a …

    A document already given as a list of sentences keeps them as they are.
    """
    if isinstance(documents, str | Mapping) or not isinstance(documents, Sequence):
        raise InputError("document_sentences wants a list of documents")
    return KeyedSentences(
        [(f"{number}{spell_number(index)}", sentence) for index, sentence in enumerate(_split_item(document))]
        for number, document in enumerate(documents)
    )


def split_response(response: Any) -> KeyedSentences:
    """Split a response into sentences with the keys a, b … z, aa …"""
    return KeyedSentences((spell_number(index), sentence) for index, sentence in enumerate(_split_item(response)))


def _split_item(item: Any) -> list[str]:
    if isinstance(item, Sequence) and not isinstance(item, str):
        return [read_content(sentence) for sentence in item]
    return split_sentences(read_content(item))
