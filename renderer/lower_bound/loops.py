"""Loops inside an item: whether their rounds are text and nothing else, so that any number of them reads alike."""

from collections.abc import Iterator
from dataclasses import dataclass

from promptuary.renderer.jinja import Value
from promptuary.renderer.lower_bound.variants import Edge, Variant
from promptuary.renderer.syntax import yaml_reader

__all__ = ["Printed", "are_inert", "hole_marks", "printed"]


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a variant, a mark for each value; `spans` are the stretches of its loops, from the outermost in."""

    text: str
    spans: tuple[tuple[int, int], ...]


def printed(variant: Variant, marker: str) -> Printed:
    """Write a variant out."""
    text, values = "", 0
    open_loops: list[int] = []
    spans: list[tuple[int, int]] = []
    for piece in variant:
        if isinstance(piece, str):
            text += piece
        elif isinstance(piece, Value):
            text += f"{marker}{values}{marker}"
            values += 1
        elif isinstance(piece, Edge) and piece.opens:
            open_loops.append(len(text))
        elif isinstance(piece, Edge):
            spans.append((open_loops.pop(), len(text)))
    return Printed(text, tuple(span for span in spans if span[0] < span[1]))


def are_inert(text_printed: Printed, node: yaml_reader.Node | None) -> bool:
    """Whether each loop is inside one text, which further rounds can neither end nor turn into something else.

    In a block or a plain text a round leaves the reader where it found it. In quotes, it does so without quotes of its
    own.
    """
    return all(_is_inert(text_printed.text, start, end, node) for start, end in text_printed.spans)


def _is_inert(text: str, start: int, end: int, node: yaml_reader.Node | None) -> bool:
    first, last = _said(text, start, end)
    blank = first == last
    if blank and not _is_aside(text, start, end):
        return False
    for scalar in _values(node):
        if scalar.start < last and scalar.start <= first and last <= scalar.end:
            quoted = scalar.style in ("single", "double")
            return not (quoted and any(sign in text[start:end] for sign in "'\"\\"))
    return False


def _said(text: str, start: int, end: int) -> tuple[int, int]:
    """What a round says without the white space around it; where it says nothing, the place after the text before
    it.
    """
    core = text[start:end]
    if not core.strip():
        place = len(text[:start].rstrip())
        return place, place
    return start + len(core) - len(core.lstrip()), start + len(core.rstrip())


def _is_aside(text: str, start: int, end: int) -> bool:
    """Whether white space of a round indents nothing: the line ends after it, or began before it and goes on."""
    following = text[end:].lstrip(" \t")
    before = text[:start].rpartition("\n")[2]
    return not following or following.startswith("\n") or (bool(before.strip()) and "\n" not in text[start:end])


def _values(node: yaml_reader.Node | None) -> Iterator[yaml_reader.Scalar]:
    """Every text that is a value, no key."""
    if isinstance(node, yaml_reader.Scalar):
        yield node
    elif isinstance(node, yaml_reader.Sequence):
        for item in node.items:
            yield from _values(item)
    elif isinstance(node, yaml_reader.Mapping):
        for pair in node.items:
            yield from _values(pair.value)


def hole_marks(text_printed: Printed, marker: str, number: int) -> str:
    """The text with a further mark before and after what each loop says, for the rounds that may be there."""
    places: list[int] = []
    for start, end in text_printed.spans:
        places += _said(text_printed.text, start, end)
    text, at = "", 0
    for place in sorted(places):
        text += f"{text_printed.text[at:place]}{marker}{number}{marker}"
        number += 1
        at = place
    return text + text_printed.text[at:]
