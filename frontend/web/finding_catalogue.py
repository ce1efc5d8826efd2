"""Patterns of findings, sentences with named values, with their translations from the catalogue of a language."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from string import Formatter

from django.conf import settings

__all__ = ["FindingCatalogue", "FindingPattern", "parse_pattern", "read_catalogue"]

_FEW_LETTERS = 5
_WORD = re.compile(r"[A-Za-z]+")
_TAIL_STARTS = (";", ",", " ")  # a tuple, because "" is in every string
_NUMBER = re.compile(r"-?\d[\d,.]*")
_QUOTES = ("``", '""', "''", "“”")


@dataclass(frozen=True)
class FindingPattern:
    """A sentence with values: `literals` are the texts around them, one more than there are `names`."""

    literals: tuple[str, ...]
    names: tuple[str, ...]
    translation: str

    @cached_property
    def is_loose(self) -> bool:
        """Whether it has too few letters to identify a finding."""
        if {"line", "number"} & set(self.names) or all(map(self.is_quoted, self.names)):
            return False
        return sum(map(str.isalpha, "".join(self.literals))) < _FEW_LETTERS

    @cached_property
    def weight(self) -> int:
        """How many literal characters it has: of two matching patterns, the one with more wins."""
        return sum(map(len, self.literals))

    @cached_property
    def key_word(self) -> str:
        """The longest word that every text matching it contains; empty if there isn't one."""
        last = len(self.literals) - 1
        words = [
            match[0]
            for place, literal in enumerate(self.literals)
            for match in _WORD.finditer(literal)
            if (match.start() or not place) and (match.end() < len(literal) or place == last)
        ]
        return max(words, key=len, default="")

    def read_values(self, text: str) -> dict[str, str] | None:
        """The values with which the pattern produces this text, each as short as possible; None if it doesn't match."""
        first, last = self.literals[0], self.literals[-1]
        if not self.names:
            return {} if text == first else None
        at, end = len(first), len(text) - len(last)
        if end < at or not text.startswith(first) or not text.endswith(last):
            return None
        values = []
        for literal in self.literals[1:-1]:
            place = text.find(literal, at, end)
            if place < 0:
                return None
            values.append(text[at:place])
            at = place + len(literal)
        values_by_name = dict(zip(self.names, [*values, text[at:end]], strict=True))
        return values_by_name if _NUMBER.fullmatch(values_by_name.get("number", "0")) else None

    def write(self, values: Mapping[str, str]) -> str:
        """Format the English sentence with these values."""
        pieces = [self.literals[0]]
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            pieces += [values[name], literal]
        return "".join(pieces)

    def is_quoted(self, name: str) -> bool:
        """Whether a value is in quotes or backticks, so that it is a name or code instead of words."""
        place = self.names.index(name)
        return self.literals[place][-1:] + self.literals[place + 1][:1] in _QUOTES


class FindingCatalogue:
    """The patterns of one language, and single words by the name of the value that they fill.

    `tails` are patterns that a finding may end with, such as `; did you mean {suggestion}?`.
    """

    def __init__(self, patterns: Iterable[FindingPattern], words: Mapping[tuple[str, str], str]) -> None:
        self.words = dict(words)
        self.patterns = sorted(patterns, key=_rank)
        self.tails = [it for it in self.patterns if it.literals[0][:1] in _TAIL_STARTS and not it.is_loose]
        self._by_word: dict[str, list[int]] = {}
        for place, pattern in enumerate(self.patterns):
            self._by_word.setdefault(pattern.key_word, []).append(place)

    def find_matches(self, text: str) -> Iterator[tuple[FindingPattern, dict[str, str]]]:
        """The matching patterns, those with more literal characters first, each with its values."""
        words = {"", *_WORD.findall(text)}
        for place in sorted(place for word in words for place in self._by_word.get(word, ())):
            values = self.patterns[place].read_values(text)
            if values is not None:
                yield self.patterns[place], values


def _rank(pattern: FindingPattern) -> tuple[bool, int]:
    """Sort key: patterns with more literal characters first; loose ones last, the shortest of them first."""
    return pattern.is_loose, pattern.weight if pattern.is_loose else -pattern.weight


def parse_pattern(text: str, translation: str) -> FindingPattern:
    """Parse a pattern of the catalogue: a name in braces is a value, a doubled brace is a literal brace."""
    literals, names = [""], []
    for literal, name, _, _ in Formatter().parse(text):
        literals[-1] += literal
        if name is not None:
            names.append(name)
            literals.append("")
    return FindingPattern(tuple(literals), tuple(names), translation)


@cache
def read_catalogue(language: str) -> FindingCatalogue:
    """The catalogue `findings` of a language; empty if the language doesn't have one."""
    import polib  # noqa: PLC0415 -- not if all pages are in English

    path = settings.BASE_DIR / "frontend" / "locale" / language / "LC_MESSAGES" / "findings.mo"
    entries = polib.mofile(str(path)) if path.exists() else []
    return FindingCatalogue(
        [parse_pattern(entry.msgid, entry.msgstr) for entry in entries if not entry.msgctxt],
        {(entry.msgctxt, entry.msgid): entry.msgstr for entry in entries if entry.msgctxt},
    )
