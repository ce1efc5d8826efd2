"""Coercing a value from a reply to its schema, such as the text "3" to a number."""

import json
import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies.json_reader import Reading
from promptuary.renderer.schemas import validation
from promptuary.renderer.schemas.error_messages import describe_schema_error

__all__ = ["coerce_to_schema", "conform_value"]


def conform_value(value: Any, schema: Mapping[str, Any] | bool) -> Reading:
    """Validate a value against a JSON Schema, converting "true", "3" and the like to the type that the schema requires.

    Raises OutputError for the first violation, naming its place in the reply.
    """
    coerced = coerce_to_schema(value, schema)
    try:
        fault = validation.find_best_error(schema, coerced.value)
    except validation.Unusable as error:
        raise OutputError(f"the output schema cannot be used: {error}") from error
    if fault is not None:
        path = fault.json_path.removeprefix("$").lstrip(".")
        raise OutputError(f"{f'`{path}` in the reply' if path else 'the reply'} {describe_schema_error(fault)}")
    return coerced


def coerce_to_schema(value: Any, schema: Mapping[str, Any] | bool) -> Reading:
    """Convert "true", "3" and the like to the type that the schema requires, without validation."""
    repairs: list[str] = []
    return Reading(_coerce(value, schema, "", repairs), tuple(repairs))


_SPELLED: Mapping[str, Mapping[str, Any]] = {
    "boolean": {"true": True, "false": False, "yes": True, "no": False},
    "null": {"null": None, "none": None},
}


def _coerce(value: Any, schema: Any, path: str, repairs: list[str]) -> Any:
    if not isinstance(schema, Mapping):
        return value
    if isinstance(value, dict):
        fields = schema.get("properties")
        field_schemas = fields if isinstance(fields, Mapping) else {}
        return {name: _coerce(item, field_schemas.get(name), f"{path}.{name}", repairs) for name, item in value.items()}
    if isinstance(value, list):
        return [_coerce(item, schema.get("items"), f"{path}[{index}]", repairs) for index, item in enumerate(value)]
    if isinstance(value, str) and isinstance(schema.get("type"), str) and schema["type"] != "string":
        read_as = _convert_to_type(value, schema["type"])
        if read_as is not value:
            repairs.append(f'read the text "{value[:40]}" in `{path.lstrip(".")}` as {json.dumps(read_as)}')
            return read_as
    return value


def _convert_to_type(text: str, kind: str) -> Any:
    word = text.strip().lower()
    if word in _SPELLED.get(kind, {}):
        return _SPELLED[kind][word]
    if kind == "integer" and re.fullmatch(r"[-+]?\d{1,18}", word):
        return int(word)
    if kind == "number" and re.fullmatch(r"[-+]?\d{1,18}(\.\d{1,18})?", word):
        return float(word) if "." in word else int(word)
    return text
