"""Prompty files: YAML front matter, then a body in which lines such as `system:` start a message."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.interop import foreign_yaml, mustache
from promptuary.renderer.interop.imported import (
    ImportedTemplate,
    LossError,
    SecretError,
    as_mapping,
    describe_origin,
    find_losses,
)
from promptuary.renderer.interop.prompty_body import IMAGE, ROLE, ROLES, read_messages, read_text
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.syntax.yaml_reader import YamlError, compose, read_value

__all__ = ["KIND", "is_prompty_file", "read_prompty_file", "to_prompty_file"]

KIND = "prompty"
_WHOLE = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^---[ \t]*\n?(.*)\Z", re.DOTALL | re.MULTILINE)
_SECRET = re.compile(r"key|secret|token|password|credential", re.IGNORECASE)
_JINJA_SIGNS = re.compile(r"\{[%#{]|\{\Z")
_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_PYTHON_TYPES = {
    "str": "string",
    "text": "string",
    "float": "number",
    "int": "integer",
    "bool": "boolean",
    "list": "array",
    "tuple": "array",
    "dict": "object",
    "mapping": "object",
}
_OPTIONS = {  # Prompty 2's option names, and those of model calls and of version 1
    "maxOutputTokens": "max_tokens",
    "topP": "top_p",
    "topK": "top_k",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "stopSequences": "stop",
    "allowMultipleToolCalls": "parallel_tool_calls",
}
_INPUT = ("type", "description", "default", "enum", "sample", "is_required", "required", "items", "properties")


def is_prompty_file(text: str) -> bool:
    """Whether a text has front matter and a line that starts a message."""
    match = _WHOLE.match(text)
    return match is not None and any(ROLE.match(line) for line in match[2].split("\n"))


def read_prompty_file(text: str, stem: str) -> Iterator[ImportedTemplate]:
    """Read the file's prompt. Raises LossError."""
    match = _WHOLE.match(text)
    if match is None:
        raise LossError("a Prompty file starts with front matter between `---` lines")
    try:
        head = read_value(compose(match[1]))
    except YamlError as error:
        raise LossError(f"its front matter cannot be read: {error.message}") from error
    if not isinstance(head, dict):
        raise LossError("its front matter isn't a mapping")
    _check_engine(head.pop("template", "jinja2"))
    model = head.pop("model", None) or {}
    builder = TemplateBuilder(KIND, stem)
    api, builder.front = _build_front(model if isinstance(model, dict) else {"id": model}, head)
    builder.front["inputs"], sample = _read_inputs(_take_inputs(head), head.pop("sample", None))
    builder.samples = {"sample": sample} if sample else {}
    builder.name = str(head.get("name") or stem)
    builder.facts = _read_facts(head, model)
    if noted := [key for key in ("tools", "outputs", "outputSchema") if head.get(key)]:
        builder.differ(f"only noted in a comment of the document: {', '.join(noted)}")
    if api == "completion":
        yield read_text(match[2], builder)
    else:
        builder.differ("blank lines around a message are left out")
        yield read_messages(match[2], builder)


