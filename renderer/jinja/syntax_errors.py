"""Jinja's syntax errors as problems of the document, at the place in the author's text."""

import re

from jinja2 import tests
from jinja2.exceptions import TemplateSyntaxError

from promptuary.renderer.errors import DocumentError
from promptuary.renderer.jinja.lint import NOT_REPRODUCIBLE
from promptuary.renderer.jinja.operators import FILTERS
from promptuary.renderer.problems import Edit, Fix, Lines, Place
from promptuary.renderer.syntax import suggestions

__all__ = ["describe_syntax_error"]

_IS = re.compile(r"is\s+(?:not\s+)?")
_INNERMOST = re.compile(r"innermost block that needs to be closed is '(\w+)'")
_OPENING = re.compile(r"\{[{%#]")
_UNKNOWN = re.compile(r"[Nn]o (filter|test) named '([^']*)'")


def describe_syntax_error(
    error: TemplateSyntaxError, lines: Lines, shown_place: Place | None, source: str = ""
) -> DocumentError:
    offset, message = max(0, error.lineno - 1), (error.message or "this is not Jinja").rstrip(".")
    unknown = _UNKNOWN.match(message)
    if unknown:
        before = _IS.match(source, offset)  # a test's own place is its `is`
        at = before.end() if before else offset
        end = at + len(unknown[2]) if source.startswith(unknown[2], at) else None
        plain = _build_plain_tag_fix(source, offset, lines)
        unknown_error = _build_unknown_error(unknown[1], unknown[2], lines.place(at, end), plain)
        unknown_error.place = lines.place(offset, end)
        return unknown_error if shown_place is None else _move_error(unknown_error, shown_place)
    if message.lower().startswith("unexpected end of template"):
        # Point at what was left open rather than at the end of the document.
        offset = max(source.rfind("{{"), source.rfind("{%"), 0)
    place, fix = shown_place or lines.place(offset), None
    if shown_place is None:
        fix = _build_plain_tag_fix(source, _find_open_block(source, message, offset), lines)
    return DocumentError(message[:1].lower() + message[1:], code="PT201", place=place, fix=fix)


def _find_open_block(source: str, message: str, offset: int) -> int:
    """The start of the block that the message says isn't closed; the offset if the message isn't about one."""
    innermost = _INNERMOST.search(message)
    tags = re.finditer(rf"\{{%[-+]?\s*{innermost[1]}\b", source) if innermost else ()
    return max((tag.start() for tag in tags), default=offset)


def _build_plain_tag_fix(source: str, offset: int, lines: Lines) -> Fix | None:
    """A fix that prints the braces at an offset; without them, the rest of the tag is text."""
    opening = max((match.start() for match in _OPENING.finditer(source, 0, offset + 2)), default=None)
    if opening is None:
        return None
    line = source[source.rfind("\n", 0, opening) + 1 : opening]
    quote = '"' if "'" in line else "'"  # the other kind of quote may be around the content
    place, end = lines.position(opening), lines.position(opening + 2)
    printed = f"{{{{ {quote}{source[opening : opening + 2]}{quote} }}}}"
    return Fix("Make the tag plain text", (Edit(*place, *end, printed),))


def _move_error(error: DocumentError, shown_place: Place) -> DocumentError:
    """An error in an included text, reported at its includer's tag without a fix."""
    error.place, error.fix = shown_place, None
    return error


def _build_unknown_error(kind: str, name: str, place: Place, plain: Fix | None) -> DocumentError:
    if name in NOT_REPRODUCIBLE:
        message = f"`{name}` gives another result each time; the same data must give the same prompt"
        return DocumentError(message, code="PT203", place=place)
    names = FILTERS if kind == "filter" else tests.TESTS
    message = f"there is no {kind} `{name}`{suggestions.make_spelling_hint(name, names)}"
    rename = suggestions.rename_fix(place, suggestions.find_likely_name(name, names))
    return DocumentError(message, code="PT205", place=place, fix=rename or plain)
