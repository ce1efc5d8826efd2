"""Documents that hold plain names in double braces and nothing else: what systems with such texts can carry.

How they print is asked of the renderer itself: each name is given its own mark as its value.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from promptuary.renderer.document.parser import Document

__all__ = ["NotPlainError", "PlainDocument", "read_placeholders"]

FORMATS = ("parts", "text")
_NAME = re.compile(r"(?<!\{)\{\{-?\s*([^\W\d]\w*)\s*-?\}\}(?!\})")
_STRING = re.compile(r"\{\{-?\s*'(?:[^'\\]|\\.)*'\s*-?\}\}")
_FRAGMENT = re.compile(r"""\{\{-?\s*fragment\(\s*(['"])[^'"]+\1\s*\)\s*-?\}\}""")
_MARKS = re.compile(r"\{\{|\{%|\{#")


class NotPlainError(ValueError):
    """It holds more than plain names; the sentence says what."""


@dataclass(frozen=True)
class PlainDocument:
    """The names, and what to render to see where they are: the document without declared types, and names as
    values.
    """

    names: tuple[str, ...]
    document: str

    @property
    def data(self) -> dict[str, str]:
        """Each name printing itself as `{{name}}`."""
        return {name: "{{" + name + "}}" for name in self.names}


def read_placeholders(document: Document, fragments: Mapping[str, str]) -> PlainDocument:
    """The plain names of a document and its fragments. Raises NotPlain."""
    if document.format not in FORMATS:
        raise NotPlainError(f"its format is {document.format}")
    names: dict[str, None] = {}
    for body in (document.body, *fragments.values()):
        rest = _FRAGMENT.sub("", _STRING.sub("", _NAME.sub("", body)))
        if match := _MARKS.search(rest):
            raise NotPlainError(f"it holds more than plain names: {rest[match.start() :].splitlines()[0][:60]}")
        names |= dict.fromkeys(_NAME.findall(body))
    # Declared types would refuse the marks.
    return PlainDocument(tuple(names), f"---\nformat: {document.format}\n---\n{document.body}")
