"""Where the author's text of a rendered line may be written in a document whose text is not followed back.

Formats `shaped` and `prompter` keep no place of their literals. A place found here is a guess, by the same words:
whoever takes one renders the edited document and compares.
"""

from collections.abc import Iterator, Sequence

from promptuary.renderer.part import Mark

__all__ = ["Replacement", "find_replacements"]

Replacement = tuple[int, int, str]
"""Characters from, to (of the document), and the text that they become."""

_MOST_PLACES = 16


def find_replacements(
    document: str, body_start: int, content: str, marks: Sequence[Mark], change: Replacement
) -> list[Replacement]:
    """What the change of a content may be in the document, one for each place that has the words around it.

    change: characters of the content, none of them of a value, and what they become. The words are those of the line
    between the values beside them. Where lines are added and the place is indented, they may be indented as it is.
    """
    start, end, new = change
    left = max([content.rfind("\n", 0, start) + 1, *(mark.end for mark in marks if mark.end <= start)])
    line_end = content.find("\n", end)
    right = min([len(content) if line_end < 0 else line_end, *(mark.start for mark in marks if mark.start >= end)])
    words = content[left:right]
    if not words.strip() and start == end > 0 and content[start - 1] == "\n" and new.endswith("\n"):
        # Lines before an empty one are the same as lines after the one before it.
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
    while at >= 0 and count < _MOST_PLACES:
        yield at
        count += 1
        at = document.find(words, at + 1)


def _read_indent(document: str, at: int) -> str:
    """The white space that the line of the document begins with."""
    line = document[document.rfind("\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]
