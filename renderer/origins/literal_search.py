"""Search for the author's text of a rendered line in documents without origins.

Formats `shaped` and `prompter` don't record where their literals are. A place found here is a guess, by the same words:
callers render the edited document and compare.
"""

from collections.abc import Iterator, Sequence

from promptuary.renderer.part import Mark

__all__ = ["Replacement", "find_replacements"]

Replacement = tuple[int, int, str]
"""Start and end offset in the document, and the replacement text."""

_MAX_PLACES = 16


def find_replacements(
    document: str, body_start: int, content: str, marks: Sequence[Mark], change: Replacement
) -> list[Replacement]:
    """Return candidate edits of the document for a change of a content, one per place with the same words around it.

    change: characters of the content, none of them from a value, and their replacement. The words are those of the line
    between its neighbouring values. Added lines may be indented like the place.
    """
    start, end, new = change
    left = max([content.rfind("\n", 0, start) + 1, *(mark.end for mark in marks if mark.end <= start)])
    line_end = content.find("\n", end)
    right = min([len(content) if line_end < 0 else line_end, *(mark.start for mark in marks if mark.start >= end)])
    words = content[left:right]
    if not words.strip() and start == end > 0 and content[start - 1] == "\n" and new.endswith("\n"):
        # Inserting lines before an empty line is the same as inserting them after the one before it.
        return find_replacements(document, body_start, content, marks, (start - 1, start - 1, f"\n{new[:-1]}"))
    replacements: list[Replacement] = []
    for place in _find_places(document, body_start, words) if words.strip() else ():
        at = place + start - left
        for text in dict.fromkeys((new, new.replace("\n", "\n" + _read_indent(document, at)))):
            replacements.append((at, at + end - start, text))
    return replacements


def _find_places(document: str, body_start: int, words: str) -> Iterator[int]:
    at = document.find(words, body_start)
    count = 0
    while at >= 0 and count < _MAX_PLACES:
        yield at
        count += 1
        at = document.find(words, at + 1)


def _read_indent(document: str, at: int) -> str:
    """The indentation of the document's line."""
    line = document[document.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]
