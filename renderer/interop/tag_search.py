"""Searches for tags in time that grows with the length of the text, although tags may be left open.

A regular expression alone reads to the end of the text at each `{%` that is left open: four times the text takes 16
times as long.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["STRINGS", "TagKind", "TagSearch", "TagSyntax"]

STRINGS = r"'(?>(?:\\.|[^'\\])*)'|\"(?>(?:\\.|[^\"\\])*)\""
_STRING = re.compile(STRINGS, re.DOTALL)
_QUOTE = re.compile("['\"]")


@dataclass(frozen=True)
class TagKind:
    """A kind of tag. pattern: of a whole tag. end: a pattern of what it ends with: from a tag's beginning it is always
    found if the text has one further on, except in strings (`has_strings`).
    """

    pattern: str
    end: str
    has_strings: bool = False


class TagSyntax:
    """The tags that begin with the pattern `opening`, of the first kind that fits. Every match has the groups of all
    kinds.
    """

    def __init__(self, opening: str, *kinds: TagKind) -> None:
        self.opening = re.compile(opening)
        groups = {name for kind in kinds for name in re.compile(kind.pattern, re.DOTALL).groupindex}
        self.kinds = [(kind, _compile_with_groups(kind.pattern, groups), re.compile(kind.end)) for kind in kinds]

    def find_tags(self, text: str) -> Iterator[re.Match[str]]:
        """The tags of the text, in order."""
        search = TagSearch(self, text)
        position = 0
        while tag := search.find_tag(position):
            yield tag
            position = tag.end()


class TagSearch:
    """The search for tags in one text, from a position that only grows."""

    def __init__(self, syntax: TagSyntax, text: str) -> None:
        self._text = text
        self._opening = syntax.opening
        self._kinds = [
            (kind, pattern, max((found.start() for found in end.finditer(text)), default=-1))
            for kind, pattern, end in syntax.kinds
        ]
        self._failed: set[tuple[str, int]] = set()
        self._quote = -1

    def find_tag(self, position: int) -> re.Match[str] | None:
        """The next tag from this position on, or None."""
        while opening := self._opening.search(self._text, position):
            start = opening.start()
            kinds = [(kind, pattern) for kind, pattern, last_end in self._kinds if start < last_end]
            if not kinds:
                return None
            sign, quote = opening[0], self._find_quote(start)
            is_failed = (sign, quote) in self._failed
            for kind, pattern in kinds:
                if not (kind.has_strings and is_failed) and (tag := pattern.match(self._text, start)):
                    return tag
            if not is_failed and any(kind.has_strings for kind, _ in kinds):
                self._note_failure(sign, quote)
            position = start + 1
        return None

    def _find_quote(self, start: int) -> int:
        if self._quote < start:
            quote = _QUOTE.search(self._text, start)
            self._quote = quote.start() if quote else len(self._text)
        return self._quote

    def _note_failure(self, sign: str, quote: int) -> None:
        """Note the quotes that open the strings of a tag without an end: a tag that comes to one of them has none."""
        self._failed.add((sign, quote))
        while string := _STRING.match(self._text, quote):
            following = _QUOTE.search(self._text, string.end())
            quote = following.start() if following else len(self._text)
            self._failed.add((sign, quote))


def _compile_with_groups(pattern: str, groups: set[str]) -> re.Pattern[str]:
    missing = sorted(groups - re.compile(pattern, re.DOTALL).groupindex.keys())
    return re.compile(pattern + "".join(f"(?:(?!)(?P<{name}>))?" for name in missing), re.DOTALL)
