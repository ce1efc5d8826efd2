"""Haystack 2 pipelines: the Jinja prompts of their PromptBuilder and ChatPromptBuilder."""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_mapping
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import Message
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role

__all__ = ["KIND", "is_haystack_pipeline", "read_haystack_pipeline"]

KIND = "haystack-2"


def is_haystack_pipeline(value: object) -> bool:
    """Whether a value is a version 2 pipeline: components by name, each with its Python type."""
    components = value.get("components") if isinstance(value, dict) else None
    if not isinstance(components, dict) or not components:
        return False
    return all(isinstance(part, dict) and "." in str(part.get("type")) for part in components.values())


def read_haystack_pipeline(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt builder. Raises LossError."""
    value = source.read_value()
    if not is_haystack_pipeline(value):
        raise LossError("a pipeline has `components` by name, each with a `type`")
    builders = {name: part for name, part in value["components"].items() if part["type"].rpartition(".")[2] in _READERS}
    if not builders:
        raise LossError("the pipeline has no PromptBuilder and no ChatPromptBuilder")
    model = _find_model(value["components"])
    imported = []
    for name, part in builders.items():
        builder = TemplateBuilder(KIND, name if len(builders) == 1 else f"{source.stem}/{name}")
        builder.front["model"] = model
        if others := sorted(set(value["components"]) - set(builders)):
            builder.differ(f"other components of the pipeline are left out: {', '.join(others)}")
        parameters = as_mapping(part.get("init_parameters"), f"components.{name}.init_parameters")
        imported.append(_READERS[part["type"].rpartition(".")[2]](builder, parameters))
    return imported


def _find_model(components: Mapping[str, Any]) -> str | None:
    for part in components.values():
        parameters = part.get("init_parameters")
        if part["type"].endswith("Generator") and isinstance(parameters, dict):
            model = parameters.get("model")
            return model if isinstance(model, str) else None
    return None


def _read_prompt_builder(builder: TemplateBuilder, parameters: Mapping[str, Any]) -> ImportedTemplate:
    template = parameters.get("template")
    if not isinstance(template, str):
        raise LossError("a PromptBuilder has a `template` that is text")
    plain = read_jinja(template)
    builder.add_differences(plain.differences)
    return builder.build_text(plain.pieces)


def _read_chat_builder(builder: TemplateBuilder, parameters: Mapping[str, Any]) -> ImportedTemplate:
    template = parameters.get("template")
    if isinstance(template, str):
        raise LossError("its messages are written in Jinja blocks of its own; write them as a list")
    if not isinstance(template, list) or not template:
        raise LossError("a ChatPromptBuilder without a template takes it when it runs")
    messages = []
    for number, entry in enumerate(template, start=1):
        message = as_mapping(entry, "template")
        plain = read_jinja(_read_text(message.get("content", message.get("_content")), number))
        builder.add_differences(plain.differences)
        messages.append(Message(convert_role(message.get("role", message.get("_role"))), plain.pieces))
    return builder.build_parts(messages)


def _read_text(content: Any, number: int) -> str:
    """The text of a message: a text, or a list with a single `{text: ...}`."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
    if not isinstance(content, str):
        raise LossError(f"message {number} has more than one text")
    return content


_READERS = {"PromptBuilder": _read_prompt_builder, "ChatPromptBuilder": _read_chat_builder}
