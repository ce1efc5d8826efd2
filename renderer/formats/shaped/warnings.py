"""Warnings, with fixes, about spellings in shaped documents that may not mean what they seem to."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.formats.shaped.parser import Field, Text
from promptuary.renderer.problems import Edit, Fix, Place, Problem

__all__ = ["find_doubled_braces", "find_doubtful_backslashes", "find_old_variables", "make_fix"]

_OLD_VARIABLE = re.compile(r"(?<!\$)\$([A-Za-z_]\w*)", re.ASCII)
_PATH = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\[^\s{}]*|(?<=\w)\\[nrt](?=[a-z])")


def find_old_variables(document: Document, pieces: Sequence[Text | Field]) -> Iterable[Problem]:
    """Find `$name` in the text: the spelling of variables before Haystack 1.15."""
    inputs = document.inputs or {}
    only_text = not any(isinstance(piece, Field) for piece in pieces)
    for piece in pieces:
        if isinstance(piece, Text):
            for match in _OLD_VARIABLE.finditer(document.body, piece.start, piece.end):
                sure = match[1] in inputs or (only_text and not inputs)
                place = document.body_place(match.start(), match.end())
                rewritten = "{" + match[1] + "}"
                yield _build_problem(
                    "PT905",
                    "error" if sure else "warning",
                    f"`{match[0]}` is the old way to write a variable and stays text here; if you mean the text, "
                    f"write `{{'{match[0]}'}}`",
                    place,
                    make_fix(place, (f"Write `{rewritten}`", rewritten)),
                )


_DOUBLED = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")


def find_doubled_braces(document: Document, pieces: Sequence[Text | Field]) -> Iterable[Problem]:
    """Find `{{ name }}` around a declared input: a variable in Jinja, but text with braces here."""
    for piece in pieces:
        if isinstance(piece, Text):
            for match in _DOUBLED.finditer(document.body, piece.start, piece.end):
                if match[1] in (document.inputs or {}):
                    place = document.body_place(match.start(), match.end())
                    yield _build_problem(
                        "PT907",
                        "warning",
                        f"`{match[0]}` is text with braces here; a value is written in single ones",
                        place,
                        make_fix(place, (f"Write `{{{match[1]}}}`", f"{{{match[1]}}}")),
                    )


def find_doubtful_backslashes(document: Document, pieces: Sequence[Text | Field]) -> Iterable[Problem]:
    """Find backslashes that look like part of a path but are read as line breaks and tabs."""
    for piece in pieces:
        if isinstance(piece, Text):
            for match in _PATH.finditer(document.body, piece.start, piece.end):
                escaped = re.sub(r"(?<!\\)\\(?=[nrt])", r"\\\\", match[0])
                if escaped != match[0]:
                    place = document.body_place(match.start(), match.end())
                    yield _build_problem(
                        "PT906",
                        "warning",
                        (
                            "a backslash before n, r or t stands for a line break or a tab; double it if you mean "
                            "the backslash"
                        ),
                        place,
                        make_fix(place, ("Double the backslashes", escaped)),
                    )


def _build_problem(code: str, severity: Any, message: str, place: Place, fix: Fix | None) -> Problem:
    return Problem(code, severity, message, place.line, place.column, place.end_line, place.end_column, fix)


def make_fix(place: Place, cure: tuple[str, str] | None) -> Fix | None:
    """Make a fix for that place from `cure`, its title and the replacement text."""
    if cure is None or place.end_line is None or place.end_column is None:
        return None
    return Fix(cure[0], (Edit(place.line, place.column, place.end_line, place.end_column, cure[1]),))
