"""Plain example values for inputs without a value in a sample, made from their names and kinds."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.inputs.example_data import find_type

__all__ = ["fill_with_examples"]

_MAX_ITEMS = 2
_DEEPEST = 4
_ROLE = "user"
_DATE = "2026-01-31"
_FORMATS = {"date": _DATE, "date-time": f"{_DATE}T09:30:00Z", "email": "name@example.com", "uri": "https://example.com"}
_FORMAT_OF_ENDING = {"date": "date", "email": "email", "mail": "email", "url": "uri", "link": "uri"}


def fill_with_examples(values: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Add a value for each input that has neither a value nor a default, including missing keys of groups.

    schemas: by input name. Texts are recognizable as examples and keep to the longest length that their schema allows;
    the key `role` of a group gets a role of messages, because a part may have it as its role.
    """
    return _fill(values, schemas, 0)


def _fill(values: Mapping[str, Any], schemas: Mapping[str, Mapping[str, Any]], depth: int) -> dict[str, Any]:
    filled = dict(values)
    for name, schema in schemas.items():
        value = values.get(name)
        if isinstance(value, Mapping) and find_type(dict(schema)) == "object":
            filled[name] = _fill(value, schema.get("properties", {}), depth + 1)
        elif name not in values and "default" not in schema:
            filled[name] = _make_example(name, schema, depth)
    return filled


def _make_example(name: str, schema: Mapping[str, Any], depth: int) -> Any:
    if "const" in schema or schema.get("enum"):
        return schema["const"] if "const" in schema else schema["enum"][0]
    kind = find_type(dict(schema))
    if kind == "array":
        return _make_list(name, schema, depth)
    if kind == "object":
        properties = schema.get("properties", {}) if depth < _DEEPEST else {}
        return {key: _make_example(key, inner, depth + 1) for key, inner in properties.items()}
    if kind in ("integer", "number"):
        number = min(max(3, schema.get("minimum", 3)), schema.get("maximum", float("inf")))
        return int(number) if kind == "integer" else number
    if kind == "string" and depth and name == "role":
        return _ROLE
    return {"boolean": True, "null": None}.get(kind, _make_text(name, schema))


def _make_list(name: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
    count = min(max(_MAX_ITEMS, int(schema.get("minItems", 0))), int(schema.get("maxItems", 10)), 10)
    items = schema.get("items", {}) if depth < _DEEPEST else {}
    return [_make_example(f"{name} {number}", items, depth + 1) for number in range(1, count + 1)]


def _make_text(name: str, schema: Mapping[str, Any]) -> str:
    words = name.replace("_", " ").strip()
    kind = schema.get("format") or _FORMAT_OF_ENDING.get(words.rpartition(" ")[2].lower(), "")
    text = _FORMATS.get(kind) or gettext("Example {name}").format(name=words)
    return text[: schema.get("maxLength", len(text))].rstrip()
