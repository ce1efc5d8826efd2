"""The author's spellings - a kept space, line ends - where they stand in expressions rather than in the text around them.

A string constant such as `"<|space|>"` or `'\\\\n'` and text that the template made itself keep what they mean through names,
`~`, `+` and the filters that only move text about; data never mean anything but themselves.
"""

from collections.abc import Callable, Container, Iterable
from functools import wraps
from typing import Any

from promptuary.renderer.jinja.output import Captured, Written, as_text
from promptuary.renderer.values.printing import check_sizes

__all__ = ["cook", "has_spelling", "joined", "spelled"]


def has_spelling(text: str) -> bool:
    """Whether a text of the author's has one of the spellings."""
    return "<|space|>" in text or "\\n" in text or "\\r" in text


def cook(text: str) -> str:
    """Replace the spellings of a kept space and of line ends."""
    if "<|space|>" in text:
        text = text.replace("<|space|>", " ")
    return text.replace("\\n", "\n").replace("\\r", "\r") if "\\" in text else text


def _is_ours(value: Any) -> bool:
    return type(value) is Written or type(value) is Captured


def _is_spelled(value: Any) -> bool:
    return _is_ours(value) or (type(value) is list and any(map(_is_ours, value)))


def _meant(value: Any) -> Any:
    """What a value stands for when it is printed; lists of texts by their items."""
    if _is_ours(value):
        return value.cooked
    if type(value) is list:
        return [_meant(item) for item in value]
    return value


def _known(text: Any, meant: Any) -> Any:
    return Written(text, meant) if isinstance(text, str) and type(meant) is str and meant != text else text


def joined(values: Iterable[Any]) -> str:
    """What `~` does: the texts of all values side by side."""
    found = [value if isinstance(value, str) else as_text(value) for value in values]
    check_sizes(map(len, found))
    text = "".join(found)
    return _known(text, "".join(map(_meant, found))) if any(map(_is_ours, found)) else text


def spelled(call: Callable[..., Any], moved: Container[int | str] = (0,)) -> Callable[..., Any]:
    """Make an operation keep what the author's spellings mean in the operands that it moves, by position or name.

    What an operation only looks for, as `replace` does for its first argument, is taken as written.
    """

    @wraps(call)
    def careful(*operands: Any, **options: Any) -> Any:
        found = call(*operands, **options)
        if not any(map(_is_spelled, (*operands, *options.values()))):
            return found
        meant = [_meant(item) if at in moved else item for at, item in enumerate(operands)]
        named = {name: _meant(item) if name in moved else item for name, item in options.items()}
        return _known(found, call(*meant, **named))

    return careful
