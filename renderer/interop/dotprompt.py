"""Dotprompt files, the format of Genkit: YAML front matter with Picoschema, then Handlebars with `{{role}}` marks."""

import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.handlebars import read_handlebars
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import History, Message
from promptuary.renderer.interop.plain_text import split_front_matter
from promptuary.renderer.interop.prompt_collection import is_prompt_collection
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role

__all__ = ["KIND", "is_dotprompt", "read_dotprompt"]

KIND = "dotprompt"
_ROLE = re.compile(r"\{\{\s*role\s+[\"'](\w+)[\"']\s*\}\}|\{\{\s*(history)\s*\}\}")
_MEDIA = re.compile(r"\{\{\s*media\s+url=([^}\s]+)[^}]*\}\}")
_FIELD = re.compile(r"(?P<name>[^\W\d]\w*)(?P<optional>\??)(?:\((?P<kind>\w+)(?:,\s*(?P<description>.*))?\))?")
_KEY = re.compile(r"[a-z][a-z0-9_]*")
_OPTIONS = {"maxOutputTokens": "max_tokens", "topP": "top_p", "topK": "top_k", "stopSequences": "stop"}
_SCALARS = {"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null"}


def is_dotprompt(source: SourceFile) -> bool:
    """Whether the file has front matter with an input in Dotprompt's form, or the suffix `.prompt`.

    Other programs use the suffix for YAML with keys, which has no front matter.
    """
    front, body = split_front_matter(source)
    if source.suffix == ".prompt":
        return front is not None or not _is_yaml_of_prompts(source)
    return front is not None and isinstance(front.get("input"), dict) and "{{" in body


def _is_yaml_of_prompts(source: SourceFile) -> bool:
    value = source.value
    return isinstance(value, dict) and all(map(_KEY.fullmatch, map(str, value))) and is_prompt_collection(source)


def read_dotprompt(source: SourceFile) -> list[ImportedTemplate]:
    """Read the file's prompt. Raises LossError."""
    front, body = split_front_matter(source)
    front = dict(front or {})
    builder = TemplateBuilder(KIND, str(front.pop("name", "") or source.stem))
    _add_front(builder, front)
    builder.differ("texts around a message are trimmed, as Dotprompt does")
    messages = _build_messages(builder, body)
    return [builder.build_parts(messages)]


def _build_messages(builder: TemplateBuilder, body: str) -> list[Message | History]:
    names = InputNames()
    messages: list[Message | History] = []
    role, start = "user", 0
    for mark in [*_ROLE.finditer(body), None]:
        text = body[start : mark.start() if mark else len(body)]
        if text.strip():
            messages.append(_build_message(builder, role, text, names))
        if mark is None:
            break
        start = mark.end()
        if mark[2]:
            messages.append(History("history"))
            builder.differ("`{{history}}` is the input `history`: mappings with `role` and `content`")
            role = "model"
        else:
            role = mark[1]
    return messages


def _build_message(builder: TemplateBuilder, role: str, text: str, names: InputNames) -> Message:
    images = []
    for media in _MEDIA.finditer(text):
        plain = read_handlebars("{{" + media[1] + "}}", names, escapes=False)
        images.append({"image_url": {"url": tuple(piece for piece in plain.pieces if piece != "")}})
    if images and _MEDIA.sub("", text[text.index("{{media") :] if "{{media" in text else "").strip():
        builder.differ("an image comes after the text of its message")
    plain = read_handlebars(_MEDIA.sub("", text).strip(), names, escapes=False)
    builder.add_differences(plain.differences)
    return Message(convert_role(role), plain.pieces, tuple(images))


def _add_front(builder: TemplateBuilder, front: dict[str, Any]) -> None:
    model = front.pop("model", None)
    if isinstance(model, str):
        builder.front["model"] = model.rpartition("/")[2]
        if "/" in model:
            builder.differ(f"the model `{model}` is called `{builder.front['model']}`")
    config = as_mapping(front.pop("config", None), "config")
    builder.front["settings"] = {_OPTIONS.get(name, name): value for name, value in config.items()}
    builder.front["description"] = str(front.pop("description", "") or "")
    input_values = as_mapping(front.pop("input", None), "input")
    defaults = as_mapping(input_values.get("default"), "input.default")
    schema = _convert_schema(input_values.get("schema"))
    for name, part in schema.get("properties", {}).items():
        needed = name in schema.get("required", [])
        default = {"default": defaults[name]} if name in defaults else {} if needed else {"default": None}
        kind = {"type": [part["type"], "null"]} if default == {"default": None} and "type" in part else {}
        builder.front.setdefault("inputs", {})[name] = {**part, **kind, **default}
    output = as_mapping(front.pop("output", None), "output")
    if output.get("schema"):
        builder.front["output"] = {"schema": _convert_schema(output["schema"])}
    if front:
        builder.differ(f"front matter is left out: {', '.join(sorted(front))}")


def _convert_schema(value: Any) -> dict[str, Any]:
    """Convert Picoschema to JSON Schema; a JSON Schema is returned as it is."""
    if value is None:
        return {}
    if isinstance(value, str):
        kind, _, description = value.partition(",")
        if kind.strip() not in _SCALARS and kind.strip() != "any":
            raise LossError(f"the schema `{kind.strip()}` is defined in a program")
        typed = {"type": _SCALARS[kind.strip()]} if kind.strip() in _SCALARS else {}
        return {**typed, **({"description": description.strip()} if description.strip() else {})}
    if not isinstance(value, Mapping):
        raise LossError("a schema is a mapping or the name of a type")
    if isinstance(value.get("type"), str) and value["type"] in ("object", "array", *_SCALARS):
        return dict(value)
    return _convert_object(value)


def _convert_object(value: Mapping[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for key, part in value.items():
        field = _FIELD.fullmatch(key)
        if field is None:
            raise LossError(f"`{key}` isn't a field of Picoschema")
        schema = {"enum": part} if field["kind"] == "enum" else _convert_schema(part)
        if field["kind"] == "array":
            schema = {"type": "array", "items": schema}
        if field["description"]:
            schema["description"] = field["description"]
        properties[field["name"]] = schema
        if not field["optional"]:
            required.append(field["name"])
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
