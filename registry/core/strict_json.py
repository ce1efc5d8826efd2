"""JSON as the API takes it: what one reader would take one way and another reader otherwise is refused."""

import json
import math
from collections.abc import Iterator
from typing import Any, NoReturn

from registry.core.errors import PromptuaryError

__all__ = ["BadJson", "parse"]

DEPTH = 32
_LARGEST = 2**53 - 1  # beyond it a number is not the same number to every reader


class BadJson(PromptuaryError):
    """The text is no JSON, or JSON that this API does not take."""


def parse(body: bytes) -> Any:
    """The value of a UTF-8 JSON text.

    Refused: duplicate keys, NaN and infinities, numbers outside the exact range, nesting deeper than 32, NUL and lone
    surrogates in any text. Raises BadJson with a sentence that says where.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(f"The body is not UTF-8: byte {error.start} does not fit.") from None
    try:
        value = json.loads(
            text,
            object_pairs_hook=_to_object,
            parse_constant=_refuse_constant,
            parse_int=_to_int,
            parse_float=_to_float,
        )
    except json.JSONDecodeError as error:
        raise BadJson(f"This is not JSON: {error.msg}, line {error.lineno} column {error.colno}.") from None
    except RecursionError:
        raise BadJson(f"The JSON is nested deeper than {DEPTH} levels.") from None
    _check(value)
    return value


def _to_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise BadJson(f"The key {_shown(name)} occurs twice in one object.")
        found[name] = value
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise BadJson(f"{word} is not a JSON number.")


def _to_int(digits: str) -> int:
    # Longer digits are never converted: that takes time in the square of their number.
    if len(digits) > 17 or abs(int(digits)) > _LARGEST:
        raise BadJson(f"The number {digits[:20]} is outside ±(2^53 - 1); send it as a text.")
    return int(digits)


def _to_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise BadJson(f"The number {digits[:20]} is too large.")
    return number


_Where = tuple["_Where", str | int] | None
"""A place as the place around it and a step; it is written out only where something is wrong there."""


def _check(value: Any) -> None:
    """Walk without recursion: a hostile value must not reach the interpreter's limit."""
    waiting: list[tuple[Any, int, _Where]] = [(value, 0, None)]
    while waiting:
        item, depth, where = waiting.pop()
        if isinstance(item, str):
            _check_text(item, where)
        elif isinstance(item, dict | list):
            if depth >= DEPTH:
                raise BadJson(f"The JSON is nested deeper than {DEPTH} levels.")
            waiting += [(child, depth + 1, path) for child, path in _children(item, where)]


def _children(item: dict[str, Any] | list[Any], where: _Where) -> Iterator[tuple[Any, _Where]]:
    if isinstance(item, list):
        for index, child in enumerate(item):
            yield child, (where, index)
        return
    for name, child in item.items():
        _check_text(name, where)
        yield child, (where, name)


def _path(where: _Where) -> str:
    steps: list[str] = []
    while where is not None:
        where, step = where
        steps.append(str(step)[:80])
    return "/" + "/".join(reversed(steps))


def _check_text(text: str, where: _Where) -> None:
    if text.isascii():
        if "\0" in text:
            raise BadJson(f"The text at {_shown(_path(where))} holds a NUL character.")
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadJson(f"The text at {_shown(_path(where))} holds half of a surrogate pair.") from None
    if "\0" in text:
        raise BadJson(f"The text at {_shown(_path(where))} holds a NUL character.")


def _shown(text: str) -> str:
    return repr(text[:80].encode("utf-8", "backslashreplace").decode("utf-8"))
