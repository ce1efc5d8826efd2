"""LangChain's prompts: saved as JSON or YAML (`_type: prompt`), serialised (`lc: 1`), or exported from LangSmith.

Templates in f-string format are Python's `str.format`; Jinja and Mustache are read as such. A placeholder for messages
becomes a loop over an input.
"""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, as_list, as_mapping
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.langchain_messages import read_stored_messages, write_calls
from promptuary.renderer.interop.pieces import History, Message, Piece, Slot
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder, convert_role
from promptuary.renderer.interop.template_text import read_template_text

__all__ = ["KIND", "LANGUAGES", "is_langchain_prompt", "read_langchain_prompt"]

KIND = "langchain"
LANGUAGES = {"f-string": "str.format", "jinja2": "jinja", "mustache": "mustache"}
_TYPES = ("prompt", "few_shot", "chat")
_PROMPTS = (
    *("ChatPromptTemplate", "StructuredPrompt", "FewShotPromptTemplate", "PromptTemplate"),
    *("chat", "few_shot", "prompt"),
)
_ROLE_OF_CLASS = {"System": "system", "Human": "user", "AI": "assistant"}


def is_langchain_prompt(value: object) -> bool:
    """Whether a value is a prompt or messages saved or serialised by LangChain, or a LangSmith export with one."""
    if read_stored_messages(value):
        return True
    if not isinstance(value, dict):
        return False
    if value.get("lc") == 1 and isinstance(value.get("id"), list):
        return True
    if isinstance(value.get("manifest"), dict):
        return is_langchain_prompt(value["manifest"])
    if "_type" not in value:  # the form of older versions
        names = value.get("input_variables")
        if not isinstance(value.get("template"), str) or not isinstance(names, list):
            return False
        are_names = bool(names) and all(isinstance(name, str) for name in names)
        return value.get("template_format") in LANGUAGES or ("template_format" not in value and are_names)
    return value.get("_type") in _TYPES and bool({"template", "template_path", "messages", "examples"} & set(value))


def read_langchain_prompt(source: SourceFile) -> list[ImportedTemplate]:
    """Read the prompt as one template. Raises LossError."""
    value = source.read_value()
    if not is_langchain_prompt(value):
        raise LossError("LangChain didn't save this: it has neither `_type` nor `lc`")
    name = source.stem
    if messages := read_stored_messages(value):
        builder = TemplateBuilder(KIND, name)
        return [builder.build_parts(read_messages(builder, messages))]
    if isinstance(value.get("manifest"), dict):
        name = str(value.get("repo") or value.get("name") or value.get("full_name") or source.stem)
        value = value["manifest"]
    builder = TemplateBuilder(KIND, name)
    kind, fields = _read_kind_and_fields(value)
    reader = _Reader(builder)
    if kind in ("RunnableSequence", "sequence"):
        kind, fields = _find_prompt_of_sequence(fields)
        builder.differ("only the prompt of the sequence is read; its model and its other steps are left out")
    if kind in ("ChatPromptTemplate", "chat", "StructuredPrompt"):
        if fields.get("schema_") or fields.get("schema"):
            builder.front["output"] = {"schema": fields.get("schema_") or fields.get("schema")}
        messages = as_list(fields.get("messages"), "messages")
        return [builder.build_parts([reader.message(entry) for entry in messages])]
    if kind in ("FewShotPromptTemplate", "few_shot"):
        return [builder.build_text(reader.few_shot(fields))]
    if kind in ("PromptTemplate", "prompt"):
        return [builder.build_text(reader.text(fields))]
    raise LossError(f"there is no reader for LangChain's {kind}")


