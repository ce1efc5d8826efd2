"""The text of printed values, as in Python; values with an address or infinite text are refused."""

from collections.abc import Iterable
from typing import Any

from promptuary.renderer.errors import LimitError

__all__ = ["MAX_ITEMS", "MAX_TEXT", "Unprintable", "add_printable", "check_printable", "check_sizes", "print_value"]

MAX_TEXT = 4_000_000
"""The maximum characters that one operation of a template may produce."""

MAX_ITEMS = 500_000
"""The maximum items of a printed value's lists and mappings, including nested ones."""

_NAMES = {
    "generator": "a generator; add `| list` or `| join`",
    "Macro": "a macro; call it with ()",
    "dict_keys": "a view of keys; add `| list` or `| join`",
    "dict_values": "a view of values; add `| list` or `| join`",
    "dict_items": "a view of items; add `| list`",
    "LoopContext": "the loop itself; print loop.index or the like",
    "range": "a range; add `| list`",
}
_SCALARS = frozenset((str, int, float, bool, type(None)))
_also: tuple[type, ...] = (str, int, float)


class Unprintable(Exception):
    """A value without a text: a function, a macro, a generator; or a list or mapping with such a value."""

    def __init__(self, description: str) -> None:
        super().__init__(description)
        self.what = description


def add_printable(*kinds: type) -> None:
    """Allow values of these types to be printed by their own `str`."""
    global _also  # noqa: PLW0603 - filled once, while modules are imported
    _also = (*_also, *kinds)


def check_printable(value: Any) -> None:
    """Raise Unprintable for a value without a text, at any depth, and LimitError for a text beyond MAX_TEXT.

    A list may contain the same list many times, so the written size is what counts.
    """
    kind = type(value)
    if kind in _SCALARS:
        return
    waiting, size, count = [value], 0, 0
    while waiting:
        item = waiting.pop()
        count += 1
        kind = type(item)
        if kind is str:
            size += len(item) + 2
        elif kind in _SCALARS:
            size += 2
        elif isinstance(item, dict):
            size += 2
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            size += 2
            waiting.extend(item)
        elif isinstance(item, _also):
            size += len(item) if isinstance(item, str) else 2
        else:
            raise Unprintable(_describe_item(item, is_inside=item is not value))
        if size > MAX_TEXT:
            raise LimitError(f"this would print more than {MAX_TEXT:,} characters")
        if count + len(waiting) > MAX_ITEMS:
            raise LimitError(f"this would print more than {MAX_ITEMS:,} items")


def _describe_item(item: Any, *, is_inside: bool) -> str:
    kind = type(item).__name__
    description = _NAMES.get(kind, f"a {kind}, which has no text")
    if not is_inside:
        return description
    name = getattr(item, "__name__", "")
    named_kind = f"a {kind} `{name}`" if isinstance(name, str) and name else f"a {kind}"
    return f"a value that contains {named_kind}, which has no text"


def print_value(value: Any) -> str:
    """Return the text of a value. Raises Unprintable and LimitError."""
    check_printable(value)
    return str(value)


def check_sizes(sizes: Iterable[int]) -> None:
    """Raise LimitError if texts of these lengths are too long together."""
    total = 0
    for size in sizes:
        total += size
        if total > MAX_TEXT:
            raise LimitError(f"this would make more than {MAX_TEXT:,} characters")
