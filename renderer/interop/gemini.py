"""Requests of Gemini's API, and its conversations: `contents` with `parts`, a `systemInstruction`, a configuration.

Its roles are `user` and `model`; a content without a role is the user's. Texts, images and calls are read.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.chat_messages import add_request, read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder

__all__ = ["KIND", "is_gemini_request", "read_gemini_request"]

KIND = "gemini"
_INSTRUCTIONS = ("systemInstruction", "system_instruction")
_CONFIGURATIONS = ("generationConfig", "generation_config", "config")
_SETTINGS = {"max_output_tokens": "max_tokens", "stop_sequences": "stop"}
"""Settings with another name in chat completions."""


def is_gemini_request(value: object) -> bool:
    """Whether a value is a request with `contents`, or a list of contents, each with `parts`."""
    contents = value.get("contents") if isinstance(value, dict) else value
    contents = [contents] if isinstance(contents, dict) else contents
    return isinstance(contents, list) and bool(contents) and all(map(_is_content, contents))


def read_gemini_request(source: SourceFile) -> list[ImportedTemplate]:
    """Read the contents as one template, one part per content. Raises LossError."""
    value = source.read_value()
    if not is_gemini_request(value):
        raise LossError("a request of Gemini has `contents`, each with `parts`")
    request = dict(value) if isinstance(value, dict) else {"contents": value}
    builder = TemplateBuilder(KIND, source.stem)
    messages = []
    for key in _INSTRUCTIONS:
        if instruction := request.pop(key, None):
            messages.append({"role": "system", "content": _read_items(instruction, f"`{key}`")})
            builder.differ(f"`{key}` is the first part, of the role system")
    contents = request.pop("contents")
    for number, content in enumerate([contents] if isinstance(contents, dict) else contents, start=1):
        role = content.get("role") or "user"
        messages.append({"role": role, "content": _read_items(content, f"content {number}")})
    _add_settings(builder, request)
    return [builder.build_parts(read_messages(builder, messages))]


def _is_content(value: object) -> bool:
    return isinstance(value, dict) and bool(value.get("parts")) and set(value) <= {"role", "parts"}


def _read_items(content: Any, subject: str) -> list[dict[str, Any]]:
    """A content's parts, as items of a chat message. Raises LossError."""
    parts = content.get("parts") if isinstance(content, dict) else content
    return [_read_item(part, subject) for part in (parts if isinstance(parts, list) else [parts])]


def _read_item(part: Any, subject: str) -> dict[str, Any]:
    fields = (
        {_convert_to_snake_case(str(key)): value for key, value in part.items()}
        if isinstance(part, dict)
        else {"text": part}
    )
    if isinstance(fields.get("text"), str):
        return {"type": "thinking" if fields.get("thought") is True else "text", "text": fields["text"]}
    if isinstance(call := fields.get("function_call"), dict):
        return {"type": "tool_use", "name": call.get("name"), "input": call.get("args")}
    if isinstance(answer := fields.get("function_response"), dict):
        return {"type": "tool_result", "content": json.dumps(answer.get("response"), ensure_ascii=False)}
    if image := _read_image(fields):
        return {"type": "image", "source": image}
    other = ", ".join(sorted(part)) if isinstance(part, dict) else "no text"
    raise LossError(f"{subject} has a part that isn't text ({other}), which has no place here; take it out of the file")


def _read_image(fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """The image that a part gives by its address or its data, in Anthropic's form; None for other parts."""
    blob = fields.get("inline_data") or fields.get("file_data")
    described = (
        {_convert_to_snake_case(str(key)): value for key, value in blob.items()} if isinstance(blob, dict) else {}
    )
    kind = str(described.get("mime_type"))
    if not kind.startswith("image/"):
        return None
    if described.get("file_uri"):
        return {"url": described["file_uri"]}
    return {"media_type": kind, "data": described["data"]} if described.get("data") else None


def _add_settings(builder: TemplateBuilder, request: dict[str, Any]) -> None:
    """Take over the model, the function declarations and the configuration; the rest is left out and named."""
    settings: dict[str, Any] = {}
    for key in _CONFIGURATIONS:
        configuration = request.pop(key, None)
        if isinstance(configuration, Mapping):
            settings |= {_convert_to_snake_case(name): value for name, value in configuration.items()}
    renamed = {name: _SETTINGS.get(name, name) for name in settings}
    if settings:
        builder.differ("the configuration's names are written as in chat completions: " + ", ".join(renamed.values()))
    functions = []
    for tool in request.pop("tools", None) or []:
        declared = tool.get("functionDeclarations", tool.get("function_declarations")) if isinstance(tool, dict) else ()
        functions += declared if isinstance(declared, list) else [tool]
    model = request.pop("model", None)
    if request:
        builder.differ(f"left out of the request: {', '.join(sorted(request))}")
    renamed_settings = {renamed[name]: value for name, value in settings.items()}
    add_request(builder, {"model": model, "tools": functions, **renamed_settings})


def _convert_to_snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: f"_{match[1].lower()}", name)
