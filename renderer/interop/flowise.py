"""Flowise's exported flows: the prompts of their nodes.

Nodes of a chat flow have LangChain templates, in which the flow first fills in its own `{{question}}`. Those of an
agent flow have formatted text with flow variables, which Flowise converts to Markdown for the model.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from promptuary.renderer.interop.formatted_text import read_formatted_text
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import Message, Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "is_flowise_flow", "read_flowise_flow"]

KIND = "flowise"
_ROLES = {
    "systemMessagePrompt": "system",
    "systemMessage": "system",
    "systemPrompt": "system",
    "supervisorPrompt": "system",
    "workerPrompt": "system",
    "humanMessagePrompt": "user",
}
_MESSAGES = re.compile(r"(?:llm|agent)Messages$")
_USER_MESSAGE = re.compile(r"(?:llm|agent)UserMessage$")
_TEXT = re.compile(r"(?:Prompt|Instructions)$|^template$|^prompt$|^instructions$")
_NO_PROMPTS = ("approvalPrompt",)
_MODEL = re.compile(r"ModelConfig$")
_SETTINGS = {"temperature": "temperature", "topP": "top_p", "maxTokens": "max_tokens"}
_VARIABLE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_OF_FLOW = re.compile(
    r"\{\{\s*(question|chat_history|file_attachment|current_date_time|\$[\w.]+|\w+_\d+\.[\w.]+)\s*\}\}"
)
_WORD_START = re.compile("(?<=[a-z])(?=[A-Z])")
_ONLY_REFERENCE = re.compile(r"\s*\{\{[^{}]+\}\}\s*")


def is_flowise_flow(value: object) -> bool:
    """Whether a value is an exported flow, or the API's response for one."""
    return bool(_list_nodes(value))


