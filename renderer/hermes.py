"""Character chats the way Hermes' services build them: a StructuredPrefix in, a tokenised context and its bookkeeping out.

The context is a stream of messages, `Author: text`, between marks: one that begins the dialogue and carries the day, one
that begins and one that ends a message; it ends with the name of who is to speak next. Marks belong to this module: the
same characters typed by a user stay text and never get a mark's id.
"""

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from renderer import layout, profiles, targets, tokens, truncation
from renderer.counting import Tokenizer
from renderer.errors import InputError
from renderer.prompt import Cut, Part
from renderer.template import Template, load

__all__ = [
    "DEFAULT_DOCUMENT",
    "MARKS",
    "ChatContextMessage",
    "StructuredPrefix",
    "TokenizedContext",
    "build_structured_prefix",
]

MARKS: Mapping[str, str] = {
    "bod": "<|beginningofdialog|>",
    "bom": "<|beginningofmessage|>",
    "eom": "<|endofmessage|>",
}
"""The marks by name; `special_tokens_mapping` replaces any of them."""

DEFAULT_NAME = "production_raw.yml.j2"
DEFAULT_TOKEN_LIMIT = 7936

DEFAULT_DOCUMENT = """\
---
description: A character chat - who the character is, who the user is, what is known, what was said
format: parts
keep_last: 4
---
{% for line in definition %}
- name: definition {{ loop.index }}
  content: "{{ line.author }}: {{ line.text }}"
{% endfor %}
{% if persona_definition %}
- name: persona
  content: "{{ username }}: {{ persona_definition }}"
{% endif %}
{% for fact in conversation_facts %}
- name: fact {{ loop.index }}
  truncation_priority: 3
  content: "narrator: {{ fact }}"
{% endfor %}
{% for memory in chat_memories %}
- name: memory {{ loop.index }}
  truncation_priority: 4
  content: "narrator: {{ memory }}"
{% endfor %}
{% for message in messages %}
- name: message {{ loop.index }}
  truncation_priority: {{ 4 if message.is_pinned else 5 }}
  content: "{{ message.author }}: {{ message.text }}"
{% endfor %}
"""
"""What is used where no other document is named; our own words for the common order of such prompts."""


@dataclass(frozen=True)
class ChatContextMessage:
    """One thing said. `type` is kept for callers that set it and means nothing here."""

    author: str
    text: str
    is_pinned: bool = False
    type: int = 0


@dataclass
class StructuredPrefix:
    """What a chat service knows when it asks for the next reply.

    `timestamp` is a datetime or text; of it the day alone is written, so that the prefix stays the same all day.
    `space_added` puts a space after it in place of the first message's mark. `raw_prompt_data_dict` holds what the
    document's variables want: character, username, persona_definition and whatever else it uses.
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


@dataclass(frozen=True)
class TokenizedContext:
    """The tokens, where the day ends among them, and how many messages are in and how many were cut."""

    tokens: list[int]
    idx_after_timestamp: int
    context_num_msg: int
    truncated_num_msg: int


# The part number of text that belongs to no part and is data all the same.
_OURS = -1

Loader = Callable[[str], str] | Mapping[str, str]


def build_structured_prefix(
    contextual_logger: logging.Logger | None = None,
    structured_prefix: StructuredPrefix | None = None,
    close_last_message: bool = True,
    *,
    loader: Loader | None = None,
    tokenizer: str | Callable[[str], Sequence[Any]] | Tokenizer | None = None,
    special_tokens_mapping: Mapping[str, str] | None = None,
    special_token_ids: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Build the context of the next reply.

    With `close_last_message` the last message is ended and the reply prompt opened; without it the last message stays
    open, to be continued, and there is no reply prompt. `loader` gives the text of the document that
    `hermes_generation_template_name` names; without one there is only the document of this module. `special_token_ids`
    are the marks' ids by their text; a mark without one counts as one token of unknown id.

    Returns a dict: tokenized_context, prompt, character_definitions, chat_history, chat_hist_global_index, reply_prompt,
    space_added, token_limit, timestamp, cut. Raises RenderError as a rendering does.
    """
    if structured_prefix is None:
        raise InputError("build_structured_prefix needs a structured_prefix.", path="structured_prefix")
    log = contextual_logger or logging.getLogger(__name__)
    marks = {**MARKS, **(special_tokens_mapping or {})}
    context = _Context(structured_prefix, marks, special_token_ids or {}, close_last_message)
    counter = tokens.find(tokenizer)
    template = _template(structured_prefix.hermes_generation_template_name or DEFAULT_NAME, loader)
    data = _data(structured_prefix)
    rendered = template.render(_wanted(template, data), token_limit=-1, tokenizer=counter)
    fitted = truncation.fit(
        rendered.parts,
        counter,
        context.profile,
        limit=max(1, structured_prefix.token_limit - sum(map(counter.count, (context.day, context.reply)))),
        step=structured_prefix.truncation_step or template.document.truncation_step,
        keep_last=template.document.keep_last,
        keep_pairs=template.document.keep_pairs,
    )
    if fitted.cuts:
        log.info(
            "cut %d of %d parts to fit %d tokens", len(fitted.cuts), len(rendered.parts), structured_prefix.token_limit
        )
    return _result(structured_prefix, context, fitted.parts, fitted.cuts, counter)


def _template(name: str, loader: Loader | None) -> Template:
    if loader is None:
        if name != DEFAULT_NAME:
            raise InputError(f"There is no document named {name!r}: give a loader that knows it.", path="loader")
        return load(DEFAULT_DOCUMENT)
    try:
        text = loader[name] if isinstance(loader, Mapping) else loader(name)
    except (KeyError, FileNotFoundError) as error:
        raise InputError(
            f"The loader knows no document named {name!r}.", path="hermes_generation_template_name"
        ) from error
    return load(text)


