"""Dify's exported apps: the prompts of their LLM nodes, or the single prompt of a simple app."""

import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import Message, Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, role_of

__all__ = ["KIND", "is_dify_app", "read_dify_app"]

KIND = "dify"
_VARIABLE = re.compile(r"\{\{#([^{}#]+)#\}\}|\{\{\s*([^\W\d]\w*)\s*\}\}")


def is_dify_app(value: object) -> bool:
    """Whether a value is an exported app."""
    return isinstance(value, dict) and value.get("kind") == "app" and isinstance(value.get("app"), dict)


def read_dify_app(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per prompt. Raises LossError."""
    value = source.read_value()
    if not is_dify_app(value):
        raise LossError("an app of Dify has `kind: app` and `app`")
    app = str(value["app"].get("name") or source.stem)
    imported = []
    for title, data in _nodes(value):
        imported.append(_read_node(TemplateBuilder(KIND, f"{app}/{title}"), data))
    simple = as_mapping(value.get("model_config"), "model_config")
    if simple.get("pre_prompt"):
        builder = TemplateBuilder(KIND, app)
        _add_model(builder, as_mapping(simple.get("model"), "model"))
        builder.differ("the conversation, tools and knowledge of the app are left out")
        imported.append(builder.build_text(_pieces(builder, str(simple["pre_prompt"]), InputNames())))
    if not imported:
        raise LossError("the app has no LLM node and no prompt")
    return imported


def _nodes(value: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    workflow = as_mapping(value.get("workflow"), "workflow")
    graph = as_mapping(workflow.get("graph"), "workflow.graph")
    nodes: list[tuple[str, Mapping[str, Any]]] = []
    for node in as_list(graph.get("nodes"), "workflow.graph.nodes"):
        data = node.get("data") if isinstance(node, dict) else None
        if isinstance(data, dict) and data.get("type") == "llm":
            nodes.append((str(data.get("title") or node.get("id")), data))
    return nodes


def _read_node(builder: TemplateBuilder, data: Mapping[str, Any]) -> ImportedTemplate:
    _add_model(builder, as_mapping(data.get("model"), "model"))
    names = InputNames()
    if as_mapping(data.get("memory"), "memory") or as_mapping(data.get("context"), "context").get("enabled"):
        builder.differ("memory and context of the node are left out, except where its text names them")
    template = data.get("prompt_template")
    if isinstance(template, dict):
        return builder.build_text(_pieces(builder, str(template.get("text") or ""), names))
    messages = []
    for entry in as_list(template, "prompt_template"):
        message = as_mapping(entry, "prompt_template")
        is_jinja = message.get("edition_type") == "jinja2"
        text = str((message.get("jinja2_text") if is_jinja else message.get("text")) or "")
        if not text:
            builder.differ("an empty message is left out")
            continue
        messages.append(Message(role_of(message.get("role")), _pieces(builder, text, names, is_jinja=is_jinja)))
    return builder.build_parts(messages)


def _add_model(builder: TemplateBuilder, model: Mapping[str, Any]) -> None:
    builder.front["model"] = model.get("name")
    settings = model.get("completion_params")
    builder.front["settings"] = settings if isinstance(settings, dict) else {}


def _input_name(names: InputNames, path: str) -> str:
    """The input of a variable: its last name, with a number if another node has a variable of that name."""
    return names.input_name(path, wanted=path.rpartition(".")[2])


def _pieces(builder: TemplateBuilder, text: str, names: InputNames, *, is_jinja: bool = False) -> tuple[Piece, ...]:
    if is_jinja:
        plain = read_jinja(text, names, drop_last_newline=False)
        builder.add_differences(plain.differences)
        return plain.pieces
    pieces: list[Piece] = []
    end = 0
    for match in _VARIABLE.finditer(text):
        path = (match[1] or match[2]).strip()
        pieces += [text[end : match.start()], Slot(_input_name(names, path))]
        if match[1]:
            builder.differ(f"`{match[0]}` is the input `{pieces[-1].expression}`")  # type: ignore[union-attr]
        end = match.end()
    return (*pieces, text[end:])
