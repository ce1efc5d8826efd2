"""Jinja's operators and filters where they could make much out of little: bounded versions of the same."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jinja2 import filters
from jinja2.nodes import EvalContext
from jinja2.runtime import Undefined
from jinja2.utils import pass_eval_context

from renderer import functions
from renderer.environment.pieces import Written
from renderer.environment.spelling import spelled
from renderer.errors import LimitError

__all__ = ["BOUNDED_FILTERS", "FILTERS", "MAX_TEXT", "OPERATORS"]

MAX_TEXT = 4_000_000
"""Characters that one operation may make."""

_MAX_WIDTH = 1_000
_MAX_GROUP = 10_000
_MAX_INTEGER_BITS = 4_096


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0


def _refuse_text(size: int) -> None:
    if size > MAX_TEXT:
        raise LimitError(f"this would make {size:,} characters or items; at most {MAX_TEXT:,} are allowed")


def _bits(value: Any) -> int:
    return value.bit_length() if isinstance(value, int) else 0


def add(left: Any, right: Any) -> Any:
    _refuse_text(_size(left) + _size(right))
    return left + right


def multiply(left: Any, right: Any) -> Any:
    for sized, times in ((left, right), (right, left)):
        if isinstance(sized, str | list | tuple) and isinstance(times, int):
            _refuse_text(len(sized) * max(times, 0))
    if _bits(left) + _bits(right) > _MAX_INTEGER_BITS:
        raise LimitError("this integer has too many digits")
    return left * right


def power(left: Any, right: Any) -> Any:
    if isinstance(right, int) and _bits(left) * abs(right) > _MAX_INTEGER_BITS:
        raise LimitError("this power has too many digits")
    return left**right


_WIDTH = re.compile(r"%[^%a-zA-Z]*?(?:\d{4,}|\*)")


def remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str) and _WIDTH.search(left):
        raise LimitError("a format may not ask for a width of four digits or more, or of `*`")
    return (left.cooked if isinstance(left, Written) else left) % right


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": spelled(add, (0, 1)),
    "*": multiply,
    "**": power,
    "%": remainder,
}
"""The binary operators that are intercepted at run time; this also keeps the compiler from folding them."""


def _whole(name: str, value: Any, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise LimitError(f"`{name}` takes a whole number up to {most:,}")
    return value


def center(value: str, width: int = 80) -> str:
    return filters.do_center(value, _whole("center", width, _MAX_WIDTH))


def batch(value: Iterable[Any], linecount: int, fill_with: Any = None) -> list[Any]:
    return list(filters.do_batch(value, _whole("batch", linecount, _MAX_GROUP), fill_with))


def slices(value: Iterable[Any], slices: int, fill_with: Any = None) -> list[Any]:
    return list(filters.sync_do_slice(list(value), _whole("slice", slices, _MAX_GROUP), fill_with))


def indent(value: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    if isinstance(width, str):
        _whole("indent", len(width), 64)
    else:
        _whole("indent", width, 64)
    return filters.do_indent(str(value), width, first, blank)


def formatted(value: str, *args: Any, **kwargs: Any) -> Any:
    return remainder(value.cooked if isinstance(value, Written) else str(value), kwargs or args)


def replace(value: str, old: str, new: str, count: int | None = None) -> str:
    text, old, new = str(value), str(old), str(new)
    times = text.count(old) if count is None else min(count, text.count(old))
    _refuse_text(len(text) + times * max(0, len(new) - len(old)))
    return text.replace(old, new, -1 if count is None else count)


@pass_eval_context
def join(
    context: EvalContext,
    value: Any,
    d: str | None = None,
    attribute: str | int | None = None,
    str_replace: Mapping[str, str] | None = None,
    *,
    pattern: str | None = None,
) -> str:
    """Jinja's join, and the shaping function for documents: they are told by their `content`, a pattern by its `$`."""
    if pattern is None and isinstance(attribute, str) and "$" in attribute:
        pattern, attribute = attribute, None
    documents = isinstance(value, list) and any(
        isinstance(item, Mapping) and ("content" in item or "answer" in item) for item in value
    )
    if pattern is not None or str_replace is not None or (documents and attribute is None):
        return functions.join(value, " " if d is None else d, pattern, str_replace)
    return filters.sync_do_join(context, value, "" if d is None else d, attribute)


def to_json(value: Any, indent: int | None = None) -> str:
    """JSON with sorted keys, every character as it is: a prompt is no web page."""
    if indent is not None:
        _whole("tojson", indent, 64)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=indent, default=_no_json)


def _no_json(value: Any) -> Any:
    if isinstance(value, Undefined):
        str(value)
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def unchanged(value: Any) -> Any:
    """For names that other renderers need and this one does not: `safe`, `escape_special_characters`."""
    return value


BOUNDED_FILTERS: dict[str, Callable[..., Any]] = {
    "batch": batch,
    "center": center,
    "format": formatted,
    "indent": indent,
    "join": join,
    "replace": replace,
    "safe": unchanged,
    "slice": slices,
    "tojson": to_json,
}

_TAKEN_OVER = (
    "abs capitalize count d default dictsort e escape filesizeformat first float forceescape groupby int items last "
    "length list lower map max min reject rejectattr reverse round select selectattr sort string striptags sum title trim "
    "truncate unique upper urlencode wordcount wordwrap"
)

_MOVED: dict[str, tuple[int | str, ...]] = {
    **dict.fromkeys(("center", "indent", "lower", "string", "trim", "truncate"), (0,)),
    **dict.fromkeys(("default", "d"), (0, 1, "default_value")),
    "join": (1, 2, "d"),
    "replace": (0, 2, "new"),
}
_OFFERED: dict[str, Callable[..., Any]] = {
    **{name: filters.FILTERS[name] for name in _TAKEN_OVER.split()},
    **BOUNDED_FILTERS,
}
FILTERS: dict[str, Callable[..., Any]] = {
    **_OFFERED,
    **{name: spelled(_OFFERED[name], moved) for name, moved in _MOVED.items()},
}
"""Every filter there is. Left out: `random` (another result each time), `pprint`, `xmlattr`, `urlize`, `attr`."""
