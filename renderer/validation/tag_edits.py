"""Replaces the tags of a document without changing any other text."""

from collections.abc import Sequence
from dataclasses import replace

from promptuary.renderer.document.parser import Document
from promptuary.renderer.problems import Edit, Fix, Place, unify_newlines
from promptuary.renderer.validation.fixes import find_value, insert_key, write_flow

__all__ = ["edit_tags"]


def edit_tags(document: Document, tags: Sequence[str]) -> Fix | None:
    """Return a fix that replaces the document's tags; the front matter is created if missing.

    None if something would be lost: a comment among the tags, or tags that aren't written as a list.
    """
    lines = unify_newlines(document.text).split("\n")
    if "tags" in document.front:
        place = find_value(document, "tags")
        edit = _make_replacing_edit(lines, place, tags) if place is not None else None
    else:
        edit = insert_key(document, lines, f"tags: {write_flow(list(tags))}\n")
    if edit is None:
        return None
    newline = "\r\n" if "\r\n" in document.text else "\n"
    return Fix("Change the tags", (replace(edit, text=edit.text.replace("\n", newline)),))


def _make_replacing_edit(lines: list[str], place: Place, tags: Sequence[str]) -> Edit | None:
    if place.end_line is None or place.end_column is None:
        return None
    written = _read_text_between(lines, place, place.end_line, place.end_column)
    if "#" in written:
        return None
    if written.startswith("["):
        text = write_flow(list(tags))
    elif written.startswith("- "):
        margin = "\n" + " " * (place.column - 1)
        text = margin.join(f"- {write_flow(tag)}" for tag in tags) or " []"  # in column 1 it would be another key
    else:
        return None
    return Edit(place.line, place.column, place.end_line, place.end_column, text)


def _read_text_between(lines: list[str], place: Place, end_line: int, end_column: int) -> str:
    if place.line == end_line:
        return lines[place.line - 1][place.column - 1 : end_column - 1]
    first, last = lines[place.line - 1][place.column - 1 :], lines[end_line - 1][: end_column - 1]
    return "\n".join([first, *lines[place.line : end_line - 1], last])
