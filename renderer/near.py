"""What somebody meant who wrote a name that does not exist."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from renderer.deferred import Deferred
from renderer.problems import Edit, Fix, Place

if TYPE_CHECKING:
    import difflib
else:
    difflib = Deferred("difflib")

__all__ = ["hint", "likely", "rename"]


def likely(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like it, or None."""
    close = difflib.get_close_matches(name, list(known), 1)
    return close[0] if close else None


def hint(name: str, known: Iterable[str]) -> str:
    """End a message about an unknown name: the likely one, or nothing."""
    meant = likely(name, known)
    return f"; did you mean `{meant}`?" if meant else ""


def rename(place: Place | None, meant: str | None) -> Fix | None:
    """Write the name that was meant, where the place says from where to where."""
    if meant is None or place is None or place.end_line is None or place.end_column is None:
        return None
    return Fix(f"Write `{meant}`", (Edit(place.line, place.column, place.end_line, place.end_column, meant),))
