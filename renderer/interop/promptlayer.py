"""PromptLayer's prompts, in the form of its API."""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.langchain import LANGUAGES
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "is_promptlayer_prompt", "read_promptlayer_prompt"]

KIND = "promptlayer"


def is_promptlayer_prompt(value: object) -> bool:
    """Whether a value is one of its prompts."""
    template = value.get("prompt_template") if isinstance(value, dict) else None
    return isinstance(template, dict) and template.get("type") in ("chat", "completion")


def read_promptlayer_prompt(source: SourceFile) -> list[ImportedTemplate]:
    """Read the prompt as one template. Raises LossError."""
    value = source.read_value()
    if not is_promptlayer_prompt(value):
        raise LossError("a prompt of PromptLayer has a `prompt_template` of the type chat or completion")
    template = value["prompt_template"]
    builder = TemplateBuilder(KIND, str(value.get("prompt_name") or source.stem))
    builder.facts = {"name": value.get("prompt_name"), "version": value.get("version")}
    builder.front["tags"] = [str(tag) for tag in as_list(value.get("tags"), "tags")]
    builder.front["description"] = str(value.get("commit_message") or "")
    model = as_mapping(as_mapping(value.get("metadata"), "metadata").get("model"), "metadata.model")
    builder.front["model"] = model.get("name")
    builder.front["settings"] = as_mapping(model.get("parameters"), "metadata.model.parameters")
    if template.get("tools"):
        builder.front["tools"] = template["tools"]
    if template["type"] == "completion":
        text, language = _read_completion(template)
        plain = read_template_text(text, language, InputNames())
        builder.add_differences(plain.differences)
        return [builder.build_text(plain.pieces)]
    messages = as_list(template.get("messages"), "messages")
    formats = {str(message.get("template_format") or "f-string") for message in messages if isinstance(message, dict)}
    if len(formats) > 1:
        raise LossError(f"its messages are in several template formats: {', '.join(sorted(formats))}")
    language = _find_language(formats.pop() if formats else "f-string")
    cleaned = [_read_message(message, number) for number, message in enumerate(messages, start=1)]
    return [builder.build_parts(read_messages(builder, cleaned, language))]


def _read_completion(template: Mapping[str, Any]) -> tuple[str, str]:
    content = template.get("content")
    items = content if isinstance(content, list) else []
    texts = [item.get("text") for item in items if isinstance(item, dict)]
    if len(texts) != 1 or not isinstance(texts[0], str):
        raise LossError("a completion has one text")
    return texts[0], _find_language(str(template.get("template_format") or "f-string"))


def _find_language(template_format: str) -> str:
    if template_format not in LANGUAGES:
        raise LossError(f"there is no template format {template_format}")
    return LANGUAGES[template_format]


def _read_message(message: Any, number: int) -> dict[str, Any]:
    if not isinstance(message, dict) or message.get("role") == "placeholder":
        raise LossError(f"message {number} is a place for messages; write it with a loop over an input")
    return {key: message.get(key) for key in ("role", "content", "tool_calls", "function_call")}
