"""Answers as data: whether a reply is JSON that a schema accepts."""

import json
from collections.abc import Mapping
from typing import Any

import jsonschema

from evaluation.errors import MetricError
from evaluation.metrics.rows import answer_text

__all__ = ["json_schema"]


def json_schema(expected: Any, actual: Any, row: int, *, schema: Mapping[str, Any] | None = None) -> float:
    """1 when the reply is JSON (or data already) that the schema accepts.

    The schema is the option, or the row's expected value. `$ref` may only point inside the schema.
    """
    wanted = schema if schema is not None else expected
    if not isinstance(wanted, Mapping | bool):
        raise MetricError(f"row {row}: json_schema needs a schema, as the option or as the row's expected value")
    try:
        jsonschema.Draft202012Validator.check_schema(wanted)
    except jsonschema.SchemaError as error:
        raise MetricError(f"row {row}: the schema is no JSON Schema: {error.message}") from error
    try:
        value = json.loads(actual) if isinstance(actual, str) else actual
    except ValueError:
        return 0.0
    if isinstance(value, Mapping) and "answer" in value and "type" in value and not isinstance(actual, str):
        return json_schema(wanted, answer_text(value, row), row)
    return float(jsonschema.Draft202012Validator(wanted).is_valid(value))
