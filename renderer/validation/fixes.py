"""Fixes of input declarations: edits that add, remove or correct one, offered with problems."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Edit, Fix, Lines, Place, unify_newlines
from promptuary.renderer.syntax import yaml_reader

__all__ = [
    "apply_fix",
    "declare_all",
    "declare_input",
    "find_value",
    "insert_key",
    "redeclare_input",
    "set_default",
    "undeclare_input",
    "write_flow",
]


def declare_input(document: Document, name: str, schema: dict[str, Any]) -> Fix | None:
    """Return a fix that declares one more input; None if no inputs are declared, or if the edit would be large."""
    return declare_all(document, {name: schema}) if document.inputs is not None else None


def declare_all(document: Document, schemas: Mapping[str, dict[str, Any]]) -> Fix | None:
    """Return a fix that declares inputs in the front matter, which is created if missing; no other text changes.

    They are added after the declared inputs. None if that would be a large edit.
    """
    entries = [f"{name}: {write_flow(schema)}" for name, schema in schemas.items()]
    title = f"Declare `{next(iter(schemas))}`" if len(schemas) == 1 else f"Declare all {len(schemas)}"
    lines = unify_newlines(document.text).split("\n")
    edit = _make_declaring_edit(document, lines, entries)
    if edit is None:
        return None
    newline = "\r\n" if "\r\n" in document.text else "\n"
    return Fix(title, (replace(edit, text=edit.text.replace("\n", newline)),))


def _make_declaring_edit(document: Document, lines: list[str], entries: list[str]) -> Edit | None:
    block = "".join(f"  {entry}\n" for entry in entries)
    place = document.places.get(("inputs",))
    if "inputs" not in document.front or place is None:
        return insert_key(document, lines, f"inputs:\n{block}")
    if lines[place.line - 1][place.column - 1 : place.column] == "{":
        written = ", ".join(entries) + (", " if document.inputs else "")
        return Edit(place.line, place.column + 1, place.line, place.column + 1, written)
    return _edit_after_last(document, lines, entries)


def insert_key(document: Document, lines: list[str], written: str) -> Edit | None:
    """Return an edit that appends a key to the front matter, created if missing; None if it is in braces.

    lines: of the document. written: the key with its value, in complete lines.
    """
    if document.body_line == 1:
        column = 2 if document.text.startswith("\ufeff") else 1
        return Edit(1, column, 1, column, f"---\n{written}---\n")
    closing_line = document.body_line - 1  # the line above the body
    first_line = lines[1] if closing_line > 2 else ""
    if first_line.lstrip().startswith("{"):  # a mapping in braces has no line for the key
        return None
    return Edit(closing_line, 1, closing_line, 1, written)


def _edit_after_last(document: Document, lines: list[str], entries: list[str]) -> Edit | None:
    names = list(document.inputs or ())
    first = _find_key_line(lines, document, names[0]) if names else None
    last = find_value(document, "inputs", names[-1]) if names else None
    if first is None or last is None or last.end_line is None:
        return None
    margin = re.match(" *", lines[first - 1])
    written = "".join(f"{margin[0] if margin else ''}{entry}\n" for entry in entries)
    return Edit(last.end_line + 1, 1, last.end_line + 1, 1, written)


def set_default(document: Document, name: str, value: Any) -> Fix | None:
    """Return a fix that gives an input a default, which makes it optional; other keywords stay.

    None if its schema spans several lines, or if it has a default already.
    """
    schema = (document.inputs or {}).get(name)
    place = find_value(document, "inputs", name)
    if schema is None or "default" in schema or place is None or place.end_line != place.line:
        return None
    written = write_flow(value)
    line = unify_newlines(document.text).split("\n")[place.line - 1]
    if place.end_column is None or line[place.column - 1] != "{":
        return None
    closing_brace = place.end_column - 1
    entry = _separate_entry(f"default: {written}", line[place.column : closing_brace - 1])
    return Fix(f"Make `{name}` optional", (Edit(place.line, closing_brace, place.line, closing_brace, entry),))


def _separate_entry(entry: str, entries: str) -> str:
    """The entry with what separates it from the entries of a mapping in braces, which may end in a comma."""
    if not entries.strip():
        return entry
    if not entries.rstrip().endswith(","):
        return f", {entry}"
    return entry if entries.endswith(" ") else f" {entry}"


def undeclare_input(document: Document, name: str) -> Fix | None:
    """Return a fix that removes an input; None if it shares a line with others or is the only one."""
    lines = unify_newlines(document.text).split("\n")
    place = find_value(document, "inputs", name)
    first = _find_key_line(lines, document, name)
    if len(document.inputs or ()) < 2 or first is None or place is None or place.end_line is None:
        return None
    return Fix(f"Remove the input `{name}`", (Edit(first, 1, place.end_line + 1, 1, ""),))


def redeclare_input(document: Document, name: str, schema: dict[str, Any]) -> Fix | None:
    """Return a fix that replaces the schema of an input."""
    place = find_value(document, "inputs", name)
    if place is None or place.end_line is None or place.end_column is None:
        return None
    edit = Edit(place.line, place.column, place.end_line, place.end_column, write_flow(schema))
    return Fix(f"Declare `{name}` as the fragment does", (edit,))


def apply_fix(text: str, fix: Fix) -> str:
    """Apply a fix to the text; everything else stays, including line ends."""
    starts = [0, *(line_end.end() for line_end in re.finditer("\r\n|\r|\n", text))]
    for edit in sorted(fix.edits, key=lambda edit: (edit.line, edit.column), reverse=True):
        start = starts[edit.line - 1] + edit.column - 1
        # The line after the last one is the end of the text.
        end = starts[edit.end_line - 1] + edit.end_column - 1 if edit.end_line <= len(starts) else len(text)
        text = text[:start] + edit.text + text[end:]
    return text


_PLAIN = re.compile(r"[A-Za-z_$](?:[A-Za-z0-9_$ ./-]*[A-Za-z0-9_$])?", re.ASCII)


def write_flow(value: Any) -> str:
    """Write a value on one line in YAML's flow style; ambiguous text is quoted."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{write_flow(str(key))}: {write_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(write_flow, value)) + "]"
    if isinstance(value, str) and _PLAIN.fullmatch(value) and isinstance(yaml_reader.parse_core_value(value), str):
        return value
    return json.dumps(value, ensure_ascii=False)


def find_value(document: Document, *path: str) -> Place | None:
    """Return the place of a front matter value, less a block's trailing white space; None if it isn't written out."""
    place = document.places.get(path)
    if place is None or place.end_line is None or place.end_column is None:
        return None
    text = unify_newlines(document.text)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    start = starts[place.line - 1] + place.column - 1
    end = start + len(text[start : starts[place.end_line - 1] + place.end_column - 1].rstrip())
    return Lines(text).place(start, end)


def _find_key_line(lines: list[str], document: Document, name: str) -> int | None:
    """The line on which an input's key starts; None if the key shares its line with another or spans several."""
    place = document.places.get(("inputs", name))
    if place is None:
        return None
    key = re.compile(rf" +(?:{re.escape(name)}|\"{re.escape(name)}\"|'{re.escape(name)}') *:")
    for line in range(place.line, 0, -1):
        if key.match(lines[line - 1]):
            return line
        if line < place.line and lines[line - 1].strip():
            return None
    return None
