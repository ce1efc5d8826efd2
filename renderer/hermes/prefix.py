"""The prefix of a chat service: what it passes when requesting a reply, as data for a document."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from promptuary.renderer.part import Part

__all__ = [
    "DEFAULT_NAME",
    "DEFAULT_TOKEN_LIMIT",
    "ChatContextMessage",
    "StructuredPrefix",
    "build_parts",
    "build_variables",
    "format_day",
]

DEFAULT_NAME = "production_raw.yml.j2"
DEFAULT_TOKEN_LIMIT = 7936


@dataclass(frozen=True)
class ChatContextMessage:
    """One message. `type` is accepted for callers that set it, and ignored."""

    author: str
    text: str
    is_pinned: bool = False
    type: int = 0


@dataclass
class StructuredPrefix:
    """The data that a chat service passes when requesting the next reply.

    `timestamp` is a datetime or text; only the day is written, so that the prefix stays the same all day. `space_added`
    puts a space after it in place of the first message's mark. `raw_prompt_data_dict` contains the document's
    variables: character, username, persona_definition and whatever else it uses. Without `use_hermes_generation` no
    document is used: `character_definitions` and `chat_history` are the lines themselves.
    """

    reply_prompt: str
    timestamp: datetime | str | None = None
    space_added: bool = True
    use_hermes_generation: bool = True
    hermes_generation_template_name: str | None = DEFAULT_NAME
    token_limit: int = DEFAULT_TOKEN_LIMIT
    raw_prompt_data_dict: Mapping[str, Any] = field(default_factory=dict)
    chat_context_messages: Sequence[ChatContextMessage] = ()
    pinned_history: Sequence[str] = ()
    conversation_facts: Sequence[str] = ()
    chat_memories: Sequence[str] = ()
    character_definitions: Sequence[str] = ()
    chat_history: Sequence[str] = ()
    truncation_step: int | None = None


_PLACEHOLDER = re.compile(r"\{\{\s*(char|user)\s*\}\}")


def _shorten_author(name: str) -> str:
    """An author's name as a single word, since a message is `Author: text`."""
    return re.sub(r"\s+", "-", name.strip()).strip("-") or "user"


def build_variables(prefix: StructuredPrefix) -> dict[str, Any]:
    """The document's variables: the service's data, and names that every document may use."""
    raw = dict(prefix.raw_prompt_data_dict)
    character = {"name": "", "title": "", "description": "", "definition": "", **(raw.get("character") or {})}
    username = _shorten_author(str(raw.get("username") or ""))
    messages = [
        {
            "author": _shorten_author(message.author),
            "text": message.text,
            "is_pinned": bool(message.is_pinned),
            "type": message.type,
        }
        for message in prefix.chat_context_messages
    ]
    return {
        **raw,
        "character": character,
        "username": username,
        "persona_definition": raw.get("persona_definition") or "",
        "definition": _build_definition(prefix, character, username),
        "conversation_facts": list(prefix.conversation_facts),
        "chat_memories": list(prefix.chat_memories),
        "pinned_history": list(prefix.pinned_history),
        "messages": messages,
        "reply_prompt": prefix.reply_prompt,
        "timestamp": format_day(prefix.timestamp),
    }


def _build_definition(prefix: StructuredPrefix, character: Mapping[str, Any], username: str) -> list[dict[str, str]]:
    """The character's definition as messages: `Name: text` begins one, other lines continue the previous one."""
    names = {"char": str(character["name"]), "user": username}
    about = " - ".join(str(character[key]) for key in ("title", "description") if character[key])
    character_author = _shorten_author(names["char"])
    lines = [f"{character_author}: {about}"] if about else []
    lines += list(prefix.character_definitions) or str(character["definition"] or "").splitlines()
    examples: list[dict[str, str]] = []
    for line in lines:
        filled = _PLACEHOLDER.sub(lambda hit: names[hit.group(1)], line)
        author, colon, text = filled.partition(":")
        if colon and author.strip() and len(author) <= 60 and "\n" not in author:
            examples.append({"author": _shorten_author(author), "text": text.strip()})
        elif filled.strip() and examples:
            examples[-1]["text"] += "\n" + filled.strip()
        elif filled.strip():
            examples.append({"author": character_author, "text": filled.strip()})
    return examples


def format_day(timestamp: datetime | str | None) -> str:
    """Return the day, `2024 04 23 Tuesday`: of a datetime, or of a text after removing hours and minutes at its end."""
    if isinstance(timestamp, datetime):
        return timestamp.strftime("%Y %m %d %A")
    return re.sub(r"\s+\d{1,2}[ :]\d{2}\s*$", "", timestamp) if timestamp else ""


def build_parts(prefix: StructuredPrefix) -> list[Part]:
    """The prompt's parts without a document: definitions, then messages, as the service wrote them."""
    values = build_variables(prefix)
    definition = list(prefix.character_definitions) or [
        f"{line['author']}: {line['text']}" for line in values["definition"]
    ]
    messages = list(prefix.chat_history) or [
        f"{message['author']}: {message['text']}" for message in values["messages"]
    ]
    return [
        *(Part(f"definition {number}", content=text) for number, text in enumerate(definition, 1)),
        *(Part(f"message {number}", content=text, truncation_priority=5) for number, text in enumerate(messages, 1)),
    ]
