"""Prompts as texts in a custom YAML or JSON file: agents and tasks of crewAI, prompts of smolagents.

Each long text, each text whose key suggests a prompt, and each list of messages becomes a template, named after its
keys; beside these also each text with a name in braces. Other values are ignored, and a difference lists them.
"""

import re
from collections.abc import Iterator
from typing import Any

from promptuary.renderer.interop.chat_messages import read_messages
from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.placeholder_patterns import DOUBLE, SINGLE
from promptuary.renderer.interop.source_file import SourceFile, Tagged
from promptuary.renderer.interop.template_builder import ROLES, TemplateBuilder
from promptuary.renderer.interop.template_text import find_language, read_template_text

__all__ = ["KIND", "find_texts", "is_prompt_collection", "read_prompt_collection"]

KIND = "prompt-collection"
_PROMPT_KEY = re.compile(
    r"prompt|template|instruct|system|message|content|^text$|^goal$|backstory|expected_output|^role$|^task$|^act$",
    re.IGNORECASE,
)
_SHORTEST_NAMED = 20
_SHORTEST = 80
_SHORTEST_UNSPACED = 40  # characters of a text in a script that has no spaces between words
_MOST_NAMED = 10
Path = tuple[str, ...]


def is_prompt_collection(value: object) -> bool:
    """Whether a value contains a text that is taken for a prompt."""
    return isinstance(value, dict | list) and any(kept for _, _, kept in find_texts(value))


def read_prompt_collection(source: SourceFile) -> list[ImportedTemplate]:
    """Read one template per text. Unreadable texts are listed as a difference of the first one. Raises LossError."""
    value = source.read_value()
    if _are_dataset_rows(value):
        raise LossError(
            "it has the rows of a dataset, with `input` and `ideal`, and no prompts: import it as a dataset"
        )
    entries = list(find_texts(value))
    if not any(kept for _, _, kept in entries):  # as only a person can say: a file of short prompts
        entries = [(path, text, isinstance(text, str) and " " in text.strip()) for path, text, _ in entries]
    else:
        entries = [(path, text, kept or _has_placeholder(text)) for path, text, kept in entries]
    prompts = [(path, text) for path, text, kept in entries if kept]
    if not prompts:
        raise LossError("nothing in it looks like a prompt")
    imported: list[ImportedTemplate] = []
    differences: list[Difference] = []
    names = _names([path for path, _ in prompts], source.stem)
    # A file's texts share one language, even those that happen not to use its syntax.
    languages = {find_language(text) for _, text in prompts if isinstance(text, str)}
    language = "jinja" if "jinja" in languages or _is_guardrails(value) else ""
    for (path, text), name in zip(prompts, names, strict=True):
        first = text if isinstance(text, str) else ""
        try:
            imported.append(_build(TemplateBuilder(KIND, name), text, language))
        except LossError as error:
            differences.append(Difference(f"`{'.'.join(path)}` is left out: {error.message}", source.find_line(first)))
    if not imported:
        raise LossError(differences[0].message, differences[0].line)
    if others := [".".join(path) for path, _, kept in entries if not kept]:
        more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
        differences.append(Difference(f"left out, as they are not prompts: {', '.join(others[:_MOST_NAMED])}{more}"))
    first_one = imported[0]
    joined = (*differences, *first_one.differences)
    first_one = ImportedTemplate(first_one.name, first_one.document, KIND, first_one.samples, joined)
    return [first_one, *imported[1:]]


def find_texts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any, bool]]:
    """Yield each text or list of messages with its path, and whether it is taken for a prompt; other values as not."""
    if isinstance(value, str):
        yield path, value, _is_prompt(path, value)
    elif isinstance(value, list) and (messages := _as_messages(value)):
        yield path, messages, True
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from find_texts(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            label = item.get("name") or item.get("task") or item.get("id") if isinstance(item, dict) else None
            yield from find_texts(item, (*path, label if isinstance(label, str) else str(number)))
    elif value is not None:
        yield path, value, False


def _build(builder: TemplateBuilder, text: Any, language: str) -> ImportedTemplate:
    if isinstance(text, list):
        return builder.build_parts(read_messages(builder, text, language))
    plain = read_template_text(text, language, InputNames())
    builder.add_differences(plain.differences)
    return builder.build_text(plain.pieces)


def _are_dataset_rows(value: Any) -> bool:
    """Whether a value is a list of rows in the form of OpenAI's evals."""
    is_row = [isinstance(row, dict) and {"input", "ideal"} <= set(row) for row in value]
    return isinstance(value, list) and len(is_row) > 1 and all(is_row)


def _is_guardrails(value: Any) -> bool:
    """Whether the prompts are those of NeMo Guardrails, which are always Jinja."""
    prompts = value.get("prompts") if isinstance(value, dict) else None
    return isinstance(prompts, list) and all(isinstance(prompt, dict) and "task" in prompt for prompt in prompts)


def _is_prompt(path: Path, text: str) -> bool:
    if len(text.split()) < 4 and len(text) < _SHORTEST_UNSPACED:
        return False
    key = next((step for step in reversed(path) if not step.isdigit()), "")
    return len(text) >= (_SHORTEST_NAMED if _PROMPT_KEY.search(key) else _SHORTEST)


def _has_placeholder(text: Any) -> bool:
    """Whether a text has braces around a name, which makes a short one a prompt beside others."""
    if not isinstance(text, str) or len(text) < _SHORTEST_NAMED or len(text.split()) < 4:
        return False
    return bool(DOUBLE.search(text) or SINGLE.search(text))


def _as_messages(value: list[Any]) -> list[dict[str, Any]]:
    """The messages of a list of mappings with content and a role, or a type that is a role; empty for other lists."""
    messages = []
    for item in value:
        if not isinstance(item, dict) or isinstance(item, Tagged):
            return []
        role = item.get("role") or item.get("type")
        if role not in (*ROLES, "bot", "human", "ai") or not isinstance(item.get("content"), str) or len(item) > 2:
            return []
        messages.append({"role": role, "content": item["content"]})
    return messages


def _names(paths: list[Path], stem: str) -> list[str]:
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
