"""The ways a stretch of an outline can come out: each choice made one way or the other, each loop run so many times."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from promptuary.renderer.jinja import Choice, Loop, Outline, Seq, Text, Unknown, Value

__all__ = ["MOST", "Edge", "TooMany", "Variant", "count", "variants"]

MOST = 96
"""Beyond so many ways a stretch is not looked at."""

_MOST_TEXT = 1_000_000
"""Characters of all ways together; one way alone may always be looked at."""

Rounds = Literal["none or one", "none or two"]


@dataclass(frozen=True, slots=True)
class Edge:
    """Where the round of a loop begins or ends, which stands for all rounds there may be."""

    opens: bool


Variant = tuple[str | Value | Unknown | Edge, ...]


class TooMany(Exception):
    """There are more ways than can be looked at."""


def count(pieces: Iterable[Outline]) -> int:
    """In how many ways these pieces can come out, each loop run once or not at all."""
    number = 1
    for piece in pieces:
        if isinstance(piece, Choice):
            number *= sum(map(count, piece.branches))
        elif isinstance(piece, Loop):
            number *= count(piece.body) + count(piece.otherwise)
    return number


def variants(pieces: Seq, rounds: Rounds = "none or one") -> list[Variant]:
    """Every way in which these pieces can come out. Raises TooMany.

    Loops are run once or not at all, their round between two edges; or twice or not at all, so that whatever may follow
    on a round follows on the first.
    """
    if count(pieces) > MOST:
        raise TooMany
    result: list[Variant] = []
    size = 0
    for variant in _bounded(_sequences(pieces, rounds)):
        result.append(variant)
        size += sum(len(piece) for piece in variant if isinstance(piece, str))
        if size > _MOST_TEXT and len(result) > 1:
            raise TooMany
    return result


def _bounded(many: Iterable[Variant]) -> Iterator[Variant]:
    for number, variant in enumerate(many):
        if number >= MOST * 8:
            raise TooMany
        yield variant


def _sequences(pieces: Seq, rounds: Rounds) -> Iterator[Variant]:
    ways: list[list[Variant]] = [list(_bounded(_ways(piece, rounds))) for piece in pieces]
    for combination in product(*ways):
        yield tuple(part for sequence in combination for part in sequence)


def _ways(piece: Outline, rounds: Rounds) -> Iterator[Variant]:
    if isinstance(piece, Text):
        yield (piece.text,)
    elif isinstance(piece, Choice):
        for branch in piece.branches:
            yield from _sequences(branch, rounds)
    elif isinstance(piece, Loop):
        yield from _sequences(piece.otherwise, rounds)
        yield from _rounds(piece, rounds)
    else:
        yield (piece,)


def _rounds(loop: Loop, rounds: Rounds) -> Iterator[Variant]:
    bodies = list(_bounded(_sequences(loop.body, rounds)))
    if rounds == "none or one":
        yield from ((Edge(True), *body, Edge(False)) for body in bodies)
    else:
        yield from ((Edge(True), *first, *second, Edge(False)) for first in bodies for second in bodies)
