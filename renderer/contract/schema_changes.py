"""The effect of a JSON Schema change on callers: whether their data are still accepted."""

from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["SchemaChange", "list_schema_changes"]

_UPPER = ("maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum")
_LOWER = ("minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum")
_ANNOTATIONS = ("title", "description", "examples", "deprecated", "$comment", "default", "untrusted")
_COMPARED = (
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "additionalProperties",
    "items",
    *_UPPER,
    *_LOWER,
    *_ANNOTATIONS,
)
_EVERY_TYPE = frozenset(("string", "number", "integer", "boolean", "null", "object", "array"))


class SchemaChange(NamedTuple):
    """`narrows` tells whether data accepted before may now be refused; it is True if that can't be ruled out."""

    path: str
    message: str
    narrows: bool


def list_schema_changes(old: Any, new: Any, path: str) -> Iterator[SchemaChange]:
    """Yield the differences that affect data, each with the path of the value."""
    old, new = _convert_to_mapping(old), _convert_to_mapping(new)
    yield from _compare_types(old, new, path)
    yield from _compare_choices(old, new, path)
    for keys, sign in ((_UPPER, 1), (_LOWER, -1)):
        for key in keys:
            yield from _compare_bounds(old.get(key), new.get(key), path, key, sign)
    yield from _compare_objects(old, new, path)
    if "items" in old or "items" in new:
        yield from list_schema_changes(old.get("items", {}), new.get("items", {}), f"{path}[]")
    for key in sorted((old.keys() | new.keys()) - set(_COMPARED)):
        if old.get(key) != new.get(key):
            removed = key not in new and not key.startswith("$")
            change = "is gone" if key not in new else ("is new" if key not in old else "is another")
            yield SchemaChange(path, f"`{key}` {change}", not removed)


def _convert_to_mapping(schema: Any) -> dict[str, Any]:
    if isinstance(schema, dict):
        return schema
    return {"not": {}} if schema is False else {}


def _list_types(schema: dict[str, Any]) -> frozenset[str]:
    kinds = schema.get("type")
    if kinds is None:
        return _EVERY_TYPE
    types = frozenset([kinds] if isinstance(kinds, str) else kinds)
    return types | {"integer"} if "number" in types else types


def _compare_types(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[SchemaChange]:
    before, after = _list_types(old), _list_types(new)
    if before != after:
        message = f"type {_join_types(old.get('type'))} became {_join_types(new.get('type'))}"
        yield SchemaChange(path, message, not before <= after)


def _join_types(kinds: Any) -> str:
    if kinds is None:
        return "any"
    return kinds if isinstance(kinds, str) else " or ".join(map(str, kinds))


def _compare_choices(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[SchemaChange]:
    before, after = _list_values(old), _list_values(new)
    if before == after:
        return
    if after is None:
        yield SchemaChange(path, "any value is taken now, not only the listed ones", False)
    elif before is None:
        yield SchemaChange(path, f"only {_join_values(after)} is taken now", True)
    else:
        removed = [value for value in before if value not in after]
        added = [value for value in after if value not in before]
        if removed:
            yield SchemaChange(path, f"{_join_values(removed)} is no longer taken", True)
        if added:
            yield SchemaChange(path, f"{_join_values(added)} is taken as well", False)


def _list_values(schema: dict[str, Any]) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return schema.get("enum")


def _join_values(values: list[Any]) -> str:
    text = ", ".join(repr(value) for value in values[:5])
    return text + (" …" if len(values) > 5 else "")


def _compare_bounds(before: Any, after: Any, path: str, key: str, sign: int) -> Iterator[SchemaChange]:
    if before == after:
        return
    if after is None:
        yield SchemaChange(path, f"`{key}` {before} is gone", False)
    elif before is None:
        yield SchemaChange(path, f"`{key}` {after} is new", True)
    else:
        yield SchemaChange(path, f"`{key}` went from {before} to {after}", (after - before) * sign < 0)


def _compare_objects(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[SchemaChange]:
    before, after = set(old.get("required", ())), set(new.get("required", ()))
    for name in sorted(after - before):
        yield SchemaChange(f"{path}.{name}", "is required now", True)
    for name in sorted(before - after):
        yield SchemaChange(f"{path}.{name}", "is no longer required", False)
    old_properties, new_properties = old.get("properties", {}), new.get("properties", {})
    is_closed = new.get("additionalProperties", True) is False
    for name in sorted(old_properties.keys() | new_properties.keys()):
        if name not in new_properties:
            yield SchemaChange(f"{path}.{name}", "is no longer described", is_closed)
        elif name in old_properties:
            yield from list_schema_changes(old_properties[name], new_properties[name], f"{path}.{name}")
        else:
            yield SchemaChange(
                f"{path}.{name}", "is described now", name not in after and not _takes_any(new_properties[name])
            )
    rest = old.get("additionalProperties", True), new.get("additionalProperties", True)
    if rest[0] != rest[1]:
        yield SchemaChange(path, "`additionalProperties` is another", rest[1] is not True)


def _takes_any(schema: Any) -> bool:
    return not isinstance(schema, dict) or not set(schema) - set(_ANNOTATIONS)
