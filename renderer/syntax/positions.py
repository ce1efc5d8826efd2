"""From offsets to lines and columns, and the one way newlines are read."""

from bisect import bisect_right

from promptuary.renderer.problems import Place

__all__ = ["Lines", "unify_newlines"]


def unify_newlines(text: str) -> str:
    """CRLF and lone CR become LF: documents keep their newlines in storage and render as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


class Lines:
    """Places in a text whose newlines are LF. `first_line` is the line that the text's start has in its document."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.first_line = first_line
        self.length = len(text)
        self.starts = [0]
        at = text.find("\n")
        while at >= 0:
            self.starts.append(at + 1)
            at = text.find("\n", at + 1)

    def position(self, index: int) -> tuple[int, int]:
        """(line, column) of an offset, both 1-based; offsets outside the text are drawn to its ends."""
        index = max(0, min(index, self.length))
        row = bisect_right(self.starts, index) - 1
        return self.first_line + row, index - self.starts[row] + 1

    def place(self, start: int, end: int | None = None) -> Place:
        line, column = self.position(start)
        if end is None:
            return Place(line, column)
        return Place(line, column, *self.position(end))
