"""Slots in an instruction: `{name}`, where a name is letters, digits and `_`; `{{` … `}}` are braces.

A text is parsed once and filled in one pass, so a value that looks like a slot is left alone.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["Piece", "Slot", "fill_slots", "list_slot_names", "read_slots"]


class Slot(NamedTuple):
    """A slot, and its offset in the text."""

    name: str
    start: int


Piece = str | Slot

_SIGN = re.compile(r"\{\{|\{(\w+)\}|\}\}")


def read_slots(text: str) -> tuple[Piece, ...]:
    """Parse a text into literals and slots.

    A `{{` and its closing `}}` become single braces, so `{{name}}` is the text `{name}`. Unpaired double braces, and
    single ones around anything but a name, stay as they are, since an instruction may contain JSON.
    """
    signs = list(_SIGN.finditer(text))
    pairs = _find_paired_braces(signs)
    pieces: list[Piece] = []
    literal, end = "", 0
    for sign in signs:
        literal += text[end : sign.start()]
        end = sign.end()
        if sign[1] is None:
            literal += sign[0][0] if sign.start() in pairs else sign[0]
            continue
        pieces.extend([literal] if literal else [])
        pieces.append(Slot(sign[1], sign.start()))
        literal = ""
    literal += text[end:]
    return (*pieces, literal) if literal else tuple(pieces)


def _find_paired_braces(signs: Sequence[re.Match[str]]) -> set[int]:
    """The offsets of paired double braces."""
    openings: list[int] = []
    pairs: set[int] = set()
    for sign in signs:
        if sign[0] == "{{":
            openings.append(sign.start())
        elif sign[0] == "}}" and openings:
            pairs.update((openings.pop(), sign.start()))
    return pairs


def list_slot_names(pieces: Sequence[Piece]) -> list[str]:
    """Return the unique names of the slots, in the order of the text."""
    return list(dict.fromkeys(piece.name for piece in pieces if isinstance(piece, Slot)))


def fill_slots(pieces: Sequence[Piece], values: Mapping[str, str]) -> str:
    """Return the text with each slot's value in its place."""
    return "".join(values[piece.name] if isinstance(piece, Slot) else piece for piece in pieces)
