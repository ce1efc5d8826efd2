"""The output of a rendering before it becomes text: the author's literals and the values between them.

The generated code yields an `int` for a literal (its number in the program) and a pair `(site number, value)` for every
`{{ … }}`, so a value can't be mistaken for the author's text. Text captured by macros, set blocks, calls and
`super()` is a `Captured`: a string with the full text that also keeps its pieces.

The author's escapes - a kept space, line ends - may also be in expressions: a string constant such as `"<|space|>"` or
`'\\\\n'` and text that the template made itself keep what they mean through names, `~`, `+` and the filters that only
move text about; data never mean anything but themselves.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import wraps
from typing import Any

from jinja2.runtime import Undefined
from markupsafe import Markup

from promptuary.renderer.jinja.placeholder import StandIn
from promptuary.renderer.part import Mark
from promptuary.renderer.values.printing import Unprintable, add_printable, check_sizes, print_value

__all__ = [
    "CapturedText",
    "FragmentText",
    "Piece",
    "Unprintable",
    "WrittenText",
    "convert_to_text",
    "join_values",
    "keeps_escapes",
]

add_printable(Undefined, StandIn)

Piece = Any
"""`int` (a literal), `(int, value)` (a value at a site) or a Captured."""


class CapturedText(str):
    """Text made by the author's template; printing it keeps its literals separate from its values.

    `cooked` is the text with the author's escapes replaced, for expressions that build another text from it.
    """

    __slots__ = ("cooked", "pieces")
    cooked: str
    pieces: Sequence[Piece]

    def __new__(cls, text: str, pieces: Sequence[Piece], cooked: str | None = None) -> "CapturedText":
        text_object = super().__new__(cls, text)
        text_object.pieces = pieces
        text_object.cooked = text if cooked is None else cooked
        return text_object


class WrittenText(str):
    """A text with escapes from an expression of the author's; a string of the raw text that prints as `cooked`."""

    __slots__ = ("cooked",)
    cooked: str

    def __new__(cls, text: str, cooked: str) -> "WrittenText":
        text_object = super().__new__(cls, text)
        text_object.cooked = cooked
        return text_object


class FragmentText(str):
    """The text of a fragment. It fills one slot, and its marks are the stretches that came from inputs."""

    __slots__ = ("marks",)
    marks: tuple[Mark, ...]

    def __new__(cls, text: str, marks: Iterable[Mark]) -> "FragmentText":
        text_object = super().__new__(cls, text)
        text_object.marks = tuple(marks)
        return text_object


def convert_to_text(value: Any) -> str:
    """Return a value's text, plain JSON values as Jinja prints them. Raises Unprintable, LimitError, UndefinedError."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]  # mypy does not narrow by type()
    if kind is WrittenText:
        return value.cooked  # type: ignore[no-any-return]  # mypy does not narrow by type()
    if kind in (CapturedText, FragmentText, Markup):
        return str.__str__(value)
    if isinstance(value, str):
        return str.__str__(value)
    return print_value(value)


def _is_ours(value: Any) -> bool:
    return type(value) is WrittenText or type(value) is CapturedText


def _is_spelled(value: Any) -> bool:
    return _is_ours(value) or (type(value) is list and any(map(_is_ours, value)))


def _unescape_value(value: Any) -> Any:
    """The value with escapes replaced, also inside a list of texts."""
    if _is_ours(value):
        return value.cooked
    if type(value) is list:
        return [_unescape_value(item) for item in value]
    return value


def _keep_meaning(text: Any, text_meant: Any) -> Any:
    return (
        WrittenText(text, text_meant)
        if isinstance(text, str) and type(text_meant) is str and text_meant != text
        else text
    )


def join_values(values: Iterable[Any]) -> str:
    """The `~` operator: concatenate the texts of all values."""
    texts = [value if isinstance(value, str) else convert_to_text(value) for value in values]
    check_sizes(map(len, texts))
    text = "".join(texts)
    return _keep_meaning(text, "".join(map(_unescape_value, texts))) if any(map(_is_ours, texts)) else text


def keeps_escapes(call: Callable[..., Any], positions: Container[int | str] = (0,)) -> Callable[..., Any]:
    """Make an operation keep the meaning of escapes in the operands that it moves, by position or name.

    Operands that it only searches for, such as the first argument of `replace`, are taken literally.
    """

    @wraps(call)
    def keep_escapes(*operands: Any, **options: Any) -> Any:
        result = call(*operands, **options)
        if not any(map(_is_spelled, (*operands, *options.values()))):
            return result
        positional = [_unescape_value(item) if at in positions else item for at, item in enumerate(operands)]
        keywords = {name: _unescape_value(item) if name in positions else item for name, item in options.items()}
        return _keep_meaning(result, call(*positional, **keywords))

    return keep_escapes
