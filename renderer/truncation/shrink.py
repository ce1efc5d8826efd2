"""Shortening a part's text to a number of tokens, at its start, middle or end."""

from collections.abc import Callable
from dataclasses import replace

from promptuary.renderer.part import Mark, Part
from promptuary.renderer.tokens.base import Tokenizer

__all__ = ["GAP", "shorten_part"]

GAP = " … "
"""Marks where the middle of a text was removed, so that its two ends don't run together."""


def shorten_part(part: Part, tokens: int, tokenizer: Tokenizer) -> Part:
    """Return the part with its text cut to at most `tokens` tokens, as closely as cutting between tokens allows.

    `shrink` is what to remove: `start` keeps the end of the text, `end` its start, `middle` both ends with a GAP
    between.
    """
    text = part.content if isinstance(part.content, str) else ""
    boundaries = [0, *tokenizer.find_boundaries(text)]
    if part.shrink == "end":
        keep = _find_most(len(boundaries) - 1, lambda count: tokenizer.count(text[: boundaries[count]]) <= tokens)
        start, end = boundaries[keep], len(text)
    elif part.shrink == "start":
        keep = _find_most(len(boundaries) - 1, lambda count: tokenizer.count(text[boundaries[-1 - count] :]) <= tokens)
        start, end = 0, boundaries[-1 - keep]
    else:
        keep = _find_most(
            len(boundaries) - 1, lambda count: tokenizer.count(_remove_middle(text, boundaries, count)) <= tokens
        )
        start, end = _find_middle(boundaries, keep)
    gap = GAP if part.shrink == "middle" and 0 < start < end else ""
    content = text[:start] + gap + text[end:]
    return replace(
        part,
        content=content,
        token_count=tokenizer.count(content),
        marks=_move_marks(part.marks, start, end, len(gap)),
        input_tokens=None,
    )


def _find_most(highest: int, fits: Callable[[int], bool]) -> int:
    """The largest count that fits, found by bisection; 0 always fits."""
    low, high = 0, highest
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _find_middle(boundaries: list[int], keep: int) -> tuple[int, int]:
    """The range to remove so that `keep` pieces stay, the larger half of them at the start."""
    first = (keep + 1) // 2
    return boundaries[first], boundaries[len(boundaries) - 1 - (keep - first)]


def _remove_middle(text: str, boundaries: list[int], keep: int) -> str:
    start, end = _find_middle(boundaries, keep)
    return text[:start] + GAP + text[end:]


def _move_marks(marks: tuple[Mark, ...], start: int, end: int, gap: int) -> tuple[Mark, ...]:
    """The marks after text[start:end] was replaced by a gap; marks inside that range are dropped."""

    def at(offset: int) -> int:
        if offset <= start:
            return offset
        return start if offset < end else offset - (end - start) + gap

    shifted = (Mark(at(mark.start), at(mark.end), mark.site) for mark in marks)
    return tuple(mark for mark in shifted if mark.start < mark.end)
