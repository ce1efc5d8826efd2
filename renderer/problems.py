"""Problems of a document: code, severity, message, place, and the edits that fix it."""

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Edit", "Fix", "Lines", "Place", "Problem", "Severity", "select_errors", "unify_newlines"]

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Place:
    """A range of the document: 1-based lines and columns, counted in code points; the end is exclusive."""

    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None


def unify_newlines(text: str) -> str:
    """Convert CRLF and lone CR to LF: documents keep their newlines in storage and render with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Lines:
    """Places in a text with LF newlines. `first_line` is the document's line at which the text starts."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.first_line = first_line
        self.length = len(text)
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)

    def position(self, index: int) -> tuple[int, int]:
        """Return the (line, column) of an offset, both 1-based; offsets outside the text are clamped to its ends."""
        index = max(0, min(index, self.length))
        row = bisect_right(self.starts, index) - 1
        return self.first_line + row, index - self.starts[row] + 1

    def place(self, start: int, end: int | None = None) -> Place:
        line, column = self.position(start)
        if end is None:
            return Place(line, column)
        return Place(line, column, *self.position(end))


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text from (line, column) up to (end_line, end_column) by `text`."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "text": self.text,
        }


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix that can be applied with one click: its title and its non-overlapping edits."""

    title: str
    edits: tuple[Edit, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "edits": [edit.to_dict() for edit in self.edits]}


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding. Only those of severity `error` prevent a document from being saved or rendered.

    `line` and `column` are 1-based and count code points of the whole document, including the front matter.
    """

    code: str
    severity: Severity
    message: str
    line: int = 1
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None
    fix: Fix | None = None
    variable: str | None = None
    sample: str | None = None
    details: dict[str, Any] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form used by the API, the editor and the command line."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "fix": self.fix.to_dict() if self.fix else None,
            "variable": self.variable,
            "sample": self.sample,
        }

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> "Problem":
        """Rebuild a problem from `to_dict()`."""
        fix = value.get("fix")
        fields = {key: item for key, item in value.items() if key in _FIELDS and key != "fix"}
        cure = Fix(fix["title"], tuple(Edit(**edit) for edit in fix["edits"])) if fix else None
        return cls(**fields, fix=cure)


_FIELDS = frozenset("code severity message line column end_line end_column fix variable sample".split())


def select_errors(problems: list[Problem]) -> list[Problem]:
    """Return the errors among `problems`."""
    return [problem for problem in problems if problem.severity == "error"]
