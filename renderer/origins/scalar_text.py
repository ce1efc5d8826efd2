"""Maps the characters of a YAML scalar's value to the text they were parsed from."""

import re
from typing import NamedTuple

from promptuary.renderer.syntax import yaml_reader
from promptuary.renderer.syntax.three_way_merge import split_lines

__all__ = ["Run", "align_scalar", "escape_text", "find_indent"]

_BLANK_RUN = re.compile(r"[ \t]*(?:\n[ \t]*)*")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)", re.DOTALL)


class Run(NamedTuple):
    """Value characters `start` to `end` come from text characters `source_start` to `source_end`.

    With equal lengths they are the same characters; otherwise it is one unit that is written differently, such as an
    escape or a folded line end.
    """

    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def is_verbatim(self) -> bool:
        """Whether each character is written as it reads."""
        return self.end - self.start == self.source_end - self.source_start


def align_scalar(scalar: yaml_reader.Scalar, text: str) -> list[Run] | None:
    """Return the runs of a scalar's value, in order and without gaps; None for an unsupported kind of folding."""
    if scalar.style == "literal":
        return _align_literal(scalar, text)
    return _Aligner(scalar, text).align()


def find_indent(scalar: yaml_reader.Scalar, text: str) -> int:
    """Return the indentation of a block scalar's lines; 0 for other scalars."""
    if scalar.style not in ("literal", "folded"):
        return 0
    header, _, rest = text[scalar.start : scalar.end].partition("\n")
    lines = [line for line in rest.split("\n") if line.strip(" ")]
    if not lines:
        return 0
    if re.search("[1-9]", header.partition("#")[0]):
        # The indicator is relative to the parent; the value's first line shows how much of the white space is text.
        value_line = next((line for line in scalar.value.split("\n") if line.strip(" ")), "")
        return max(0, len(lines[0]) - len(value_line))
    return len(lines[0]) - len(lines[0].lstrip(" "))


def escape_text(text: str, style: str, indent: int) -> str | None:
    """Return the text as written in a scalar of this style, or None if that's impossible."""
    if style == "text":
        return text
    if style == "literal":
        return re.sub(r"\n(?!\n)", "\n" + " " * indent, text)
    if style == "double":
        return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    if "\n" in text:
        return None
    return text.replace("'", "''") if style == "single" else text


def _align_literal(scalar: yaml_reader.Scalar, text: str) -> list[Run] | None:
    """Line by line. A line end includes the indentation after it, so that joining two lines removes both."""
    indent = find_indent(scalar, text)
    runs: list[Run] = []
    at = text.find("\n", scalar.start) + 1
    at += _measure_indentation(text, at, indent)
    position = 0
    for line in split_lines(scalar.value):
        words = line.rstrip("\n")
        if not text.startswith(words, at):
            return None
        if words:
            runs.append(Run(position, position + len(words), at, at + len(words)))
        position, at = position + len(words), at + len(words)
        if line.endswith("\n"):
            if not text.startswith("\n", at):
                return None
            after = at + 1 + _measure_indentation(text, at + 1, indent)
            runs.append(Run(position, position + 1, at, after))
            position, at = position + 1, after
    return runs


def _measure_indentation(text: str, at: int, limit: int) -> int:
    width = 0
    while width < limit and text[at + width : at + width + 1] == " ":
        width += 1
    return width


class _Aligner:
    """Aligns a plain, quoted or folded scalar character by character."""

    def __init__(self, scalar: yaml_reader.Scalar, text: str) -> None:
        self.value, self.style, self.text = scalar.value, scalar.style, text
        self.at = scalar.start
        self.end = scalar.end
        self.runs: list[Run] = []
        if self.style in ("single", "double"):
            self.at, self.end = self.at + 1, self.end - 1
        elif self.style == "folded":
            self.at = text.find("\n", self.at) + 1
            self.at += _measure_indentation(text, self.at, find_indent(scalar, text))

    def align(self) -> list[Run] | None:
        position = 0
        while position < len(self.value):
            width = self._step(position)
            if not width:
                return None
            position += width
        return self.runs

    def _step(self, position: int) -> int:
        """Add the run of the next value characters. Returns their number, 0 if they aren't understood."""
        text, at = self.text, self.at
        if self.style == "double" and text.startswith("\\", at):
            return self._escape(position)
        if self.style == "single" and text.startswith("''", at):
            return self._add(position, 1, at + 2) if self.value[position] == "'" else 0
        blank = _BLANK_RUN.match(text, at, self.end)
        if blank and "\n" in blank[0]:
            return self._fold(position, blank[0], blank.end())
        if at < self.end and text[at] == self.value[position]:
            return self._add(position, 1, at + 1)
        return 0

    def _escape(self, position: int) -> int:
        match = _ESCAPE.match(self.text, self.at)
        if match is None:
            return 0
        if "\n" in match[0]:  # a line end that isn't text
            self.at = match.end()
            return self._step(position)
        return self._add(position, 1, match.end())

    def _fold(self, position: int, blank: str, after: int) -> int:
        """A folded line end reads as a space; each empty line after it reads as one line end."""
        rest = self.value[position:]
        is_end = after == self.end and not rest.strip("\n")  # the line ends that a block keeps after its last line
        folded = rest if is_end else "\n" * (blank.count("\n") - 1) or " "
        if not self.value.startswith(folded, position):
            return 0
        return self._add(position, len(folded), after)

    def _add(self, position: int, width: int, after: int) -> int:
        last = self.runs[-1] if self.runs else None
        if last and width == 1 and after - self.at == 1 and last.is_verbatim and last.source_end == self.at:
            self.runs[-1] = Run(last.start, position + 1, last.source_start, after)
        else:
            self.runs.append(Run(position, position + width, self.at, after))
        self.at = after
        return width
