"""A model's reply field by field: each field's value, and how it violates the document's output rules.

`Template.read` returns a whole reply or raises an error. A page that shows a reply needs the valid fields too, and all
errors. A reply is valid here exactly when `Template.read` accepts it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies import json_reader, schema_coercion
from promptuary.renderer.schemas import validation
from promptuary.renderer.schemas.error_messages import describe_schema_error

__all__ = ["read_reply_fields"]

_WHOLE = "reply"  # the name of the only field, if a reply isn't an object


def read_reply_fields(document: Document, reply: str, read: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return a reply field by field, as plain JSON types.

    {"kind": "text" or "json", "valid": bool, "fields": [{"name", "value", "problem"}], "problem": sentence or None,
    "notes": repairs}

    kind is text if the document has no output rules. read: `Template.read` of the same reply, which runs the document's
    shapers.
    """
    schema, steps = document.output.get("schema"), document.output.get("shapers")
    if schema is None and not steps:
        return _build_reading("text", [], None)
    try:
        if steps:
            outputs = read()
            fields = [_build_field(name, value) for name, value in outputs.items()]
            return _build_reading("json", fields, None, getattr(outputs, "notes", ()))
        return _read_by_schema(reply, schema)
    except OutputError as error:
        return _build_reading("json", [], error.message)


def _read_by_schema(reply: str, schema: Any) -> dict[str, Any]:
    reading = json_reader.read_reply(reply)
    coerced = schema_coercion.coerce_to_schema(reading.value, schema)
    try:
        faults = list(validation.find_errors(schema, coerced.value))
    except validation.Unusable as error:
        raise OutputError(f"the output schema cannot be used: {error}") from error
    notes = (*reading.repairs, *coerced.repairs)
    if not isinstance(coerced.value, dict):
        problem = "; ".join(_describe_fault(fault, ()) for fault in faults) or None
        return _build_reading("json", [_build_field(_WHOLE, coerced.value, problem)], None, notes)
    fields = {name: _build_field(name, coerced.value.get(name)) for name in _list_names(schema, coerced.value)}
    others = [sentence for fault in faults for sentence in _place_fault(fault, coerced.value, fields)]
    return _build_reading("json", list(fields.values()), "; ".join(others) or None, notes)


def _list_names(schema: Any, value: Mapping[str, Any]) -> list[str]:
    """The fields in the schema's order, then those that aren't in the schema."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    declared = [name for name in properties or () if name in value]
    return [*declared, *(name for name in value if name not in declared)]


def _place_fault(fault: Any, value: Mapping[str, Any], fields: dict[str, dict[str, Any]]) -> list[str]:
    """Assign the error to its field; returns the sentences that aren't about a field."""
    path = list(fault.absolute_path)
    if path:
        name = str(path[0])
        _add_problem(fields.setdefault(name, _build_field(name, None)), _describe_fault(fault, path[1:]))
        return []
    if fault.validator == "required":
        for name in fault.validator_value:
            if name not in value:
                _add_problem(fields.setdefault(name, _build_field(name, None)), "is missing")
        return []
    return [_describe_fault(fault, ())]


def _describe_fault(fault: Any, path: Any) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")
    return f"{f'`{place}` ' if place else ''}{describe_schema_error(fault)}"


def _add_problem(field: dict[str, Any], sentence: str) -> None:
    sentences = [field["problem"]] if field["problem"] else []
    if sentence not in sentences:
        field["problem"] = "; ".join([*sentences, sentence])


def _build_field(name: str, value: Any, problem: str | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "problem": problem}


def _build_reading(kind: str, fields: list[dict[str, Any]], problem: str | None, notes: Any = ()) -> dict[str, Any]:
    is_valid = problem is None and all(field["problem"] is None for field in fields)
    return {"kind": kind, "valid": is_valid, "fields": fields, "problem": problem, "notes": list(notes)}
