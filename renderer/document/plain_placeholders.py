"""Documents with plain names in double braces and no other Jinja: the kind that other systems can represent.

The renderer itself shows where names are printed: each name's value is a unique mark.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from promptuary.renderer.document.parser import Document

__all__ = ["NotPlainError", "PlainDocument", "read_placeholders", "require_no_braces"]

FORMATS = ("parts", "text")
_NAME = re.compile(r"(?<!\{)\{\{-?\s*([^\W\d]\w*)\s*-?\}\}(?!\})")
_STRING = re.compile(r"\{\{-?\s*'(?:[^'\\]|\\.)*'\s*-?\}\}")
_FRAGMENT = re.compile(r"""\{\{-?\s*fragment\(\s*(['"])[^'"]+\1\s*\)\s*-?\}\}""")
_MARKS = re.compile(r"\{\{|\{%|\{#")
_OPEN, _CLOSE = "\ue000", "\ue001"  # around a name while it is rendered; both are for private use in Unicode
_MARKED = re.compile(f"{_OPEN}(\\w+){_CLOSE}")
_EXPRESSION = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}")
_OWN_BRACES = re.compile(r"\{\{|\{\Z")


class NotPlainError(ValueError):
    """The document has more than plain names; the message says what."""


@dataclass(frozen=True)
class PlainDocument:
    """The names, and a document to render to find where they are printed: it declares no types."""

    names: tuple[str, ...]
    document: str

    @property
    def data(self) -> dict[str, str]:
        """A marked value for each name, so that the text's own braces aren't mistaken for a name."""
        return {name: f"{_OPEN}{name}{_CLOSE}" for name in self.names}

    def write_names(self, rendered: str, write_literal: Callable[[str], str]) -> str:
        """Rewrite a text rendered with `data`: names in double braces, the text between them passed through
        write_literal.

        Raises what write_literal raises.
        """
        pieces = _MARKED.split(rendered)  # literals at even places, names between them
        return "".join("{{" + piece + "}}" if at % 2 else write_literal(piece) for at, piece in enumerate(pieces))


def read_placeholders(document: Document, fragments: Mapping[str, str]) -> PlainDocument:
    """Find the plain names of a document and its fragments. Raises NotPlainError."""
    if document.format not in FORMATS:
        raise NotPlainError(f"its format is {document.format}")
    names: dict[str, None] = {}
    for body in (document.body, *fragments.values()):
        if _OPEN in body or _CLOSE in body:
            raise NotPlainError("it has a character for private use, U+E000 or U+E001")
        text_outside = _FRAGMENT.sub("", _STRING.sub("", _NAME.sub("", body)))
        if match := _MARKS.search(text_outside):
            raise NotPlainError(
                f"it has more than plain names: {_find_first_expression(text_outside[match.start() :])}"
            )
        names |= dict.fromkeys(_NAME.findall(body))
    # Declared types would reject the marks.
    return PlainDocument(tuple(names), f"---\nformat: {document.format}\n---\n{document.body}")


def _find_first_expression(text: str) -> str:
    """The expression or statement at the start of the text, or the first 60 characters of its line."""
    match = _EXPRESSION.match(text)
    return (match[0] if match else text.splitlines()[0])[:60]


def require_no_braces(literal: str) -> str:
    """Return the literal unless double braces in it could be read as a name. Raises NotPlainError."""
    if match := _OWN_BRACES.search(literal):
        excerpt = literal[match.start() :].splitlines()[0][:60]
        raise NotPlainError(f"it shows double braces as text, which would be read as a name: {excerpt}")
    return literal