def _wanted(template: Template, data: dict[str, Any]) -> dict[str, Any]:
    declared = template.document.inputs
    return data if declared is None else {name: value for name, value in data.items() if name in declared}


_PLACEHOLDER = re.compile(r"\{\{\s*(char|user)\s*\}\}")


def _author(name: str) -> str:
    """An author's name as one word, since a message is `Author: text`."""
    return re.sub(r"\s+", "-", name.strip()).strip("-") or "user"


def _data(prefix: StructuredPrefix) -> dict[str, Any]:
    """The document's variables: what the service gave, and names that every document may count on."""
    raw = dict(prefix.raw_prompt_data_dict)
    character = {"name": "", "title": "", "description": "", "definition": "", **(raw.get("character") or {})}
    username = _author(str(raw.get("username") or ""))
    messages = [
        {"author": _author(each.author), "text": each.text, "is_pinned": bool(each.is_pinned), "type": each.type}
        for each in prefix.chat_context_messages
    ]
    return {
        **raw,
        "character": character,
        "username": username,
        "persona_definition": raw.get("persona_definition") or "",
        "definition": _definition(prefix, character, username),
        "conversation_facts": list(prefix.conversation_facts),
        "chat_memories": list(prefix.chat_memories),
        "pinned_history": list(prefix.pinned_history),
        "messages": messages,
        "reply_prompt": prefix.reply_prompt,
        "timestamp": _day(prefix.timestamp),
    }


def _definition(prefix: StructuredPrefix, character: Mapping[str, Any], username: str) -> list[dict[str, str]]:
    """The character's definition as messages: `Name: text` begins one, other lines go on with the one before."""
    names = {"char": str(character["name"]), "user": username}
    about = " - ".join(str(character[key]) for key in ("title", "description") if character[key])
    own = _author(names["char"])
    lines = [f"{own}: {about}"] if about else []
    lines += list(prefix.character_definitions) or str(character["definition"] or "").splitlines()
    found: list[dict[str, str]] = []
    for line in lines:
        filled = _PLACEHOLDER.sub(lambda hit: names[hit.group(1)], line)
        author, colon, text = filled.partition(":")
        if colon and author.strip() and len(author) <= 60 and "\n" not in author:
            found.append({"author": _author(author), "text": text.strip()})
        elif filled.strip() and found:
            found[-1]["text"] += "\n" + filled.strip()
        elif filled.strip():
            found.append({"author": own, "text": filled.strip()})
    return found


def _day(timestamp: datetime | str | None) -> str:
    """`2024 04 23 Tuesday`: a datetime's day, or a text that ends in hours and minutes without these."""
    if isinstance(timestamp, datetime):
        return timestamp.strftime("%Y %m %d %A")
    return re.sub(r"\s+\d{1,2}[ :]\d{2}\s*$", "", timestamp) if timestamp else ""


class _Context:
    """The marks of one build as a profile, so that they are counted like any chat markup."""

    def __init__(
        self, prefix: StructuredPrefix, marks: Mapping[str, str], ids: Mapping[str, int], close_last: bool
    ) -> None:
        begin, end = marks["bom"], marks["eom"]
        self.space = prefix.space_added
        self.close_last = close_last
        # Both come from outside, so they are data like any message: no mark in them counts as one.
        self.day = _day(prefix.timestamp) + (" " if prefix.space_added else "")
        self.reply = prefix.reply_prompt if close_last else ""
        self.profile = profiles.check({
            "name": "hermes",
            "tokenizer": tokens.DEFAULT,
            "marks": {mark: ids.get(mark) for mark in (marks["bod"], begin, end)},
            "prefill": False,
            "markup": {
                "start": marks["bod"],
                "reply": begin if close_last else "",
                "roles": dict.fromkeys(("system", "developer", "user", "assistant", "tool", "function"), (begin, end)),
            },
        })  # fmt: skip

    def pieces(self, parts: Sequence[Part]) -> list[layout.Piece]:
        """The laid out context, with what depends on being first or last put right."""
        start, *found = layout.pieces(parts, self.profile)
        if parts and self.space:
            del found[0]  # the space stands for the first message's mark
        if parts and not self.close_last:
            del found[-1]
        return [start, layout.Piece(self.day, _OURS), *found, layout.Piece(self.reply, _OURS)]


def _result(
    prefix: StructuredPrefix, context: _Context, parts: Sequence[Part], cuts: Sequence[Cut], counter: Tokenizer
) -> dict[str, Any]:
    pieces = context.pieces(parts)
    ids = targets.piece_tokens(pieces, context.profile, counter)
    before = len(targets.piece_tokens(pieces[:2], context.profile, counter))
    said = [part for part in parts if part.name.startswith("message ")]
    return {
        "tokenized_context": TokenizedContext(
            tokens=ids,
            idx_after_timestamp=before,
            context_num_msg=len(said),
            truncated_num_msg=len(prefix.chat_context_messages) - len(said),
        ),
        "prompt": "".join(piece.text for piece in pieces),
        "character_definitions": [part.content for part in parts if part.name.startswith("definition ")],
        "chat_history": [part.content for part in said],
        "chat_hist_global_index": 0,
        "reply_prompt": context.reply,
        "space_added": prefix.space_added,
        "token_limit": prefix.token_limit,
        "timestamp": _day(prefix.timestamp),
        "cut": [cut.to_dict() for cut in cuts],
    }
