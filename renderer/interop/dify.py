"""Dify's exported apps: the prompts of their LLM nodes, or the single prompt of a simple app."""

import re
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop import dify_form
from promptuary.renderer.interop.dify_form import FormField
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.jinja_text import read_jinja
from promptuary.renderer.interop.pieces import Message, Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role

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
    nodes = _list_nodes(value)
    form = dify_form.read_start_form(nodes)
    imported = []
    for node in nodes:
        data = as_mapping(node.get("data"), "workflow.graph.nodes")
        if data.get("type") == "llm":
            title = str(data.get("title") or node.get("id"))
            imported.append(_Prompt(TemplateBuilder(KIND, f"{app}/{title}"), form).read_node(data))
    simple = as_mapping(value.get("model_config"), "model_config")
    if simple.get("pre_prompt"):
        prompt = _Prompt(TemplateBuilder(KIND, app), dify_form.read_simple_form(simple))
        imported.append(prompt.read_simple(simple))
    if not imported:
        raise LossError("the app has no LLM node and no prompt")
    return imported


def _list_nodes(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    workflow = as_mapping(value.get("workflow"), "workflow")
    graph = as_mapping(workflow.get("graph"), "workflow.graph")
    return [node for node in as_list(graph.get("nodes"), "workflow.graph.nodes") if isinstance(node, dict)]


class _Prompt:
    """One prompt of an app, with the fields of the app's form by the path that a prompt uses."""

    def __init__(self, builder: TemplateBuilder, form: Mapping[str, FormField]) -> None:
        self._builder = builder
        self._form = form
        self._names = InputNames()
        self._inputs: dict[str, Any] = {}
        self._used: set[str] = set()
        self._jinja_paths: dict[str, str] = {}  # the path of a variable by its name in Jinja texts

    def read_simple(self, config: Mapping[str, Any]) -> ImportedTemplate:
        """The prompt of a simple app. Raises LossError."""
        self._add_model(as_mapping(config.get("model"), "model"))
        self._builder.differ("the conversation, tools and knowledge of the app are left out")
        pieces = self._read_pieces(str(config["pre_prompt"]))
        self._declare_fields()
        return self._builder.build_text(pieces)

    def read_node(self, data: Mapping[str, Any]) -> ImportedTemplate:
        """The prompt of an LLM node. Raises LossError."""
        self._add_model(as_mapping(data.get("model"), "model"))
        if as_mapping(data.get("memory"), "memory") or as_mapping(data.get("context"), "context").get("enabled"):
            self._builder.differ("memory and context of the node are left out, except where its text names them")
        config = as_mapping(data.get("prompt_config"), "prompt_config")
        for variable in as_list(config.get("jinja2_variables"), "prompt_config.jinja2_variables"):
            if isinstance(variable, dict) and isinstance(variable.get("value_selector"), list):
                self._jinja_paths[str(variable.get("variable"))] = ".".join(map(str, variable["value_selector"]))
        template = data.get("prompt_template")
        if isinstance(template, dict):
            pieces = self._read_pieces(str(template.get("text") or ""))
            self._declare_fields()
            return self._builder.build_text(pieces)
        messages = []
        for entry in as_list(template, "prompt_template"):
            message = as_mapping(entry, "prompt_template")
            is_jinja = message.get("edition_type") == "jinja2"
            text = str((message.get("jinja2_text") if is_jinja else message.get("text")) or "")
            if not text:
                self._builder.differ("an empty message is left out")
                continue
            messages.append(Message(convert_role(message.get("role")), self._read_pieces(text, is_jinja=is_jinja)))
        self._declare_fields()
        return self._builder.build_parts(messages)

    def _add_model(self, model: Mapping[str, Any]) -> None:
        self._builder.front["model"] = model.get("name")
        settings = model.get("completion_params")
        self._builder.front["settings"] = settings if isinstance(settings, dict) else {}

    def _declare_fields(self) -> None:
        """Declare the form's fields that the prompt uses, and name the others."""
        self._builder.front["inputs"] = self._inputs
        unused = [f"`{field.name}`" for path, field in self._form.items() if path not in self._used]
        if unused:
            self._builder.differ(f"fields of the form that this prompt does not use are left out: {', '.join(unused)}")

    def _note_field(self, path: str, name: str) -> None:
        """Declare the input if the variable is a field of the form."""
        if path in self._form and path not in self._used:
            self._used.add(path)
            self._inputs[name] = self._form[path].build_schema(self._builder)

    def _name_input(self, path: str) -> str:
        """The input of a variable: its last name, with a number if another node has a variable of that name."""
        return self._names.input_name(path, wanted=path.rpartition(".")[2])

    def _read_pieces(self, text: str, *, is_jinja: bool = False) -> tuple[Piece, ...]:
        if is_jinja:
            plain = read_jinja(text, self._names, drop_last_newline=False)
            self._builder.add_differences(plain.differences)
            for name, path in self._jinja_paths.items():
                if re.search(rf"\b{re.escape(name)}\b", text):
                    self._note_field(path, self._names.input_name(name))
            return plain.pieces
        pieces: list[Piece] = []
        end = 0
        for match in _VARIABLE.finditer(text):
            path = (match[1] or match[2]).strip()
            name = self._name_input(path)
            pieces += [text[end : match.start()], Slot(name)]
            self._note_field(path, name)
            if match[1]:
                self._builder.differ(f"`{match[0]}` is the input `{name}`")
            end = match.end()
        return (*pieces, text[end:])
