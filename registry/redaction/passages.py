"""Passages of a document: the excerpts by which a redaction finds copies of the removed text.

A reply, a draft or a comment that contains one of them repeats the document. Common words prove nothing, so a passage
is a stretch of prose, or one long word with a digit in it (a key, a number), that no remaining document has too.
"""

import json
import re
from collections.abc import Iterable, Sequence

__all__ = ["find_passages", "list_spellings"]

_MARKUP = re.compile(r"\{\{|\}\}|\{[%#]|[%#]\}|\n")
# A YAML key and its block indicator, before the author's text.
_FIELD = re.compile(r"^\s*(?:-\s+)?[a-z_]{1,32}:\s*[|>]?[-+]?\s*")
_WORD = re.compile(r"[^\s\"'`<>{}()\[\],;]{8,200}")
_MIN_LENGTH = 16  # characters of prose
_MAX_LENGTH = 200
_LIMIT = 30  # of each kind


def find_passages(documents: Iterable[str], remaining_texts: Sequence[str]) -> tuple[str, ...]:
    """Passages of the documents that no remaining text has: up to 30 of prose and 30 words, longest first."""
    texts = list(documents)
    prose = {piece for document in texts for piece in _list_prose(document)}
    words = {word for document in texts for word in _list_words(document)}
    return (*_select_longest(prose, remaining_texts), *_select_longest(words - prose, remaining_texts))


def _select_longest(passages: Iterable[str], remaining_texts: Sequence[str]) -> list[str]:
    removable = [passage for passage in passages if not any(passage in text for text in remaining_texts)]
    return sorted(removable, key=lambda passage: (-len(passage), passage))[:_LIMIT]


def list_spellings(passage: str) -> tuple[str, ...]:
    """The forms of the passage in text columns: plain, and inside JSON with and without escapes."""
    return tuple(dict.fromkeys([passage, json.dumps(passage)[1:-1], json.dumps(passage, ensure_ascii=False)[1:-1]]))


def _list_prose(document: str) -> Iterable[str]:
    for line in _MARKUP.split(document):
        piece = _FIELD.sub("", line).strip(" \t\r\"'|>-")[:_MAX_LENGTH]
        if len(piece) >= _MIN_LENGTH and " " in piece:
            yield piece


def _list_words(document: str) -> Iterable[str]:
    for match in _WORD.finditer(document):
        word = match.group().rstrip(".:!?=")
        if len(word) >= 8 and any(character.isdigit() for character in word):
            yield word
