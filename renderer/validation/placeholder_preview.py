"""Renders a prompt with missing values: each is replaced by a placeholder such as `[customer.name]`."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from promptuary.renderer import formats
from promptuary.renderer.document.parser import Document
from promptuary.renderer.inputs import example_data
from promptuary.renderer.inputs.declarations import RESERVED, Inputs
from promptuary.renderer.jinja import Usage
from promptuary.renderer.prompt import Prompt
from promptuary.renderer.template import Template
from promptuary.renderer.validation.undeclared_inputs import InputUses, infer_inputs

__all__ = ["FilledData", "fill_placeholders", "render_with_placeholders"]

_MAX_DEPTH = 6
_ORDINALS = ("first", "second")
_ROLE = "user"  # for keys named `role`: a part can't have a path as its role


@dataclass
class FilledData:
    """Data with a value for every input. `placeholders` are the paths of missing values; texts are paths."""

    data: dict[str, Any] = field(default_factory=dict)
    placeholders: list[str] = field(default_factory=list)
    completed: set[str] = field(default_factory=set)
    """Inputs given in part: some of their keys are placeholders."""


def render_with_placeholders(
    template: Template, data: Mapping[str, Any], used: InputUses | None = None
) -> tuple[list[Prompt], list[str]]:
    """Render a template as `render_all` does, with placeholders for missing values; also return their paths.

    used: what the template takes from outside, if known already.
    Raises what `render_all` raises, including InputError for a given value that breaks its schema, but never for a
    missing value.
    """
    if used is None:
        used = infer_inputs(template.document, template.fragments, template.body)
    filled = fill_placeholders(template.document, used, data)
    for fault in template.inputs.faults({**filled.data, **data}):
        if fault.variable in data and fault.variable not in filled.completed:
            raise fault
    return _remove_inputs(template).render_all(filled.data), filled.placeholders


def _remove_inputs(template: Template) -> Template:
    """The same template without declared inputs, because placeholders need not fit their schemas."""
    document, body = replace(template.document, inputs=None), template.body
    if not isinstance(body, formats.WithoutInputs):
        opened = Template(document, template.fragments, template.profile, template.functions)
        opened.vocabularies = template.vocabularies
        return opened
    opened = copy(template)
    opened.document, opened.inputs, opened.body = document, Inputs(document), body.drop_inputs(document)
    return opened


def fill_placeholders(document: Document, used: InputUses, data: Mapping[str, Any]) -> FilledData:
    """Fill defaults and placeholders into the data, for declared inputs and for those that the text merely uses."""
    filled = FilledData()
    usages = {name: usage for name, (_, usage) in used.items()}
    declared = document.inputs or {}
    for name in dict.fromkeys((*declared, *usages)):
        if name in RESERVED:
            continue
        schema, usage = declared.get(name, {}), usages.get(name, Usage())
        if name in data:
            before = len(filled.placeholders)
            filled.data[name] = _complete(filled, data[name], schema, usage, name)
            if len(filled.placeholders) > before:
                filled.completed.add(name)
        elif "default" in schema:
            filled.data[name] = schema["default"]
        elif not usage.has_default or name in declared:
            filled.data[name] = _make_placeholder(filled, schema, usage, name)
    if document.inputs is None:
        filled.data.update({name: value for name, value in data.items() if name not in filled.data})
    return filled


def _complete(filled: FilledData, value: Any, schema: Any, usage: Usage, path: str) -> Any:
    """A given value with placeholders for the keys that the text reads and the value lacks."""
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, list):
        items = schema.get("items", {})
        item_usage = usage.items or Usage()
        return [_complete(filled, item, items, item_usage, f"{path}[{place}]") for place, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    whole = dict(value)
    for key in dict.fromkeys((*properties, *usage.properties)):
        inner, part = properties.get(key, {}), usage.properties.get(key, Usage())
        if key in value:
            whole[key] = _complete(filled, value[key], inner, part, f"{path}.{key}")
        elif key in schema.get("required", ()) or (key in usage.properties and not part.has_default):
            whole[key] = _make_placeholder(filled, inner, part, f"{path}.{key}")
    return whole


def _make_placeholder(filled: FilledData, schema: Any, usage: Usage, path: str, depth: int = 0) -> Any:
    """The placeholder for a missing value, of the declared type or else of one that fits its uses."""
    schema = schema if isinstance(schema, dict) else {}
    kind = example_data.find_type(schema) if {"type", "properties", "items"} & schema.keys() else usage.kind
    if kind == "array" and depth < _MAX_DEPTH:
        items = usage.items or Usage()
        return [
            _make_placeholder(filled, schema.get("items", {}), items, f"{path}, {ordinal}", depth + 1)
            for ordinal in _ORDINALS
        ]
    if kind == "object" and depth < _MAX_DEPTH:
        properties = schema.get("properties", {})
        return {
            key: _make_placeholder(
                filled, properties.get(key, {}), usage.properties.get(key, Usage()), f"{path}.{key}", depth + 1
            )
            for key in dict.fromkeys((*properties, *usage.properties))
        }
    if path.endswith(".role"):
        return _ROLE
    filled.placeholders.append(path)
    if kind == "boolean":
        return True
    return 1 if kind in ("integer", "number") else f"[{path}]"
