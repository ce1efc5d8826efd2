"""Tells in one pass which of several patterns a text can match at all.

Python's `re` and `str.find` scan a text once for each pattern or word; RE2 looks for all of them in a single scan.
A hint matches at least what its pattern matches, and is simpler: without lookaround, and with few states.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import re2
else:
    re2 = Deferred("re2")

__all__ = ["find_hints"]


def find_hints(text: str, hints: tuple[str, ...]) -> Sequence[int]:
    """Return the ascending indices of the hints, in RE2's syntax, that match anywhere in the text.

    If RE2 can't tell, for want of memory, these are all.
    """
    # No hint matches a lone surrogate, which UTF-8 doesn't have.
    found = _build_set(hints).Match(text if text.isascii() else text.encode("utf-8", "replace"))
    return range(len(hints)) if found is None else sorted(found)[:-1]


@cache
def _build_set(hints: tuple[str, ...]) -> Any:
    built = re2.Set.SearchSet()
    for hint in hints:
        built.Add(hint)
    built.Add("")  # matches always, so that without any match RE2 has failed
    built.Compile()
    return built
