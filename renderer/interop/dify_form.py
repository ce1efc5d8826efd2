"""Forms of Dify's apps: the fields that a user fills in, as inputs."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.interop.imported import as_list, as_mapping
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["FormField", "read_simple_form", "read_start_form"]

_TEXTS = ("text-input", "paragraph")


@dataclass(frozen=True)
class FormField:
    """A field of the form that an app begins with. `kind` is Dify's type of it, such as `paragraph` or `select`."""

    name: str
    kind: str
    entry: Mapping[str, Any]

    def build_schema(self, builder: TemplateBuilder) -> dict[str, Any]:
        """Build the JSON Schema of its input; an optional text is empty if it isn't given.

        What the schema can't express is recorded as a difference. Raises LossError.
        """
        label = str(self.entry.get("label") or "").strip()
        schema: dict[str, Any] = {"description": label} if label and label != self.name else {}
        is_optional = self.entry.get("required") is False
        if self.kind in _TEXTS:
            return schema | self._build_text_schema(is_optional=is_optional)
        if self.kind == "select":
            return schema | self._build_choice_schema(is_optional=is_optional)
        number = _read_number(self.entry.get("default")) if self.kind == "number" else None
        if is_optional and number is None:
            builder.differ(f"the field `{self.name}` of the form is optional there; here a value is required")
        if self.kind != "number":
            builder.differ(f"the field `{self.name}` of the form, of the type {self.kind}, takes any value")
            return schema
        return schema | {"type": "number"} | ({"default": number} if number is not None else {})

    def _build_text_schema(self, *, is_optional: bool) -> dict[str, Any]:
        longest, default = self.entry.get("max_length"), self.entry.get("default")
        schema: dict[str, Any] = {"type": "string"}
        if isinstance(longest, int) and longest > 0:
            schema["maxLength"] = longest
        if isinstance(default, str) and default and len(default) <= schema.get("maxLength", len(default)):
            return schema | {"default": default}
        return schema | {"default": ""} if is_optional else schema

    def _build_choice_schema(self, *, is_optional: bool) -> dict[str, Any]:
        choices = [str(option) for option in as_list(self.entry.get("options"), f"{self.name}.options")]
        default = self.entry.get("default")
        if default not in choices:
            default = "" if is_optional else None
        if default == "" and "" not in choices:
            choices = [*choices, ""]
        schema: dict[str, Any] = {"type": "string", "enum": choices} if choices else {"type": "string"}
        return schema if default is None else schema | {"default": default}


def read_simple_form(config: Mapping[str, Any]) -> dict[str, FormField]:
    """The fields of a simple app, by the name that its prompt uses. Raises LossError.

    Source: `model_config.user_input_form`, a list of mappings with one key, the field's type.
    """
    fields = {}
    for row in as_list(config.get("user_input_form"), "model_config.user_input_form"):
        for kind, entry in as_mapping(row, "model_config.user_input_form").items():
            if isinstance(entry, dict) and isinstance(entry.get("variable"), str):
                fields[entry["variable"]] = FormField(entry["variable"], str(kind), entry)
    return fields


def read_start_form(nodes: Iterable[Mapping[str, Any]]) -> dict[str, FormField]:
    """The fields of a workflow's start nodes, by the path that its prompts use, such as `1711.question`.

    Raises LossError.
    """
    fields = {}
    for node in nodes:
        data = as_mapping(node.get("data"), "workflow.graph.nodes")
        if data.get("type") != "start":
            continue
        for entry in as_list(data.get("variables"), "start.variables"):
            if isinstance(entry, dict) and isinstance(entry.get("variable"), str):
                field = FormField(entry["variable"], str(entry.get("type") or "text-input"), entry)
                fields[f"{node.get('id')}.{entry['variable']}"] = field
    return fields


def _read_number(value: Any) -> int | float | None:
    """The default of a number, which Dify stores as a number or as its text."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