def read_flowise_flow(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt. Raises LossError."""
    value = source.read_value()
    imported: list[ImportedTemplate] = []
    unread: list[Difference] = []
    labels: dict[str, int] = {}
    for data in _list_nodes(value):
        label = str(data.get("label") or data.get("name"))
        labels[label] = labels.get(label, 0) + 1
        name = f"{source.stem}/{label}" if labels[label] == 1 else f"{source.stem}/{label} {labels[label]}"
        try:
            imported += _read_node(name, data)
        except LossError as error:
            unread.append(Difference(f"`{label}` is left out: {error.message}"))
    if not imported:
        raise LossError(unread[0].message if unread else "no node of the flow has a prompt of its own")
    imported[0] = replace(imported[0], differences=(*unread, *imported[0].differences))
    return imported


def _list_nodes(value: object) -> list[Mapping[str, Any]]:
    """The data of the nodes; empty if the value isn't a flow."""
    if not isinstance(value, dict):
        return []
    if isinstance(value.get("flowData"), str):
        try:
            value = json.loads(value["flowData"])
        except (ValueError, RecursionError):
            return []
    nodes = value.get("nodes") if isinstance(value, dict) and isinstance(value.get("edges"), list) else None
    data = [node.get("data") for node in nodes if isinstance(node, dict)] if isinstance(nodes, list) else []
    return [each for each in data if isinstance(each, dict) and isinstance(each.get("inputs"), dict) and "name" in each]


def _read_node(name: str, data: Mapping[str, Any]) -> Iterator[ImportedTemplate]:
    inputs = {key: value for key, value in data["inputs"].items() if value not in (None, "", [], {})}
    node = _Node(inputs)
    builder = node.start(name)
    messages = [
        Message(_ROLES[key], node.chat_pieces(builder, inputs[key]))
        for key in _ROLES
        if isinstance(inputs.get(key), str) and not _ONLY_REFERENCE.fullmatch(inputs[key])
    ]
    for key, value in inputs.items():
        if _MESSAGES.search(key):
            for entry in (as_mapping(each, key) for each in as_list(value, key)):
                messages.append(
                    Message(convert_role(entry.get("role")), node.flow_pieces(builder, entry.get("content")))
                )
    for key, value in inputs.items():
        if _USER_MESSAGE.search(key):
            messages.append(Message("user", node.flow_pieces(builder, value)))
    if messages:
        yield builder.build_parts(messages)
    for key, value in inputs.items():
        if key in _ROLES or key in _NO_PROMPTS or not _TEXT.search(key) or not isinstance(value, str):
            continue
        if _ONLY_REFERENCE.fullmatch(value):
            continue  # another node supplies it
        builder = node.start(name if key == "template" else f"{name}/{_WORD_START.sub(' ', key)}")
        read = node.flow_pieces if read_formatted_text(value) is not None else node.chat_pieces
        yield builder.build_text(read(builder, value))


class _Node:
    """A node's inputs, and the names of the inputs of its templates."""

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self.inputs = inputs
        self.names = InputNames()

    def start(self, name: str) -> TemplateBuilder:
        """Start building a template of this node, with its model and the flow's values."""
        builder = TemplateBuilder(KIND, name)
        builder.differ("only the prompts of the flow are read; its other nodes and settings are left out")
        for key, value in self.inputs.items():
            if _MODEL.search(key) and isinstance(value, dict):
                builder.front["model"] = value.get("modelName")
                builder.front["settings"] = _read_settings(value)
            elif key.endswith("StructuredOutput"):
                builder.differ("its structured output is left out")
        self._add_values(builder)
        return builder

    def chat_pieces(self, builder: TemplateBuilder, text: str) -> tuple[Piece, ...]:
        """Read a LangChain template with flow variables as pieces. Raises LossError."""
        pieces: list[Piece] = []
        for number, part in enumerate(_OF_FLOW.split(text)):
            if number % 2:
                pieces.append(Slot(self.names.input_name(part, shown="{{" + part + "}}")))
                continue
            try:
                plain = read_template_text(part, "str.format", self.names)
            except LossError:  # Flowise itself doubles the braces of JSON
                plain = read_template_text(part, "single", self.names)
            pieces += plain.pieces
            builder.add_differences(plain.differences)
        builder.add_differences(self.names.differences())
        return tuple(pieces)

    def flow_pieces(self, builder: TemplateBuilder, text: Any) -> tuple[Piece, ...]:
        """Read a formatted text as pieces. Raises LossError."""
        if not isinstance(text, str):
            raise LossError("a message of the flow has a content that isn't text")
        markdown = read_formatted_text(text)
        if markdown is not None and markdown != re.sub(r"^<p>|</p>$", "", text):
            builder.differ("formatted text is written as Markdown")
        pieces: list[Piece] = []
        for number, part in enumerate(_VARIABLE.split(text if markdown is None else markdown)):
            is_variable = number % 2 == 1
            pieces.append(Slot(self.names.input_name(part, shown="{{" + part + "}}")) if is_variable else part)
        builder.add_differences(self.names.differences())
        return tuple(pieces)

    def _add_values(self, builder: TemplateBuilder) -> None:
        """The values that a node passes to its template: its own texts are defaults, others come from the caller."""
        values = self.inputs.get("promptValues")
        try:
            parsed = json.loads(values) if isinstance(values, str) else values
        except ValueError:
            parsed = None
        for name, value in (parsed if isinstance(parsed, dict) else {}).items():
            if isinstance(value, str) and "{{" not in value and not value.startswith("$"):
                inputs = builder.front.setdefault("inputs", {})
                inputs[self.names.input_name(name)] = {"type": "string", "default": value}
            else:
                builder.differ(f"`{name}` is no longer filled from `{value}`: callers send it")


def _read_settings(model: Mapping[str, Any]) -> dict[str, Any]:
    settings = {}
    for key, name in _SETTINGS.items():
        try:
            number = float(model[key])
        except (KeyError, TypeError, ValueError):
            continue
        settings[name] = int(number) if number.is_integer() and name == "max_tokens" else number
    return settings
