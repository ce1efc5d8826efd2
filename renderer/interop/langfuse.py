"""Langfuse prompts, in the form of its API.

{"name": "support/reply", "type": "text" | "chat", "prompt": text or messages, "config": {...}, "tags": [...]}
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from promptuary.renderer.document.parser import Document
from promptuary.renderer.interop import mustache
from promptuary.renderer.interop.imported import (
    Difference,
    ImportedTemplate,
    LossError,
    as_list,
    as_mapping,
    check_imported,
    describe_origin,
    find_losses,
    slugify,
    write_document,
)
from promptuary.renderer.interop.input_names import InputNames
from promptuary.renderer.interop.pieces import History, write_parts_body
from promptuary.renderer.interop.tool_calls import join_texts, separate_calls
from promptuary.renderer.syntax import suggestions

__all__ = ["KIND", "is_langfuse_prompt", "read_langfuse_prompts", "to_langfuse_file"]

KIND = "langfuse"
_ROLES = ("system", "user", "assistant", "developer", "tool")
_KNOWN = ("name", "type", "prompt", "config", "tags", "version", "commitMessage")
# Added by its server, or only about where the prompt was stored.
_SERVERS = (
    *(
        "id",
        "createdAt",
        "updatedAt",
        "projectId",
        "createdBy",
        "labels",
        "resolutionGraph",
        "isActive",
        "digest",
        "approval",
    ),
    "lastUpdatedAt",
)


def is_langfuse_prompt(value: object) -> bool:
    """Whether a JSON value looks like one of its prompts."""
    return isinstance(value, dict) and {"name", "prompt"} <= set(value)


def read_langfuse_prompts(value: Any, _stem: str) -> Iterator[ImportedTemplate]:
    """Read the prompt, or the prompts of a list. Raises LossError."""
    entries = value if isinstance(value, list) else [value]
    for entry in entries:
        if not is_langfuse_prompt(entry):
            raise LossError("a prompt of Langfuse is a mapping with `name` and `prompt`")
        yield _read(entry)


def to_langfuse_file(source: Document, name: str, fragments: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return the JSON of the API call that creates the prompt, and what it leaves out. Raises LossError."""
    messages = mustache.read_document_messages(source, fragments)
    facts = describe_origin(source, KIND)
    config = dict(source.settings)
    if source.model:
        config.setdefault("model", source.model)
    is_text = source.format == "text"
    prompt = "".join(message["content"] for message in messages) if is_text else messages
    entry = {
        "name": facts.get("name") or name,
        "type": "text" if is_text else "chat",
        "prompt": prompt,
        "config": config,
        "tags": list(source.tags),
        "labels": [],
        "commitMessage": source.description or None,
    }
    losses = find_losses(source, ("description", "tags", "format", "model", "settings"))
    text = json.dumps(entry, ensure_ascii=False, indent=2) + "\n"
    return text, losses + ([] if not fragments else [f"the pins of its fragments ({', '.join(sorted(fragments))})"])


def _read(entry: Mapping[str, Any]) -> ImportedTemplate:
    if unknown := sorted(set(entry) - {*_KNOWN, *_SERVERS}):
        raise LossError(f"there is no place for {suggestions.list_names(unknown)}")
    config = as_mapping(entry.get("config"), "config")
    model = config.get("model")
    front: dict[str, Any] = {
        "tags": entry.get("tags") or [],
        "description": entry.get("commitMessage") or "",
        "model": model if isinstance(model, str) else None,
        "settings": config,
    }
    prompt = entry["prompt"]
    differences = list(map(Difference, _list_notes(entry)))
    if isinstance(prompt, str):
        front["format"], body = "text", mustache.write_text(_remove_tags(prompt))
    else:
        front["format"], body = "parts", _write_parts(prompt, differences)
    facts = {"name": entry["name"], "version": entry.get("version")}
    document = write_document(KIND, front, body, facts)
    imported = ImportedTemplate(slugify(str(entry["name"])), document, KIND, differences=tuple(differences))
    return check_imported(imported, body)


def _write_parts(prompt: Any, differences: list[Difference]) -> str:
    """The messages as parts, each placeholder as a loop over an input. Adds to the differences. Raises LossError."""
    if not isinstance(prompt, list) or not prompt:
        raise LossError("`prompt` is a text or a list of messages")
    bodies, names = [], InputNames()
    for number, message in enumerate(prompt, start=1):
        placeholder = _read_placeholder(message)
        if placeholder is None:
            bodies.append(mustache.write_parts(_read_messages(number, message, differences), number))
            continue
        name = names.input_name(placeholder)
        bodies.append(write_parts_body([History(name)]))
        differences.append(Difference(f"the messages of `{name}` come by a loop: mappings with `role` and `content`"))
        differences.append(
            Difference(f"`{{{{names}}}}` inside the messages of `{name}` stay text; there they are filled in")
        )
    return "".join(bodies)


def _read_placeholder(message: Any) -> str | None:
    """The name of the placeholder for messages that an entry is; None for a message."""
    name = message.get("name") if isinstance(message, dict) and message.get("type") == "placeholder" else None
    return name if isinstance(name, str) and name.strip() else None


def _read_messages(number: int, message: Any, differences: list[Difference]) -> list[dict[str, str]]:
    """The message, after the results of calls in it."""
    if not isinstance(message, dict):
        raise LossError(f"message {number} has no `role`")
    separated = separate_calls(message, number, lambda sentence: differences.append(Difference(sentence)))
    return [_read_message(number, {**each, "content": join_texts(each.get("content"))}) for each in separated]


def _read_message(number: int, message: dict[str, Any]) -> dict[str, str]:
    extra = sorted(set(message) - {"role", "content", "type"})
    if extra or not isinstance(message.get("content"), str) or message.get("role") not in _ROLES:
        reason = ", ".join(extra) or "a content that isn't text, or its role"
        raise LossError(f"message {number}: there is no place for {reason}")
    return {"role": message["role"], "content": _remove_tags(message["content"])}


def _remove_tags(text: str) -> str:
    if "@@@langfusePrompt:" in text:
        raise LossError(
            "it takes in another prompt, by a label that moves; fetch it resolved, or use a pinned fragment"
        )
    return text


def _list_notes(entry: Mapping[str, Any]) -> Iterator[str]:
    labels = as_list(entry.get("labels"), "labels")
    if labels:
        yield f"labels move by review only; there it has {', '.join(map(str, labels))}"
