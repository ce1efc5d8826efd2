"""Where lines of one text stand in another: keeps threads and suggestions on what they were about."""

from difflib import SequenceMatcher

from registry.review.merging import split

__all__ = ["find_lines", "replace_lines", "take_lines"]


def take_lines(text: str, line: int, end_line: int) -> str | None:
    """Lines `line` to `end_line`, 1-based and included, or None where the text does not have them."""
    lines = split(text)
    return "".join(lines[line - 1 : end_line]) if 1 <= line <= end_line <= len(lines) else None


def find_lines(before: str, after: str, line: int, end_line: int) -> tuple[int, int] | None:
    """Where these lines of `before` stand in `after`, or None where any of them was changed or they were parted."""
    for block in SequenceMatcher(None, split(before), split(after), autojunk=False).get_matching_blocks():
        if block.a < line and end_line <= block.a + block.size:
            shift = block.b - block.a
            return line + shift, end_line + shift
    return None


def replace_lines(text: str, edits: list[tuple[int, int, str]]) -> str:
    """The text with each (line, end_line, new text) put in place, with the line ends that were
    there; the edits do not overlap."""
    lines = split(text)
    for line, end_line, new in sorted(edits, reverse=True):
        is_last = end_line == len(lines)
        whole = new if not new or new.endswith("\n") or is_last else new + "\n"
        if lines[line - 1].endswith("\r\n"):
            whole = whole.replace("\r\n", "\n").replace("\n", "\r\n")
        lines[line - 1 : end_line] = [whole]
    return "".join(lines)