def _find_prompt_of_sequence(fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The only prompt among the steps of a sequence. Raises LossError unless there is exactly one."""
    steps = [fields.get("first"), *as_list(fields.get("middle") or [], "middle"), fields.get("last")]
    written = [step for step in steps if isinstance(step, dict) and step.get("type") != "not_implemented"]
    prompts = [entry for entry in map(_read_kind_and_fields, written) if entry[0] in _PROMPTS]
    if len(prompts) != 1:
        raise LossError(f"its sequence has {len(prompts)} prompts; export the prompt that you want by itself")
    return prompts[0]


def _read_kind_and_fields(value: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    if value.get("lc") == 1:
        if value.get("type") != "constructor":
            raise LossError(f"an object of the type {value.get('type')} is not written out in it")
        return str(value["id"][-1]), as_mapping(value.get("kwargs"), "kwargs")
    return str(value.get("_type", "prompt")), dict(value)


class _Reader:
    def __init__(self, builder: TemplateBuilder) -> None:
        self.builder = builder
        self.names = InputNames()

    def text(self, fields: Mapping[str, Any]) -> tuple[Piece, ...]:
        """The pieces of a PromptTemplate. Values filled in beforehand become part of the text."""
        if fields.get("template_path"):
            raise LossError(f"its text is in another file, {fields['template_path']}; import that one")
        template = fields.get("template")
        if not isinstance(template, str):
            raise LossError("a prompt template has a `template` that is text")
        language = LANGUAGES.get(str(fields.get("template_format") or "f-string"))
        if language is None:
            raise LossError(f"there is no template format {fields.get('template_format')}")
        if fields.get("output_parser"):
            self.builder.differ("its output parser is left out")
        plain = read_template_text(template, language, self.names)
        self.builder.add_differences(plain.differences)
        return self._fill_pieces(plain.pieces, as_mapping(fields.get("partial_variables"), "partial_variables"))

    def _fill_pieces(self, pieces: tuple[Piece, ...], partial: Mapping[str, Any]) -> tuple[Piece, ...]:
        filled = []
        for piece in pieces:
            value = partial.get(piece.expression) if isinstance(piece, Slot) else None
            if value is not None and not isinstance(value, str):
                raise LossError("a value filled in beforehand isn't text")
            filled.append(piece if value is None else value)
        if partial:
            self.builder.differ(f"values filled in beforehand are in the text: {', '.join(sorted(partial))}")
        return tuple(filled)

    def few_shot(self, fields: Mapping[str, Any]) -> tuple[Piece, ...]:
        """The prefix, the examples and the suffix as one text."""
        examples = fields.get("examples")
        if not isinstance(examples, list):
            raise LossError("its examples are chosen by a program, or are in another file")
        _, example = _read_kind_and_fields(as_mapping(fields.get("example_prompt"), "example_prompt"))
        separator = fields.get("example_separator", "\n\n")
        common = {"template_format": fields.get("template_format")}
        sections: list[tuple[Piece, ...]] = []
        if fields.get("prefix"):
            sections.append(self.text({"template": fields["prefix"], **common}))
        for entry in examples:
            values = {name: str(value) for name, value in as_mapping(entry, "examples").items()}
            pieces = self.text(example)
            sections.append(
                tuple(values.get(piece.expression, piece) if isinstance(piece, Slot) else piece for piece in pieces)
            )
        if fields.get("suffix"):
            sections.append(self.text({"template": fields["suffix"], **common}))
        self.builder.differ(f"its {len(examples)} examples are in the text")
        joined: list[Piece] = []
        for number, section in enumerate(sections):
            joined += [separator, *section] if number else section
        return tuple(joined)

    def message(self, value: Any) -> Message | History:
        """A message template, a message, or a placeholder for messages."""
        kind, fields = _read_kind_and_fields(as_mapping(value, "messages"))
        if kind in ("MessagesPlaceholder", "messages_placeholder") or "variable_name" in fields:
            name = self.names.input_name(str(fields.get("variable_name")))
            optional = " (an empty list where there are none)" if fields.get("optional") else ""
            self.builder.differ(
                f"the messages of `{name}` come by a loop: mappings with `role` and `content`{optional}"
            )
            return History(name)
        role = next((role for prefix, role in _ROLE_OF_CLASS.items() if kind.startswith(prefix)), "")
        role = role or convert_role(fields.get("role") or {"human": "user", "ai": "assistant"}.get(kind, kind))
        if "content" in fields:
            if not isinstance(fields["content"], str):
                raise LossError("the content of a message isn't text")
            calls = write_calls(fields)
            for called, _ in calls:
                self.builder.differ(f"the call of `{called}` is text without its id, because parts have no calls")
            return Message(role, ("\n".join(filter(None, [fields["content"], *(text for _, text in calls)])),))
        prompt = fields.get("prompt")
        if isinstance(prompt, list):
            prompts = [self.text(_read_kind_and_fields(as_mapping(entry, "prompt"))[1]) for entry in prompt]
            return Message(role, tuple(piece for pieces in prompts for piece in pieces))
        return Message(role, self.text(_read_kind_and_fields(as_mapping(prompt, "prompt"))[1]))
