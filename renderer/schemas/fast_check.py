"""A fast check that accepts data that fit the common part of JSON Schema, without building errors.

`build_acceptor` returns a function that is True only for plain JSON values that fit the schema. If it is False, or if
the schema uses unsupported keywords, the full validator decides.
"""

import math
import re
from collections.abc import Callable
from typing import Any

__all__ = ["Accepts", "build_acceptor", "is_plain"]

Accepts = Callable[[Any], bool]

_SURROGATE = re.compile("[\ud800-\udfff]")
_ANNOTATIONS = frozenset(("title", "description", "default", "examples", "deprecated", "$comment", "untrusted"))
_KNOWN = {
    "string": frozenset(("minLength", "maxLength")),
    "array": frozenset(("items", "minItems", "maxItems")),
    "object": frozenset(("properties", "required", "additionalProperties")),
    "integer": frozenset(("minimum", "maximum")),
    "number": frozenset(("minimum", "maximum")),
    "boolean": frozenset[str](),
    "null": frozenset[str](),
}
_MAX_DEPTH = 30


def _is_text(value: Any) -> bool:
    return type(value) is str and (value.isascii() or not _SURROGATE.search(value))


def is_plain(value: Any, depth: int = 0) -> bool:
    """Whether a value consists of plain JSON types, not too deep, with valid Unicode text and finite numbers."""
    kind = type(value)
    if kind is str:
        return _is_text(value)
    if kind is dict or kind is list:
        if depth >= _MAX_DEPTH or (kind is dict and not all(map(_is_text, value))):
            return False
        # A loop, since a generator for each small mapping costs more than the mapping.
        for item in value.values() if kind is dict else value:  # noqa: SIM110
            if not is_plain(item, depth + 1):
                return False
        return True
    if kind is float:
        return math.isfinite(value)
    return kind is int or kind is bool or value is None


def build_acceptor(schema: Any, depth: int = 0) -> Accepts | None:
    """Return the fast check of a schema, or None if it has unsupported keywords or values.

    A schema with a fast check is therefore also a valid schema.
    """
    if not isinstance(schema, dict) or depth > _MAX_DEPTH or not _is_sound(schema):
        return None
    keys = schema.keys() - _ANNOTATIONS
    if not keys:
        return is_plain
    if keys <= {"type", "enum"} and "enum" in keys:
        return _compile_choice(schema)
    kinds = schema.get("type")
    if isinstance(kinds, list):
        if not kinds or len(set(kinds)) < len(kinds):
            return None
        acceptors = [_compile_type(kind, schema, keys, depth) for kind in kinds]
        checks = [check for check in acceptors if check is not None]
        return (lambda value: any(check(value) for check in checks)) if len(checks) == len(kinds) else None
    return _compile_type(kinds, schema, keys, depth)


def _is_sound(schema: dict[str, Any]) -> bool:
    """Whether the values of the supported keywords have the types that JSON Schema requires."""
    for key in ("minLength", "maxLength", "minItems", "maxItems"):
        if key in schema and (type(schema[key]) is not int or schema[key] < 0):
            return False
    for key in ("minimum", "maximum"):
        if key in schema and type(schema[key]) not in (int, float):
            return False
    for key in ("title", "description", "$comment"):
        if key in schema and type(schema[key]) is not str:
            return False
    for key in ("enum", "examples"):
        if key in schema and type(schema[key]) is not list:
            return False
    required = schema.get("required", [])
    keywords = (
        type(required) is list and all(type(name) is str for name in required) and len(set(required)) == len(required)
    )
    booleans = all(type(schema.get(key, True)) is bool for key in ("untrusted", "deprecated"))
    types = schema.get("type", "")
    names = types if type(types) is list else [types]
    return (
        keywords
        and booleans
        and type(schema.get("properties", {})) is dict
        and all(type(name) is str for name in names)  # a mapping in the list isn't hashable
    )


def _compile_choice(schema: dict[str, Any]) -> Accepts | None:
    """Texts only: JSON Schema has its own equality for numbers and booleans."""
    choices = schema["enum"]
    if schema.get("type", "string") != "string" or not all(type(choice) is str for choice in choices):
        return None
    choice_set = frozenset(choices)
    return lambda value: type(value) is str and value in choice_set and _is_text(value)


def _compile_type(kind: Any, schema: dict[str, Any], keys: Any, depth: int) -> Accepts | None:
    if kind not in _KNOWN or not keys - {"type"} <= _KNOWN[kind]:
        return None
    if kind == "string":
        return _compile_string(schema)
    if kind == "array":
        return _compile_array(schema, depth)
    if kind == "object":
        return _compile_object(schema, depth)
    if kind in ("integer", "number"):
        return _compile_number(kind, schema)
    python_type: type = bool if kind == "boolean" else type(None)
    return lambda value: type(value) is python_type


def _compile_string(schema: dict[str, Any]) -> Accepts:
    minimum, maximum = schema.get("minLength", 0), schema.get("maxLength", math.inf)
    if minimum == 0 and maximum == math.inf:
        return _is_text
    return lambda value: type(value) is str and minimum <= len(value) <= maximum and _is_text(value)


def _compile_number(kind: str, schema: dict[str, Any]) -> Accepts:
    minimum, maximum = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)

    def check(value: Any) -> bool:
        if type(value) is float:
            return math.isfinite(value) and (kind == "number" or value.is_integer()) and minimum <= value <= maximum
        return type(value) is int and minimum <= value <= maximum

    return check


def _compile_array(schema: dict[str, Any], depth: int) -> Accepts | None:
    item = build_acceptor(schema.get("items", {}), depth + 1)
    if item is None:
        return None
    minimum, maximum = schema.get("minItems", 0), schema.get("maxItems", math.inf)
    return lambda value: type(value) is list and minimum <= len(value) <= maximum and all(map(item, value))


def _compile_object(schema: dict[str, Any], depth: int) -> Accepts | None:
    property_checks = {name: build_acceptor(part, depth + 1) for name, part in schema.get("properties", {}).items()}
    checks = {name: check for name, check in property_checks.items() if check is not None}
    additional = schema.get("additionalProperties", True)
    accept_additional = (
        is_plain if additional is True else (None if additional is False else build_acceptor(additional, depth + 1))
    )
    if len(checks) < len(property_checks) or (accept_additional is None and additional is not False):
        return None
    required = schema.get("required", [])

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, item in value.items():
            property_check = checks.get(name)
            if property_check is None:
                if accept_additional is None or not _is_text(name) or not accept_additional(item):
                    return False
            elif not property_check(item):
                return False
        return all(map(value.__contains__, required))

    return check
