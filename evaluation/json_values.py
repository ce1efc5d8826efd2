"""Plain JSON values: what a result file can store and return unchanged."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from promptuary.evaluation.errors import EvaluationError

__all__ = ["NotJson", "copy_plain_values", "require_json"]

MAX_DEPTH = 200
_MAX_WHOLE = 2**53  # larger JSON numbers don't survive every parser


class NotJson(EvaluationError):
    """A value that JSON can't represent, with its place; the value itself is left out."""


def require_json(value: Any, place: str) -> None:
    """Raise NotJson, naming the first offending place below `place`, if the value isn't plain JSON.

    Plain means mappings with text keys, lists and tuples, valid Unicode text, whole numbers up to 2^53, finite floats,
    booleans and None, at most 200 levels deep.
    """
    for path, reason in _find_faults(value, place, 0):
        raise NotJson(f"{path} {reason}")


def copy_plain_values(value: Any) -> Any:
    """Copy the value with None in place of whatever isn't plain JSON, for the record of a failed row."""
    return _copy(value, 0)


def _find_faults(value: Any, place: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MAX_DEPTH:
        yield place, f"is nested more than {MAX_DEPTH} deep"
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str) or _find_fault_of_text(key):
                yield place, f"has a key that is not text ({type(key).__name__})"
            else:
                yield from _find_faults(inner, f"{place}.{key[:80]}", depth + 1)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _find_faults(inner, f"{place}[{index}]", depth + 1)
    elif reason := _find_fault_of_scalar(value):
        yield place, reason


def _find_fault_of_scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return _find_fault_of_text(value)
    if isinstance(value, int):
        return "" if abs(value) <= _MAX_WHOLE else "is a whole number beyond 2^53"
    if isinstance(value, float):
        return "" if math.isfinite(value) else "is not a finite number"
    return f"is a {type(value).__name__}, which JSON has no form for"


def _find_fault_of_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "has a lone surrogate"
    return ""


def _copy(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        return {
            key: _copy(inner, depth + 1)
            for key, inner in value.items()
            if isinstance(key, str) and not _find_fault_of_text(key)
        }
    if isinstance(value, list | tuple):
        return [_copy(inner, depth + 1) for inner in value]
    return None if _find_fault_of_scalar(value) else value
