"""The JSON Schema metric: whether a reply is JSON that a schema accepts."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from promptuary.evaluation.errors import MetricError
from promptuary.evaluation.metrics.row_values import answer_text
from promptuary.renderer.schemas import validation

__all__ = ["json_schema"]


def json_schema(expected: Any, actual: Any, row: int, *, schema: Mapping[str, Any] | bool | None = None) -> float:
    """1 when the reply is JSON (or parsed data) that the schema accepts; anything that isn't JSON scores 0.

    The schema is the option, or the row's expected value. `$ref` may only point inside the schema. NaN and Infinity
    aren't JSON. For an answer mapping (with `answer` and `type`), its text is read.
    """
    schemas = schema if schema is not None else expected
    if not isinstance(schemas, Mapping | bool):
        raise MetricError(f"row {row + 1}: json_schema needs a schema, as the option or as the row's expected value")
    value = actual
    if isinstance(actual, Mapping) and "answer" in actual and "type" in actual:
        value = answer_text(actual, row)
    try:
        if isinstance(value, str):
            value = json.loads(value, parse_constant=_refuse)
        wrong = _find_schema_fault(json.dumps(schemas))
        if wrong is not None:
            raise MetricError(f"row {row + 1}: the schema is not a JSON Schema: {wrong}")
        return float(next(validation.find_errors(schemas, value), None) is None)
    except validation.Unusable as error:
        raise MetricError(f"row {row + 1}: the schema can't be used: {error}") from error
    except (ValueError, RecursionError):
        return 0.0  # not JSON, or nested too deeply


@lru_cache(maxsize=64)
def _find_schema_fault(schema: str) -> str | None:
    fault = validation.check_schema(json.loads(schema))
    return None if fault is None else str(fault.message)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")
