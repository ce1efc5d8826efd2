"""What a rendering is made of before it is text: the author's literals and the values printed between them.

The generated code yields an `int` for a literal (its number in the program) and a pair `(site number, value)` for every
`{{ … }}`; nothing else, so a value cannot pass for the author's text. Text captured by macros, set blocks, calls and
`super()` is a `Captured`: a string that reads as its full text and remembers its pieces.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from jinja2.runtime import Undefined
from markupsafe import Markup

from promptuary.renderer.jinja.placeholder import StandIn
from promptuary.renderer.prompt import Mark
from promptuary.renderer.values.printing import Unprintable, add_printable, printed

__all__ = ["Captured", "FragmentText", "Piece", "Unprintable", "Written", "as_text"]

add_printable(Undefined, StandIn)

Piece = Any
"""`int` (a literal), `(int, value)` (a value at a site) or a Captured."""


class Captured(str):
    """Text the author's template made; printing it again keeps its literals apart from its values.

    `cooked` is the text with the author's spellings replaced, for expressions that make another text of it.
    """

    __slots__ = ("cooked", "pieces")
    cooked: str
    pieces: Sequence[Piece]

    def __new__(cls, text: str, pieces: Sequence[Piece], cooked: str | None = None) -> "Captured":
        made = super().__new__(cls, text)
        made.pieces = pieces
        made.cooked = text if cooked is None else cooked
        return made


class Written(str):
    """A text with spellings that the author wrote in an expression; it reads as written and prints as meant (`cooked`)."""

    __slots__ = ("cooked",)
    cooked: str

    def __new__(cls, text: str, cooked: str) -> "Written":
        made = super().__new__(cls, text)
        made.cooked = cooked
        return made


class FragmentText(str):
    """The text of a fragment; it stands in one slot, and its marks say which stretches came from inputs."""

    __slots__ = ("marks",)
    marks: tuple[Mark, ...]

    def __new__(cls, text: str, marks: Iterable[Mark]) -> "FragmentText":
        made = super().__new__(cls, text)
        made.marks = tuple(marks)
        return made


def as_text(value: Any) -> str:
    """The text a value prints as: plain JSON values as Jinja prints them. Raises Unprintable, LimitError, or Jinja's UndefinedError."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]  # mypy does not narrow by type()
    if kind is Written:
        return value.cooked  # type: ignore[no-any-return]  # mypy does not narrow by type()
    if kind in (Captured, FragmentText, Markup):
        return str.__str__(value)
    if isinstance(value, str):
        return str.__str__(value)
    return printed(value)
