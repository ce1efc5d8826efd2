"""The ways a stretch of an outline can be rendered: each choice made one way or the other, each loop run so many times.

A loop inside an item is tried with few rounds. `are_inert` says whether more rounds could change more than a text.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from promptuary.renderer.jinja import Choice, Loop, Outline, Seq, Text, Unknown, Value
from promptuary.renderer.syntax import yaml_reader

__all__ = [
    "LIMIT",
    "Edge",
    "Printed",
    "TooMany",
    "Variant",
    "are_inert",
    "count_variants",
    "list_variants",
    "mark_holes",
    "print_variant",
]

LIMIT = 96
"""A stretch with more ways than this isn't examined."""

_MAX_TEXT = 1_000_000
"""Characters of all ways together; a single way may always be examined."""

Rounds = Literal["none or one", "none or two"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the round of a loop begins or ends; the round represents any number of them."""

    opens: bool


Variant = tuple[str | Value | Unknown | Edge, ...]


class TooMany(Exception):
    """There are too many ways to examine."""


def count_variants(pieces: Iterable[Outline]) -> int:
    """Return the number of ways to render these pieces, each loop run once or not at all."""
    number = 1
    for piece in pieces:
        if isinstance(piece, Choice):
            number *= sum(map(count_variants, piece.branches))
        elif isinstance(piece, Loop):
            number *= count_variants(piece.body) + count_variants(piece.otherwise)
    return number


def list_variants(pieces: Seq, rounds: Rounds = "none or one") -> list[Variant]:
    """Yield every way to render these pieces. Raises TooMany.

    Loops are run once or not at all, with their round between two edges; or twice or not at all, so that anything that
    may follow a round follows the first.
    """
    if count_variants(pieces) > LIMIT:
        raise TooMany
    result: list[Variant] = []
    size = 0
    for variant in _limit_variants(_build_sequences(pieces, rounds)):
        result.append(variant)
        size += sum(len(piece) for piece in variant if isinstance(piece, str))
        if size > _MAX_TEXT and len(result) > 1:
            raise TooMany
    return result


def _limit_variants(many: Iterable[Variant]) -> Iterator[Variant]:
    for number, variant in enumerate(many):
        if number >= LIMIT * 8:
            raise TooMany
        yield variant


def _build_sequences(pieces: Seq, rounds: Rounds) -> Iterator[Variant]:
    ways: list[list[Variant]] = [list(_limit_variants(_build_ways(piece, rounds))) for piece in pieces]
    for combination in product(*ways):
        yield tuple(part for sequence in combination for part in sequence)


def _build_ways(piece: Outline, rounds: Rounds) -> Iterator[Variant]:
    if isinstance(piece, Text):
        yield (piece.text,)
    elif isinstance(piece, Choice):
        for branch in piece.branches:
            yield from _build_sequences(branch, rounds)
    elif isinstance(piece, Loop):
        yield from _build_sequences(piece.otherwise, rounds)
        yield from _build_rounds(piece, rounds)
    else:
        yield (piece,)


def _build_rounds(loop: Loop, rounds: Rounds) -> Iterator[Variant]:
    bodies = list(_limit_variants(_build_sequences(loop.body, rounds)))
    if rounds == "none or one":
        yield from ((Edge(True), *body, Edge(False)) for body in bodies)
    else:
        yield from ((Edge(True), *first, *second, Edge(False)) for first in bodies for second in bodies)


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a variant, with a mark for each value; `spans` are the stretches of its loops, outermost first."""

    text: str
    spans: tuple[tuple[int, int], ...]


def print_variant(variant: Variant, marker: str) -> Printed:
    """Write a variant as text."""
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
    """Whether each loop is inside one text, which further rounds can neither end nor change into something else.

    In a block or a plain text, a round leaves the parser in the state it found. In quotes, it does so if it has no
    quotes of its own.
    """
    return all(_is_inert(text_printed.text, start, end, node) for start, end in text_printed.spans)


def _is_inert(text: str, start: int, end: int, node: yaml_reader.Node | None) -> bool:
    first, last = _find_said_span(text, start, end)
    blank = first == last
    if blank and not _is_aside(text, start, end):
        return False
    for scalar in _find_values(node):
        if scalar.start < last and scalar.start <= first and last <= scalar.end:
            quoted = scalar.style in ("single", "double")
            return not (quoted and any(sign in text[start:end] for sign in "'\"\\"))
    return False


def _find_said_span(text: str, start: int, end: int) -> tuple[int, int]:
    """The span of a round without surrounding white space; if empty, the position after the text before it."""
    core = text[start:end]
    if not core.strip():
        place = len(text[:start].rstrip())
        return place, place
    return start + len(core) - len(core.lstrip()), start + len(core.rstrip())


def _is_aside(text: str, start: int, end: int) -> bool:
    """Whether white space of a round indents nothing: the line ends after it, or began before it and continues."""
    following = text[end:].lstrip(" \t")
    before = text[:start].rpartition("\n")[2]
    return not following or following.startswith("\n") or (bool(before.strip()) and "\n" not in text[start:end])


def _find_values(node: yaml_reader.Node | None) -> Iterator[yaml_reader.Scalar]:
    """Every text that is a value rather than a key."""
    if isinstance(node, yaml_reader.Scalar):
        yield node
    elif isinstance(node, yaml_reader.Sequence):
        for item in node.items:
            yield from _find_values(item)
    elif isinstance(node, yaml_reader.Mapping):
        for pair in node.items:
            yield from _find_values(pair.value)


def mark_holes(text_printed: Printed, marker: str, number: int) -> str:
    """The text with another mark before and after the output of each loop, for the rounds that may be there."""
    places: list[int] = []
    for start, end in text_printed.spans:
        places += _find_said_span(text_printed.text, start, end)
    text, at = "", 0
    for place in sorted(places):
        text += f"{text_printed.text[at:place]}{marker}{number}{marker}"
        number += 1
        at = place
    return text + text_printed.text[at:]
