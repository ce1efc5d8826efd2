"""The author's line on which a killed rendering was: from its notes and its stack, else a best guess."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any

from promptuary.renderer.document import parser as documents
from promptuary.renderer.problems import Place

__all__ = ["find_blamed_place"]

_FRAME = re.compile(r'File "([^"]*)", line (\d+) in (.*)')
_SCHEMA_WORK = ("jsonschema", "/re/", "sre_", "referencing")
# What makes much work from little text, worst first.
_HEAVY = (
    r"\*\*",
    r"range\s*\([^)]*\d{4,}",
    r"\*\s*\d{5,}",
    r"\{%-?\s*for\b[^%]*\brecursive\b",
    r"\{%-?\s*(?:macro|call)\b",
    r"\{%-?\s*for\b",
    r"\d{6,}",
    r"\{\{",
)


def find_blamed_place(text: str, notes: Iterable[dict[str, Any]], stack: str) -> Place:
    """Return the place in a document's text that was being processed when the rendering was stopped.

    `stack` is a stack dump by `faulthandler`, innermost frame first.
    """
    places = list(notes)
    frames = [(name, int(line)) for name, line, _ in _FRAME.findall(stack)]
    line = _find_template_line(places, frames)
    if line is None and any(part in name for name, _ in frames for part in _SCHEMA_WORK):
        line = _find_pattern_line(text)
    return _place(text, line or _find_heaviest_line(text))


def _find_template_line(notes: list[dict[str, Any]], frames: list[tuple[str, int]]) -> int | None:
    maps = {note["file"]: note["lines"] for note in notes if "file" in note}
    for name, code_line in frames:
        lines = maps.get(name)
        if lines:
            at = bisect_right([pair[0] for pair in lines], code_line) - 1
            return int(lines[max(at, 0)][1])
    return None


def _find_pattern_line(text: str) -> int | None:
    """The line of the first regular expression in the declared inputs."""
    document, _ = documents.inspect_document(text)
    places = document.places if document else {}
    pattern_lines = [
        path for path in places if path[-1] in ("pattern", "patternProperties") and path[0] in ("inputs", "output")
    ]
    return min((places[path].line for path in pattern_lines), default=None)


def _find_heaviest_line(text: str) -> int:
    for pattern in _HEAVY:
        hit = re.search(pattern, text)
        if hit:
            return text.count("\n", 0, hit.start()) + 1
    return 1


def _place(text: str, line: int) -> Place:
    lines = text.split("\n")
    content = lines[line - 1] if line <= len(lines) else ""
    start = len(content) - len(content.lstrip())
    return Place(line, start + 1, line, len(content.rstrip("\r")) + 1)
