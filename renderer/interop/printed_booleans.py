"""Printed booleans: Liquid, Handlebars and others print `true`, where Jinja prints `True`."""

from dataclasses import replace

from promptuary.renderer.interop.imported import Difference
from promptuary.renderer.interop.pieces import Piece, Slot, Statement
from promptuary.renderer.interop.placeholders import PlainText

__all__ = ["write_booleans"]

_CONSTANTS = {"true": "true", "false": "false", "none": ""}
_PRINTED = Difference("a value that is true or false is printed as `True` or `False`; there it is `true` or `false`")


def write_booleans(plain: PlainText) -> PlainText:
    """Write printed constants as the source prints them; also return the difference for values of inputs."""
    pieces = tuple(map(_write_constant, plain.pieces))
    notes = (*plain.differences, _PRINTED) if any(map(_may_print_boolean, pieces)) else plain.differences
    return replace(plain, pieces=pieces, differences=notes)


def _write_constant(piece: Piece) -> Piece:
    return _CONSTANTS.get(piece.expression.lower(), piece) if isinstance(piece, Slot) else piece


def _may_print_boolean(piece: Piece) -> bool:
    if isinstance(piece, Slot):
        return not piece.expression.startswith("loop.index")
    return isinstance(piece, Statement) and piece.source.startswith("{{")
