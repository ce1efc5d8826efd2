"""Plain JSON values: the only kind of data passed to templates."""

import math
import re
from typing import Any

from promptuary.renderer.errors import InputError

__all__ = ["check_plain"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_DEPTH = 64


def check_plain(value: Any, path: str = "", depth: int = 0) -> None:
    """Raise InputError unless the value consists of plain JSON types; `path` is its name in the message."""
    kind = type(value)
    if kind is str:
        if not value.isascii() and _SURROGATE.search(value):
            raise _refuse_value(path, "has a lone surrogate, which is not Unicode text")
    elif kind is dict or kind is list or kind is tuple:
        if depth > _MAX_DEPTH:
            raise _refuse_value(path, f"is nested deeper than {_MAX_DEPTH} levels")
        _check_items(value, path, depth + 1)
    elif kind is float:
        if not math.isfinite(value):
            raise _refuse_value(path, "is not a finite number")
    elif kind is not int and kind is not bool and value is not None:
        raise _refuse_value(path, _describe_value(value))


def _check_items(value: Any, path: str, depth: int) -> None:
    if type(value) is dict:
        for key, item in value.items():
            if type(key) is not str:
                raise _refuse_value(path, f"has a key that is a {type(key).__name__}; keys must be text")
            check_plain(item, f"{path}.{key}" if path else key, depth)
    else:
        for index, item in enumerate(value):
            check_plain(item, f"{path}[{index}]", depth)


def _describe_value(value: Any) -> str:
    kind = "a function; give functions to load(functions=…)" if callable(value) else f"a {type(value).__name__}"
    return f"is {kind}, not plain JSON (text, number, true, false, null, list, mapping)"


def _refuse_value(path: str, kind: str) -> InputError:
    return InputError(f"`{path}` {kind}" if path else f"the data {kind}", code="PT407", path=path or None)
