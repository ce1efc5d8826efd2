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

__all__ = ["MAX_NAMED", "find_likely_name", "list_names", "make_spelling_hint", "rename_fix", "shorten_name"]

MAX_NAMED = 10
"""The maximum number of unknown names in an error."""

_MAX_LENGTH = 80
_MAX_KNOWN = 500


def find_likely_name(name: str, names: Iterable[str]) -> str | None:
    """Return the most similar known name, or None. Only names of up to 80 characters are compared, and 500 of them."""
    if len(name) > _MAX_LENGTH:
        return None
    candidates = [known_name for known_name in islice(names, _MAX_KNOWN) if len(known_name) <= _MAX_LENGTH]
    close = difflib.get_close_matches(name, candidates, 1)
    return close[0] if close else None


def shorten_name(name: object) -> str:
    """Shorten a name for a message to its first 80 characters."""
    text = str(name)
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


def list_names(names: Collection[object]) -> str:
    """List up to ten names for a message, and how many more there are."""
    listing = ", ".join(shorten_name(name) for name in islice(names, MAX_NAMED))
    return listing if len(names) <= MAX_NAMED else f"{listing} and {len(names) - MAX_NAMED:,} more"


def make_spelling_hint(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the likely one, or nothing."""
    suggestion = find_likely_name(name, names)
    return f"; did you mean `{suggestion}`?" if suggestion else ""


def rename_fix(place: Place | None, suggestion: str | None) -> Fix | None:
    """Make a fix that writes the likely name, if the place has a start and an end."""
    if suggestion is None or place is None or place.end_line is None or place.end_column is None:
        return None
    return Fix(f"Write `{suggestion}`", (Edit(place.line, place.column, place.end_line, place.end_column, suggestion),))
