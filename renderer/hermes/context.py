"""Character chats as built by Hermes' services: takes a StructuredPrefix, returns a tokenised context with bookkeeping.

The context is a stream of messages, `Author: text`, between marks: one that begins the dialogue and carries the day,
and one each for the beginning and end of a message. It ends with the name of the next speaker. Only this module writes
marks: the same characters typed by a user stay text and are never encoded as a mark's id.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.renderer import profiles
from promptuary.renderer.errors import InputError
from promptuary.renderer.hermes import prefix as structured
from promptuary.renderer.hermes.prefix import ChatContextMessage, StructuredPrefix
from promptuary.renderer.output import targets, turns
from promptuary.renderer.part import Part
from promptuary.renderer.prompt import Cut
from promptuary.renderer.template import Template, load
from promptuary.renderer.tokens import tokenizers
from promptuary.renderer.tokens.base import Tokenizer
from promptuary.renderer.truncation import fitting

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
"""The marks by name; `special_tokens_mapping` overrides any of them."""

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
"""The default document, with our own wording of the usual structure of such prompts."""


@dataclass(frozen=True)
class TokenizedContext:
    """The tokens, the position where the day ends, and how many messages were included and how many cut."""

    tokens: list[int]
    idx_after_timestamp: int
    context_num_msg: int
    truncated_num_msg: int


# The part number of text that belongs to no part but is data.
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

    With `close_last_message` the last message is closed and the reply prompt opened; without it the last message stays
    open, to be continued, and there is no reply prompt. `loader` returns the text of the document that
    `hermes_generation_template_name` names; without it only this module's document is available. `special_token_ids`
    are the marks' ids by their text; a mark without one counts as one token of unknown id.

    Returns a dict: tokenized_context, prompt, character_definitions, chat_history, chat_hist_global_index,
    reply_prompt, space_added, token_limit, timestamp, cut. Raises RenderError.
    """
    if structured_prefix is None:
        raise InputError("build_structured_prefix needs a structured_prefix.", path="structured_prefix")
    log = contextual_logger or logging.getLogger(__name__)
    marks = {**MARKS, **(special_tokens_mapping or {})}
    context = _Context(structured_prefix, marks, special_token_ids or {}, close_last_message)
    counter = tokenizers.find_tokenizer(tokenizer)
    parts, rules = _build_parts(structured_prefix, loader, counter)
    room = structured_prefix.token_limit - sum(map(counter.count, (context.day, context.reply)))
    fitted = fitting.fit_parts(parts, counter, context.profile, limit=max(1, room), **rules)
    if fitted.cuts:
        log.info("cut %d of %d parts to fit %d tokens", len(fitted.cuts), len(parts), structured_prefix.token_limit)
    return _build_result(structured_prefix, context, fitted.parts, fitted.cuts, counter)


def _build_parts(
    prefix: StructuredPrefix, loader: Loader | None, counter: Tokenizer
) -> tuple[Sequence[Part], dict[str, Any]]:
    """The parts and their truncation rules: from the named document, or as the service wrote them."""
    if not prefix.use_hermes_generation:
        return structured.build_parts(prefix), {"step": prefix.truncation_step or 1, "keep_last": 4}
    name = prefix.hermes_generation_template_name or structured.DEFAULT_NAME
    _require_raw_data(prefix, name)
    template = _load_template(name, loader)
    data = _keep_declared(template, structured.build_variables(prefix))
    prompt = template.render(data, token_limit=-1, tokenizer=counter)
    document = template.document
    step = prefix.truncation_step or document.truncation_step
    return prompt.parts, {"step": step, "keep_last": document.keep_last, "keep_pairs": document.keep_pairs}


def _require_raw_data(prefix: StructuredPrefix, name: str) -> None:
    """Raise InputError if the service's data are empty, or lack what the default document needs."""
    raw = prefix.raw_prompt_data_dict
    names = ("character", "username") if name == structured.DEFAULT_NAME else ()
    missing = [key for key in names if not raw.get(key)]
    if raw and not missing:
        return
    lacks = f"lacks {' and '.join(f'`{key}`' for key in missing)}" if raw else "is empty"
    raise InputError(f"raw_prompt_data_dict {lacks}: there is no chat to build.", path="raw_prompt_data_dict")


def _load_template(name: str, loader: Loader | None) -> Template:
    if loader is None:
        if name != structured.DEFAULT_NAME:
            raise InputError(f"There is no document named {name!r}: give a loader that knows it.", path="loader")
        return load(DEFAULT_DOCUMENT)
    try:
        text = loader[name] if isinstance(loader, Mapping) else loader(name)
    except (KeyError, FileNotFoundError) as error:
        raise InputError(
            f"The loader knows no document named {name!r}.", path="hermes_generation_template_name"
        ) from error
    return load(text)


def _keep_declared(template: Template, data: dict[str, Any]) -> dict[str, Any]:
    inputs = template.document.inputs
    return data if inputs is None else {name: value for name, value in data.items() if name in inputs}


class _Context:
    """The marks of one build as a profile, so that they are counted like any chat markup."""

    def __init__(
        self, prefix: StructuredPrefix, marks: Mapping[str, str], ids: Mapping[str, int], close_last: bool
    ) -> None:
        begin, end = marks["bom"], marks["eom"]
        self.space = prefix.space_added
        self.close_last = close_last
        # Both come from outside, so they are data like any message: no mark in them is recognised.
        self.day = structured.format_day(prefix.timestamp) + (" " if prefix.space_added else "")
        self.reply = prefix.reply_prompt if close_last else ""
        self.profile = profiles.check({
            "name": "hermes",
            "tokenizer": tokenizers.DEFAULT,
            "marks": {mark: ids.get(mark) for mark in (marks["bod"], begin, end)},
            "prefill": False,
            "markup": {
                "start": marks["bod"],
                "reply": begin if close_last else "",
                "roles": dict.fromkeys(("system", "developer", "user", "assistant", "tool", "function"), (begin, end)),
            },
        })  # fmt: skip

    def pieces(self, parts: Sequence[Part]) -> list[turns.Piece]:
        """The laid-out context, with the first and last piece corrected."""
        start, *piece_list = turns.lay_out(parts, self.profile)
        if parts and self.space:
            del piece_list[0]  # the space replaces the first message's mark
        if parts and not self.close_last:
            del piece_list[-1]
        return [start, turns.Piece(self.day, _OURS), *piece_list, turns.Piece(self.reply, _OURS)]


def _build_result(
    prefix: StructuredPrefix, context: _Context, parts: Sequence[Part], cuts: Sequence[Cut], counter: Tokenizer
) -> dict[str, Any]:
    pieces = context.pieces(parts)
    ids = targets.encode_tokens(pieces, context.profile, counter)
    before = len(targets.encode_tokens(pieces[:2], context.profile, counter))
    messages = [part for part in parts if part.name.startswith("message ")]
    return {
        "tokenized_context": TokenizedContext(
            tokens=ids,
            idx_after_timestamp=before,
            context_num_msg=len(messages),
            truncated_num_msg=len(prefix.chat_context_messages) - len(messages),
        ),
        "prompt": "".join(piece.text for piece in pieces),
        "character_definitions": [part.content for part in parts if part.name.startswith("definition ")],
        "chat_history": [part.content for part in messages],
        "chat_hist_global_index": 0,
        "reply_prompt": context.reply,
        "space_added": prefix.space_added,
        "token_limit": prefix.token_limit,
        "timestamp": structured.format_day(prefix.timestamp),
        "cut": [cut.to_dict() for cut in cuts],
    }
