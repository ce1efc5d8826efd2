"""The result of editing rendered lines: the corresponding edit of the document, or why there is none."""

import re
from dataclasses import dataclass
from typing import Any, Literal

from promptuary.renderer.part import Mark
from promptuary.renderer.syntax.three_way_merge import split_lines

__all__ = ["EditRefusal", "LineEdit", "Reason", "RefusedEdit", "find_line_edit", "refuse_value"]

Reason = Literal["input", "fragment", "repeated", "untraced", "shortened", "elsewhere", "unfaithful", "broken", "same"]


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines `line` to `end_line` of the document (1-based, inclusive) become `text`; an empty text removes them."""

    line: int
    end_line: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {"line": self.line, "end_line": self.end_line, "text": self.text}


@dataclass(frozen=True, slots=True)
class RefusedEdit:
    """The reason why rendered lines can't be edited in the document.

    `line` is the document's line that it refers to, or None. `source` is the expression that printed the text, or the
    fragment's reference. `count` is how often a literal is printed.
    """

    reason: Reason
    line: int | None = None
    source: str = ""
    count: int = 0

    def to_dict(self) -> dict[str, Any]:
        return {"reason": self.reason, "line": self.line, "source": self.source, "count": self.count}


class EditRefusal(Exception):
    """Raised during planning to refuse an edit."""

    def __init__(self, refused: RefusedEdit) -> None:
        super().__init__(refused.reason)
        self.refused = refused


def find_line_edit(before: str, after: str) -> LineEdit:
    """Return the lines that differ, as one edit of whole lines, at least one of them existing."""
    old, new = split_lines(before), split_lines(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    stop = len(old) - end
    if start == stop:  # lines are only added: include the one before or after
        start, stop = (start - 1, stop) if start else (start, stop + 1)
    text = "".join(new[start : len(new) - (len(old) - stop)])
    bare = text.removesuffix("\n")
    return LineEdit(start + 1, stop, bare if bare or not text else text)


def refuse_value(mark: Mark) -> RefusedEdit:
    """Refuse to edit text that was printed by a value or a fragment."""
    site = mark.site
    if site.kind == "fragment":
        match = re.search(r"""["']([^"']+)["']""", site.expression)
        return RefusedEdit("fragment", site.line, match[1] if match else site.expression)
    return RefusedEdit("input", site.line, site.expression)