def to_prompty_file(source: Document, name: str, fragments: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the text of a Prompty file, and what it leaves out. Raises LossError."""
    messages = mustache.read_document_messages(source, fragments, _escape)
    facts = describe_origin(source, KIND)
    model = dict(facts.get("model") or {"api": "chat"})
    if source.format == "text":
        model["api"] = "completion"
    if source.model:
        model["configuration"] = {**(model.get("configuration") or {}), "name": source.model}
    if source.settings:
        model["parameters"] = source.settings
    head = {"name": name, **{key: value for key, value in facts.items() if key != "model"}, "model": model}
    head |= {key: value for key, value in (("description", source.description), ("tags", list(source.tags))) if value}
    if source.inputs:
        head["inputs"] = source.inputs
    if source.format == "text":
        body = "".join(message["content"] for message in messages)
    else:
        body = "\n\n".join(f"{message['role']}:\n{_check_message(message)}" for message in messages) + "\n"
    losses = find_losses(source, ("description", "tags", "format", "model", "settings", "inputs"))
    losses += [f"the pins of its fragments ({', '.join(sorted(fragments))})"] if fragments else []
    return f"---\n{foreign_yaml.write_yaml_1_1(head)}---\n{body}", losses


def _check_engine(template: Any) -> None:
    kind = template.get("format", template.get("type", "jinja2")) if isinstance(template, dict) else template
    if isinstance(kind, dict):
        kind = kind.get("kind", "jinja2")
    if kind not in ("jinja2", None):
        raise LossError(f"its templates are written in {kind}; here they are written in Jinja")


def _build_front(model: Mapping[str, Any], head: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    api = str(model.get("api") or model.get("apiType") or "chat")
    if api not in ("chat", "completion"):
        raise LossError(f"it is made for the API {api}; prompts are made for chat and completion")
    configuration = as_mapping(model.get("configuration"), "model.configuration")
    model_name = model.get("id") or configuration.get("name") or configuration.get("model")
    settings = model.get("parameters") or _translate_options(as_mapping(model.get("options"), "model.options"))
    front = {"description": head.pop("description", ""), "model": model_name, "settings": settings}
    metadata = as_mapping(head.get("metadata"), "metadata")
    return api, {
        **front,
        "tags": head.pop("tags", None) or metadata.get("tags"),
    }


def _translate_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Rename Prompty 2's options to those of model calls, and merge in additionalProperties."""
    further = as_mapping(options.get("additionalProperties"), "model.options.additionalProperties")
    known_options = {
        name: value for name, value in options.items() if name != "additionalProperties" and value is not None
    }
    return {**further, **{_OPTIONS.get(name, name): value for name, value in known_options.items()}}


def _take_inputs(head: dict[str, Any]) -> Any:
    """Remove the inputs from the header and return them; some files have them as the properties of an `inputSchema`."""
    schema = head.get("inputSchema")
    entries = schema.get("properties") if isinstance(schema, dict) else schema
    if head.get("inputs") is None and isinstance(entries, dict | list):
        del head["inputSchema"]
        return entries
    return head.pop("inputs", None)


def _read_inputs(entries: Any, sample: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return JSON Schemas by name, and the values given as samples."""
    if isinstance(entries, list):
        if not all(isinstance(entry, dict) and isinstance(entry.get("name"), str) for entry in entries):
            raise LossError("each of its inputs is a mapping with a name")
        entries = {entry["name"]: {key: value for key, value in entry.items() if key != "name"} for entry in entries}
    if sample is not None and not isinstance(sample, dict):
        raise LossError("its sample is in another file; put it in its place")
    schemas: dict[str, Any] = {}
    samples: dict[str, Any] = dict(sample or {})
    for name, entry in as_mapping(entries, "inputs").items():
        if isinstance(entry, dict) and set(entry) <= {*_INPUT, "kind"} and entry:
            schemas[name], example = _read_schema(name, entry)
            samples |= {name: example} if example is not None else {}
        else:
            schemas[name] = {}
            samples[name] = entry
    return schemas, samples


def _read_schema(name: str, entry: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    written = entry.get("type") or entry.get("kind")
    kind = written if written in _TYPES else _PYTHON_TYPES.get(str(written).partition("[")[0].casefold())
    if written is not None and kind is None:
        raise LossError(f"the input {name} is of the kind {written}, which isn't a JSON type")
    known_keys = ("description", "default", "enum", "items", "properties")
    schema = {key: entry[key] for key in known_keys if entry.get(key) is not None}
    return {**({"type": kind} if kind else {}), **schema}, entry.get("sample")


def _read_facts(head: Mapping[str, Any], model: Any) -> dict[str, Any]:
    facts = dict(head)
    if isinstance(model, dict):
        facts["model"] = {key: value for key, value in model.items() if key not in ("parameters", "options")}
    _refuse_secrets(facts)
    return facts


def _refuse_secrets(value: Any, name: str = "") -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            _refuse_secrets(item, str(key))
    elif isinstance(value, str) and _SECRET.search(name) and not value.startswith("${"):
        raise SecretError(f"`{name}` is a secret in plain text; name an environment variable there, as ${{env:NAME}}")


def _escape(literal: str) -> str:
    """A text that Jinja prints as this literal, whatever name follows it."""
    return _JINJA_SIGNS.sub(lambda match: "{{ '" + match[0] + "' }}", literal)


def _check_message(message: Mapping[str, str]) -> str:
    """Return a message's text if reading it back yields the same."""
    content = message["content"]
    lines: Sequence[str] = content.split("\n")
    if message["role"] not in ROLES:
        raise LossError(f"Prompty has no role {message['role']} of this kind")
    if content != content.strip() or not content:
        raise LossError("a message begins or ends with blanks, or is empty, and Prompty trims messages")
    if any(ROLE.match(line) or line.strip().startswith("![thread]") for line in lines) or IMAGE.search(content):
        raise LossError("a line of a message would start another one, or show an image, in Prompty")
    return content
