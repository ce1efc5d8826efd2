"""The result of an edit of rendered lines: the edit of the document's lines, or why there is none."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from promptuary.renderer.part import Mark
from promptuary.renderer.syntax.three_way_merge import split_lines

__all__ = ["EditRefusal", "LineEdit", "Reason", "RefusedEdit", "find_line_edit", "refuse_value"]

Reason = Literal["input", "fragment", "repeated", "untraced", "shortened", "elsewhere", "unfaithful", "broken", "same"]


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines `line` to `end_line` of the document (1-based, included) become `text`; an empty text removes them."""

    line: int
    end_line: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {"line": self.line, "end_line": self.end_line, "text": self.text}


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """Why rendered lines can't be edited in the document.

    `line` is the document's line that it is about, or None. `source` is the expression that printed the text, or the
    fragment's reference. `count` is how often a literal is printed.
    """

    reason: Reason
    line: int | None = None
    source: str = ""
    count: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"reason": self.reason, "line": self.line, "source": self.source, "count": self.count}


class EditRefusal(Exception):
    """Carries why an edit is refused out of the planning."""

    def __init__(self, refused: RefusedEdit) -> None:
        super().__init__(refused.reason)
        self.refused = refused


def find_line_edit(before: str, after: str) -> LineEdit:
    """The lines that differ, as one edit of whole lines; at least one line of the document before is named."""
    old, new = split_lines(before), split_lines(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    stop = len(old) - end
    if start == stop:  # lines are added only: the one before them, or after, is named too
        start, stop = (start - 1, stop) if start else (start, stop + 1)
    text = "".join(new[start : len(new) - (len(old) - stop)])
    bare = text.removesuffix("\n")
    return LineEdit(start + 1, stop, bare if bare or not text else text)


def refuse_value(mark: Mark) -> RefusedEdit:
    """Why text can't be edited that a value or a fragment printed."""
    site = mark.site
    if site.kind == "fragment":
        match = re.search(r"""["']([^"']+)["']""", site.expression)
        return RefusedEdit("fragment", site.line, match[1] if match else site.expression)
    return RefusedEdit("input", site.line, site.expression)
