"""Syntax errors of Jinja as problems of the document, at the place where the author wrote them."""

import re

from jinja2 import tests
from jinja2.exceptions import TemplateSyntaxError

from promptuary.renderer.errors import DocumentError
from promptuary.renderer.jinja.lint import NOT_REPRODUCIBLE
from promptuary.renderer.jinja.operators import FILTERS
from promptuary.renderer.problems import Lines, Place
from promptuary.renderer.syntax import suggestions

__all__ = ["syntax_error"]

_IS = re.compile(r"is\s+(?:not\s+)?")
_UNKNOWN = re.compile(r"[Nn]o (filter|test) named '([^']*)'")


def syntax_error(
    error: TemplateSyntaxError, lines: Lines, shown_place: Place | None, source: str = ""
) -> DocumentError:
    offset, message = max(0, error.lineno - 1), (error.message or "this is not Jinja").rstrip(".")
    unknown = _UNKNOWN.match(message)
    if unknown:
        before = _IS.match(source, offset)  # a test's own place is its `is`
        at = before.end() if before else offset
        end = at + len(unknown[2]) if source.startswith(unknown[2], at) else None
        unknown_error = _unknown(unknown[1], unknown[2], lines.place(at, end))
        unknown_error.place = lines.place(offset, end)
        return unknown_error if shown_place is None else _moved(unknown_error, shown_place)
    if message.lower().startswith("unexpected end of template"):
        # What was left open is where to look, not the end of the document.
        offset = max(source.rfind("{{"), source.rfind("{%"), 0)
    return DocumentError(message[:1].lower() + message[1:], code="PT201", place=shown_place or lines.place(offset))


def _moved(error: DocumentError, shown_place: Place) -> DocumentError:
    """An error of an included text, told at its includer's tag, where no edit can cure it."""
    error.place, error.fix = shown_place, None
    return error


def _unknown(kind: str, name: str, place: Place) -> DocumentError:
    if name in NOT_REPRODUCIBLE:
        message = f"`{name}` gives another result each time; the same data must give the same prompt"
        return DocumentError(message, code="PT203", place=place)
    names = FILTERS if kind == "filter" else tests.TESTS
    message = f"there is no {kind} `{name}`{suggestions.spelling_hint(name, names)}"
    return DocumentError(
        message, code="PT205", place=place, fix=suggestions.rename_fix(place, suggestions.likely_name(name, names))
    )
