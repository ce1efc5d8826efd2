"""Suggestions for a misspelled name: the closest names that exist."""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import TYPE_CHECKING

from promptuary.renderer.lazy_import import Deferred
from promptuary.renderer.problems import Edit, Fix, Place

if TYPE_CHECKING:
    import difflib
else:
    difflib = Deferred("difflib")

__all__ = ["MOST_NAMED", "likely_name", "list_names", "rename_fix", "shorten_name", "spelling_hint"]

MOST_NAMED = 10
"""How many unknown names an error names."""

_LONGEST = 80
_MOST_KNOWN = 500


def likely_name(name: str, names: Iterable[str]) -> str | None:
    """The known name that looks most like it, or None. Only names of at most 80 characters are compared, and 500 of
    them.
    """
    if len(name) > _LONGEST:
        return None
    candidates = [other for other in islice(names, _MOST_KNOWN) if len(other) <= _LONGEST]
    close = difflib.get_close_matches(name, candidates, 1)
    return close[0] if close else None


def shorten_name(name: object) -> str:
    """A name as a message gives it: its first 80 characters."""
    text = str(name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def list_names(names: Collection[object]) -> str:
    """Names for a message: ten at most, and how many more there are."""
    listing = ", ".join(shorten_name(name) for name in islice(names, MOST_NAMED))
    return listing if len(names) <= MOST_NAMED else f"{listing} and {len(names) - MOST_NAMED:,} more"


def spelling_hint(name: str, names: Iterable[str]) -> str:
    """End a message about an unknown name: the likely one, or nothing."""
    suggestion = likely_name(name, names)
    return f"; did you mean `{suggestion}`?" if suggestion else ""


def rename_fix(place: Place | None, suggestion: str | None) -> Fix | None:
    """Write the name that was meant, where the place says from where to where."""
    if suggestion is None or place is None or place.end_line is None or place.end_column is None:
        return None
    return Fix(f"Write `{suggestion}`", (Edit(place.line, place.column, place.end_line, place.end_column, suggestion),))
