"""Line anchors: the position of one text's lines in another, so that threads and suggestions keep their place."""

from bisect import bisect_right

from promptuary.renderer.syntax import sequence_diff
from promptuary.renderer.syntax.three_way_merge import split_lines

__all__ = ["Anchors", "replace_lines", "take_lines"]


class Anchors:
    """The position of one text's lines in another: compared once, queried for any number of ranges."""

    def __init__(self, before: str, after: str) -> None:
        self._runs = sequence_diff.find_matches(split_lines(before), split_lines(after))
        self._starts = [run.old for run in self._runs]

    def find(self, line: int, end_line: int) -> tuple[int, int] | None:
        """Where lines `line` to `end_line` (1-based, inclusive) of the first text are in the second one.

        None if any of them changed or they were separated.
        """
        place = bisect_right(self._starts, line - 1) - 1
        if place < 0:
            return None
        run = self._runs[place]
        if end_line > run.old + run.size:
            return None
        shift = run.new - run.old
        return line + shift, end_line + shift


def take_lines(text: str, line: int, end_line: int) -> str | None:
    """Lines `line` to `end_line`, 1-based and inclusive, or None if the text does not have them."""
    lines = split_lines(text)
    return "".join(lines[line - 1 : end_line]) if 1 <= line <= end_line <= len(lines) else None


def replace_lines(text: str, edits: list[tuple[int, int, str]]) -> str:
    """Apply each (line, end_line, new text) to the text, keeping its line endings; the edits must not overlap."""
    lines = split_lines(text)
    for line, end_line, new in sorted(edits, reverse=True):
        is_last = end_line == len(lines)
        whole = new if not new or new.endswith("\n") or is_last else new + "\n"
        if lines[line - 1].endswith("\r\n"):
            whole = whole.replace("\r\n", "\n").replace("\n", "\r\n")
        lines[line - 1 : end_line] = [whole]
    return "".join(lines)
