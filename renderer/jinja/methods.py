"""Limited versions of the methods and formats of texts and numbers whose results could take gigabytes."""

import re
from collections.abc import Callable, Iterator, Mapping
from string import Formatter
from typing import Any

from jinja2.sandbox import SandboxedFormatter

from promptuary.renderer.errors import LimitError
from promptuary.renderer.values.printing import MAX_TEXT, check_printable, check_sizes, print_value

__all__ = [
    "MAX_WIDTH",
    "WIDE_METHODS",
    "BoundedFormatter",
    "check_method",
    "check_percent",
    "is_wide_format",
    "is_wide_percent",
]

MAX_WIDTH = 1_000
"""The maximum width of padded text, and the maximum digits of a number."""

WIDE_METHODS = frozenset(("center", "expandtabs", "ljust", "rjust", "zfill"))
_MAX_BYTES = 4_096
_BYTES_METHODS = frozenset(("decode", "hex"))

_DIGITS = re.compile(r"\d{4,}")


def check_width(name: str, width: Any) -> None:
    """Raise LimitError if a width is too large."""
    if isinstance(width, int) and abs(width) > MAX_WIDTH:
        raise LimitError(f"`{name}` takes a width of at most {MAX_WIDTH:,}")


def check_method(name: str, owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise LimitError if this method of a text, bytes or a number would produce too much."""
    if isinstance(owner, bytes | bytearray) and name not in _BYTES_METHODS:
        raise LimitError(f"`{name}` of bytes is not offered; decode them first")
    if isinstance(owner, int) and name == "to_bytes" and (args or kwargs):
        size = args[0] if args else kwargs.get("length", 1)
        if isinstance(size, int) and size > _MAX_BYTES:
            raise LimitError(f"`to_bytes` gives at most {_MAX_BYTES:,} bytes")
    check = _CHECKS.get(name) if isinstance(owner, str) else None
    if check is not None:
        check(name, owner, args, kwargs)


def _check_fill(name: str, owner: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    check_width(name, args[0] if args else kwargs.get("tabsize", 8))
    if name == "expandtabs":
        width = args[0] if args else kwargs.get("tabsize", 8)
        check_sizes((len(owner), owner.count("\t") * max(0, width) if isinstance(width, int) else 0))


def _check_join(name: str, owner: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if args and isinstance(args[0], list | tuple | dict | set):
        check_sizes(len(item) + len(owner) for item in args[0] if isinstance(item, str))


def _check_replace(name: str, owner: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if len(args) >= 2 and isinstance(args[0], str) and isinstance(args[1], str):
        limit = args[2] if len(args) > 2 and isinstance(args[2], int) and args[2] >= 0 else None
        times = owner.count(args[0]) if limit is None else min(limit, owner.count(args[0]))
        check_sizes((len(owner) + times * max(0, len(args[1]) - len(args[0])),))


def _check_translate(name: str, owner: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if args and isinstance(args[0], Mapping):
        longest = max((len(item) for item in args[0].values() if isinstance(item, str)), default=1)
        check_sizes((len(owner) * max(1, longest),))


_CHECKS: Mapping[str, Callable[[str, str, tuple[Any, ...], Mapping[str, Any]], None]] = {
    **dict.fromkeys(WIDE_METHODS, _check_fill),
    "join": _check_join,
    "replace": _check_replace,
    "translate": _check_translate,
}


def is_wide_format(text: str) -> bool:
    """Whether a text for `format` has a width or precision of four or more digits."""
    try:
        return any(spec and _DIGITS.search(spec) for _, _, spec, _ in Formatter().parse(text))
    except ValueError:
        return False  # not a format; using it raises the error


class BoundedFormatter(SandboxedFormatter):
    """`str.format` with limits on widths and on the length of the result."""

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self._left = MAX_TEXT

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format one value. Raises LimitError and Unprintable."""
        if _DIGITS.search(format_spec):
            raise LimitError(f"a format may not ask for a width of more than {MAX_WIDTH - 1}")
        check_printable(value)
        text: str = super().format_field(value, format_spec)
        self._spend(len(text))
        return text

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """Convert the value as `!r`, `!s` or `!a` require."""
        if conversion is not None:
            check_printable(value)
        converted = super().convert_field(value, conversion)
        if conversion is not None and isinstance(converted, str):
            self._spend(len(converted))
        return converted

    def _spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise LimitError(f"this would make more than {MAX_TEXT:,} characters")


_PERCENT = re.compile(r"[-#0 +]*(\d+|\*)?(?:\.(\d+|\*)?)?[hlL]?")


def _find_conversions(text: str) -> Iterator[tuple[str, ...]]:
    """(width, precision) of each conversion in a `%` format, empty where missing."""
    at = text.find("%")
    while 0 <= at < len(text) - 1:
        at += 1
        if text[at] == "(":
            depth, at = 1, at + 1
            while at < len(text) and depth:
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
        match = _PERCENT.match(text, at)
        yield tuple(part or "" for part in (match.groups() if match else ()))
        at = text.find("%", match.end() + 1 if match else at + 1)


def is_wide_percent(text: str) -> bool:
    """Whether a `%` format has a width or precision of four or more digits, or of `*`."""
    return any(part == "*" or len(part) > 3 for conversion in _find_conversions(text) for part in conversion)


def check_percent(text: str, arguments: Any) -> None:
    """Raise LimitError if `text % given` would produce too much, Unprintable if a value has no text."""
    if "%" not in text:
        return
    if is_wide_percent(text):
        raise LimitError("a format may not ask for a width of four digits or more, or of `*`")
    check_printable(arguments)
    if isinstance(arguments, Mapping):
        longest = max(
            (len(item) if isinstance(item, str) else len(print_value(item)) for item in arguments.values()), default=0
        )
        check_sizes((len(text), text.count("%") * max(longest, MAX_WIDTH) if longest > MAX_WIDTH else 0))
