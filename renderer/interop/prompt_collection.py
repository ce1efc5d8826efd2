"""Prompts as texts in a custom YAML or JSON file: agents and tasks of crewAI, prompts of smolagents, seeds of PyRIT.

Each long text, each text whose key suggests a prompt, and each list of messages becomes a template, named after its
keys; beside these also each text with a name in braces. Other values are ignored, and a difference lists them.
"""

import re
from collections.abc import Sequence
from typing import Any

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.prompt_entries import Path, PromptEntry, find_entries, holds_collection
from promptuary.renderer.interop.source_file import SourceFile
from promptuary.renderer.interop.template_builder import TemplateBuilder
from promptuary.renderer.interop.template_text import find_language, read_template_text

__all__ = ["KIND", "is_prompt_collection", "read_prompt_collection"]

KIND = "prompt-collection"
_MAX_NAMED = 10
_SETTINGS = ("temperature", "max_tokens", "top_p")


def is_prompt_collection(source: SourceFile) -> bool:
    """Whether a file's value has a prompt in it, and isn't prose in lines such as `Task: sum up`."""
    return holds_collection(source)


def read_prompt_collection(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per text. Unreadable texts are listed as a difference of the first one. Raises LossError."""
    value = source.read_value()
    if _are_dataset_rows(value):
        raise LossError(
            "it has the rows of a dataset, with `input` and `ideal`, and no prompts: import it as a dataset"
        )
    entries = list(find_entries(value))
    prompts = _choose_prompts(entries)
    if not prompts:
        raise LossError("nothing in it looks like a prompt")
    imported: list[ImportedTemplate] = []
    differences: list[Difference] = []
    names = _name_entries([entry.path for entry in prompts], source.stem)
    # A file's texts share one language, even those that happen not to use its syntax.
    languages = {find_language(entry.value) for entry in prompts if isinstance(entry.value, str)}
    language = "jinja" if "jinja" in languages or _is_guardrails(value) else ""
    used_paths: set[Path] = set()
    for entry, name in zip(prompts, names, strict=True):
        builder = TemplateBuilder(KIND, name)
        used_paths |= _take_facts(builder, entry, is_single=len(prompts) == 1)
        try:
            imported.append(_build(builder, entry.value, language))
        except LossError as error:
            first = entry.value if isinstance(entry.value, str) else ""
            message = f"`{'.'.join(entry.path)}` is left out: {error.message}"
            differences.append(Difference(message, source.find_line(first)))
    if not imported:
        raise LossError(differences[0].message, differences[0].line)
    chosen = {id(entry) for entry in prompts}
    if others := [
        ".".join(other_entry.path)
        for other_entry in entries
        if id(other_entry) not in chosen and other_entry.path not in used_paths
    ]:
        more = f" and {len(others) - _MAX_NAMED} more" if len(others) > _MAX_NAMED else ""
        differences.append(Difference(f"left out, as they are not prompts: {', '.join(others[:_MAX_NAMED])}{more}"))
    first_one = imported[0]
    joined = (*differences, *first_one.differences)
    first_one = ImportedTemplate(first_one.name, first_one.document, KIND, first_one.samples, joined)
    return [first_one, *imported[1:]]


def _choose_prompts(entries: Sequence[PromptEntry]) -> list[PromptEntry]:
    if any(entry.is_prompt for entry in entries):
        return [entry for entry in entries if entry.is_prompt or entry.has_placeholder()]
    # As only a person can say: a file of short prompts.
    return [entry for entry in entries if isinstance(entry.value, str) and " " in entry.value.strip()]


def _take_facts(builder: TemplateBuilder, entry: PromptEntry, *, is_single: bool) -> set[Path]:
    """Take over what stands beside a prompt, and return its paths: a description; of a single prompt, also its name,
    model and settings.
    """
    about, used_paths = entry.about, set()
    above = entry.path if isinstance(entry.value, list) else entry.path[:-1]

    def take(key: str) -> Any:
        used_paths.add((*above, key))
        return about[key]

    if isinstance(about.get("description"), str) and entry.path[-1:] != ("description",):
        builder.front["description"] = take("description").strip()
    if not is_single:
        return used_paths
    if isinstance(name := about.get("name"), str) and any(sign.isascii() and sign.isalnum() for sign in name):
        builder.name = take("name")
    if isinstance(about.get("model"), str):
        builder.front["model"] = take("model")
    settings = {key: take(key) for key in _SETTINGS if isinstance(about.get(key), int | float)}
    if settings:
        builder.front["settings"] = settings
    return used_paths


def _build(builder: TemplateBuilder, text: Any, language: str) -> ImportedTemplate:
    if isinstance(text, list):
        return builder.build_parts(read_messages(builder, _remove_last_line_ends(builder, text), language))
    plain = read_template_text(text, language, InputNames())
    builder.add_differences(plain.differences)
    return builder.build_text(plain.pieces)


def _remove_last_line_ends(builder: TemplateBuilder, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages without the line end with which YAML's blocks end."""
    shortened = [{**message, "content": message["content"].removesuffix("\n")} for message in messages]
    if shortened != messages:
        builder.differ("the end of a message's last line is left out, because a part has none")
    return shortened


def _are_dataset_rows(value: Any) -> bool:
    """Whether a value is a list of rows in the form of OpenAI's evals."""
    is_row = [isinstance(row, dict) and {"input", "ideal"} <= set(row) for row in value]
    return isinstance(value, list) and len(is_row) > 1 and all(is_row)


def _is_guardrails(value: Any) -> bool:
    """Whether the prompts are those of NeMo Guardrails, which are always Jinja."""
    prompts = value.get("prompts") if isinstance(value, dict) else None
    return isinstance(prompts, list) and all(isinstance(prompt, dict) and "task" in prompt for prompt in prompts)


def _name_entries(paths: list[Path], stem: str) -> list[str]:
    if len(paths) == 1:
        return [stem]
    names: list[str] = []
    for path in paths:
        name = base = "/".join((stem, *path[-6:]))
        number = 2
        while re.sub(r"[^a-z0-9/]+", "-", name.lower()) in {
            re.sub(r"[^a-z0-9/]+", "-", other.lower()) for other in names
        }:
            name, number = f"{base}-{number}", number + 1
        names.append(name)
    return names
