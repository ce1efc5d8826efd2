"""Declarations of inputs put in, out or right: the cures that are offered for names that do not fit their
declarations.
"""

import json
import re
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Edit, Fix, Place
from promptuary.renderer.syntax.positions import Lines, unify_newlines

__all__ = ["declare", "redeclare", "undeclare"]


def declare(document: Document, name: str, schema: dict[str, Any]) -> Fix | None:
    """Put an input beside those that are declared; None where that would not be a small edit."""
    line = f"{name}: {_flow(schema)}"
    lines = unify_newlines(document.text).split("\n")
    place = document.places.get(("inputs",))
    title = f"Declare `{name}`"
    if document.inputs is None or place is None:
        return None
    if lines[place.line - 1][place.column - 1 : place.column] == "{":
        text = f"{line}, " if document.inputs else line
        return Fix(title, (Edit(place.line, place.column + 1, place.line, place.column + 1, text),))
    first = _key_line(lines, document, next(iter(document.inputs), ""))
    if first is None:
        return None
    indent = re.match(" *", lines[first - 1])
    return Fix(title, (Edit(first, 1, first, 1, f"{indent[0] if indent else ''}{line}\n"),))


def undeclare(document: Document, name: str) -> Fix | None:
    """Take an input out, where it is in lines of its own and is not the only one."""
    lines = unify_newlines(document.text).split("\n")
    place = _value(document, name)
    first = _key_line(lines, document, name)
    if len(document.inputs or ()) < 2 or first is None or place is None or place.end_line is None:
        return None
    return Fix(f"Remove the input `{name}`", (Edit(first, 1, place.end_line + 1, 1, ""),))


def redeclare(document: Document, name: str, schema: dict[str, Any]) -> Fix | None:
    """Write another schema for an input."""
    place = _value(document, name)
    if place is None or place.end_line is None or place.end_column is None:
        return None
    edit = Edit(place.line, place.column, place.end_line, place.end_column, _flow(schema))
    return Fix(f"Declare `{name}` as the fragment does", (edit,))


def _flow(schema: dict[str, Any]) -> str:
    """A schema in one line; JSON is YAML too."""
    return json.dumps(schema, ensure_ascii=False)


def _value(document: Document, name: str) -> Place | None:
    """Where the schema of an input is, without the white space that YAML counts to a block."""
    place = document.places.get(("inputs", name))
    if place is None or place.end_line is None or place.end_column is None:
        return None
    text = unify_newlines(document.text)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    start = starts[place.line - 1] + place.column - 1
    end = start + len(text[start : starts[place.end_line - 1] + place.end_column - 1].rstrip())
    return Lines(text).place(start, end)


def _key_line(lines: list[str], document: Document, name: str) -> int | None:
    """The line on which an input's key starts; None where the key shares its line with another or spans several."""
    place = document.places.get(("inputs", name))
    key = re.compile(rf" +(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}') *:")
    for line in range(place.line, 0, -1) if place else ():
        if key.match(lines[line - 1]):
            return line
        if line < (place.line if place else 0) and lines[line - 1].strip():
            return None
    return None
