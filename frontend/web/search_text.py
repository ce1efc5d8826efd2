"""The text of the search field, parsed into words and filters such as `tag:billing`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.http import QueryDict

from registry.templates.search_entries import FILTER_KINDS

__all__ = ["Filter", "SearchText", "parse_search", "read_search"]

_PIECE = re.compile(r'(?:(?P<kind>[^\W\d_]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')


@dataclass(frozen=True)
class Filter:
    """One value that a template must have."""

    kind: str
    value: str

    @property
    def text(self) -> str:
        """The filter as typed: `tag:billing`, with quotes if the value contains a space."""
        return f'{self.kind}:"{self.value}"' if re.search(r"\s", self.value) else f"{self.kind}:{self.value}"


@dataclass(frozen=True)
class SearchText:
    """Words and filters. unknown: unknown kinds of filter, whose text is searched for as words."""

    words: str = ""
    filters: tuple[Filter, ...] = ()
    unknown: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, list[str]]:
        """The values by kind of filter."""
        values: dict[str, list[str]] = {}
        for chosen in self.filters:
            values.setdefault(chosen.kind, []).append(chosen.value)
        return values

    def address(self, *, words: str | None = None, filters: Sequence[Filter] | None = None, **others: str) -> str:
        """The query string of this search with changes; empty values are omitted."""
        pairs = [("q", self.words if words is None else words)]
        pairs += [(chosen.kind, chosen.value) for chosen in (self.filters if filters is None else filters)]
        pairs += list({**self.others, **others}.items())
        return f"?{urlencode([(name, value) for name, value in pairs if value])}"

    def with_filter(self, chosen: Filter) -> str:
        """The query string with one more filter."""
        return self.address(filters=[*(one for one in self.filters if one != chosen), chosen])

    def without_filter(self, chosen: Filter) -> str:
        """The query string without one of the filters."""
        return self.address(filters=[one for one in self.filters if one != chosen])


def parse_search(text: str) -> SearchText:
    """Parse a typed text into words and filters."""
    words: list[str] = []
    filters: list[Filter] = []
    unknown: list[str] = []
    for piece in _PIECE.finditer(text):
        kind, value = piece["kind"], piece["quoted"] or piece["plain"] or ""
        if kind and value and kind.lower() in FILTER_KINDS:
            filters.append(Filter(kind.lower(), value))
        else:
            if kind and value and not value.startswith("/"):  # a URL such as https://… isn't a filter
                unknown.append(kind)
            words.append(f"{kind}:{value}" if kind else value)
    return SearchText(" ".join(word for word in words if word), tuple(dict.fromkeys(filters)), tuple(unknown))


def read_search(query: QueryDict) -> SearchText:
    """Parse the search in a URL: filters in their own parameters, and those typed among the words."""
    typed = parse_search(query.get("q", "").replace("\0", ""))
    values = [(kind, value.replace("\0", "")) for kind in FILTER_KINDS for value in query.getlist(kind)]
    filters = [Filter(kind, value) for kind, value in values if value]
    others = {name: query.get(name, "") for name in ("sort", "archived") if query.get(name)}
    return SearchText(typed.words, tuple(dict.fromkeys([*filters, *typed.filters])), typed.unknown, others)
