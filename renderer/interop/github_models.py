"""Prompt files of GitHub Models (`*.prompt.yml`): messages, model parameters, and test data as samples."""

import json
from typing import Any

from promptuary.renderer.interop.chat_messages import add_request, is_chat_messages, read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_github_prompt", "read_github_prompt"]

KIND = "github-models"
_OWN_KEYS = {"modelParameters", "responseFormat", "jsonSchema", "testData", "evaluators"}


def is_github_prompt(value: object) -> bool:
    """Whether a value has messages, and a key that only these files have."""
    return isinstance(value, dict) and bool(_OWN_KEYS & set(value)) and is_chat_messages(value)


def read_github_prompt(source: SourceFile) -> list[ImportedTemplate]:
    """Read the file as one template. Raises LossError."""
    value = source.read_value()
    if not is_github_prompt(value):
        raise LossError("a prompt file of GitHub Models has `messages`, and `modelParameters` or `testData`")
    builder = TemplateBuilder(KIND, str(value.get("name") or source.stem))
    builder.front["description"] = str(value.get("description") or "")
    add_request(builder, {"model": value.get("model"), **as_mapping(value.get("modelParameters"), "modelParameters")})
    _add_response_format(builder, value)
    _add_samples(builder, as_list(value.get("testData"), "testData"))
    if evaluators := as_list(value.get("evaluators"), "evaluators"):
        builder.differ(f"left out, as evaluations are set up apart from the text: evaluators ({len(evaluators)})")
    read = {"name", "description", "model", "messages", *_OWN_KEYS}
    if others := sorted(set(value) - read):
        builder.differ(f"left out: {', '.join(others)}")
    return [builder.build_parts(read_messages(builder, value["messages"], "double"))]


def _add_response_format(builder: TemplateBuilder, value: dict[str, Any]) -> None:
    schema = value.get("jsonSchema")
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except (ValueError, RecursionError) as error:
            raise LossError(f"its `jsonSchema` isn't valid JSON: {error}") from None
    if isinstance(schema, dict):
        inner = schema.get("schema")
        builder.front["output"] = {"schema": inner if isinstance(inner, dict) else schema}
        builder.differ("`jsonSchema` is the schema of the output")
    elif value.get("responseFormat"):
        builder.differ(f"`responseFormat` is left out; it is {value['responseFormat']}")


def _add_samples(builder: TemplateBuilder, rows: list[Any]) -> None:
    is_shortened = False
    for number, row in enumerate(rows, start=1):
        values = as_mapping(row, "testData")
        is_shortened = is_shortened or "expected" in values
        builder.samples[f"test {number}"] = {name: item for name, item in values.items() if name != "expected"}
    if rows:
        builder.differ("the rows of `testData` are samples")
    if is_shortened:
        builder.differ("the expected replies of `testData` are left out; a dataset can store them")
