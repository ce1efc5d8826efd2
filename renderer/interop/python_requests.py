"""Requests to a model in Python code: a call or mapping with messages, a system text, a model and settings; and lists
of messages that later statements extend.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptuary.renderer.interop.python_messages import FoundMessage, FoundPrompt, find_messages, read_content
from promptuary.renderer.interop.python_texts import CodeTexts

__all__ = ["SETTINGS", "Conversations", "FoundRequest", "find_request"]

_SYSTEM_KEYS = ("system", "instructions", "system_instruction", "system_prompt")
_USER_KEYS = ("input", "contents", "prompt", "user_prompt")
_CONFIG_KEYS = ("config", "generation_config")
SETTINGS = (
    *("model", "temperature", "top_p", "top_k", "max_tokens", "max_output_tokens", "max_completion_tokens", "seed"),
    *("frequency_penalty", "presence_penalty", "stop", "stop_sequences"),
)
"""The arguments of a call that a document takes over, if they are constants."""
_MIN_WORDS = 4
"""The fewest words of a call's texts without roles for them to be a prompt: `run(system="linux", input=path)` isn't."""


@dataclass(frozen=True)
class FoundRequest:
    """The messages of a request, and its model and settings as far as they are constants."""

    messages: list[FoundMessage | str]
    settings: Mapping[str, Any]


def find_request(node: ast.expr, texts: CodeTexts) -> FoundRequest | None:
    """Return the request that a call or mapping makes; None without both a role and a text."""
    fields = _read_fields(node)
    if not fields or (isinstance(node, ast.Dict) and "messages" not in fields):
        return None
    before = len(texts.used)
    system = _read_system(fields, texts)
    messages = find_messages(fields["messages"], texts) if "messages" in fields else _read_user(fields, texts)
    if messages and ("messages" in fields or (system and _count_words([*system, *messages]) >= _MIN_WORDS)):
        return FoundRequest([*system, *messages], _read_settings(fields))
    del texts.used[before:]
    return None


class Conversations:
    """The lists of messages that are assigned to names, while statements of the same block may extend them."""

    def __init__(self, texts: CodeTexts) -> None:
        self._texts = texts
        self.open: dict[str, FoundPrompt] = {}

    def assign(self, name: str, empty: FoundPrompt, value: ast.expr, prompts: Sequence[FoundPrompt]) -> None:
        """Note what is assigned to a name: the prompt found there if it is a list of messages, `empty` for `[]`."""
        self.open.pop(name, None)
        if isinstance(value, ast.List) and not value.elts:
            self.open[name] = empty
        elif len(prompts) == 1 and isinstance(prompts[0].content, list) and isinstance(value, ast.List):
            self.open[name] = prompts[0]

    def extend(self, node: ast.stmt) -> FoundPrompt | None:
        """Extend a list by a statement such as `messages.append({…})`; None if the statement doesn't extend one."""
        name, item = _read_extension(node)
        prompt = self.open.get(name)
        if prompt is None or not isinstance(prompt.content, list) or item is None:
            return None
        messages = find_messages(item, self._texts, may_be_unknown=bool(prompt.content))
        prompt.content += messages
        return prompt if messages else None

    def send(self, node: ast.expr) -> bool:
        """Give a list the system text and the settings of the call that sends it. Whether the call sends one."""
        fields = _read_fields(node) if isinstance(node, ast.Call) else {}
        sent = fields.get("messages") or fields.get("input")
        prompt = self.open.get(sent.id) if isinstance(sent, ast.Name) else None
        if prompt is None or not isinstance(prompt.content, list) or not prompt.content:
            return False
        prompt.content[:0] = _read_system(fields, self._texts)
        prompt.settings |= _read_settings(fields)
        return True

    def close_sent(self, node: ast.stmt) -> None:
        """Close the lists that a statement passes to a call: what is added afterwards is the reply."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
                    if isinstance(argument, ast.Name):
                        self.open.pop(argument.id, None)


def _read_fields(node: ast.expr) -> dict[str, ast.expr]:
    """The keyword arguments of a call, or the items of a mapping; those of a nested configuration too."""
    if isinstance(node, ast.Call):
        fields = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        fields = {str(key.value): value for key, value in pairs if isinstance(key, ast.Constant)}
    else:
        return {}
    nested = [_read_fields(fields[key]) for key in _CONFIG_KEYS if key in fields]
    return {key: value for mapping in (*nested, fields) for key, value in mapping.items()}


def _read_system(fields: Mapping[str, ast.expr], texts: CodeTexts) -> list[FoundMessage]:
    contents = [read_content(fields[key], texts) for key in _SYSTEM_KEYS if key in fields]
    return [("system", *content) for content in contents if content is not None]


def _read_user(fields: Mapping[str, ast.expr], texts: CodeTexts) -> list[FoundMessage | str]:
    value = next((fields[key] for key in _USER_KEYS if key in fields), None)
    if value is None:
        return []
    if messages := find_messages(value, texts):
        return messages
    if isinstance(value, ast.List) and len(value.elts) == 1:
        value = value.elts[0]
    content = read_content(value, texts)
    return [("user", *content)] if content is not None else []


def _count_words(messages: list[FoundMessage | str]) -> int:
    return sum(len(message[1].literal.split()) for message in messages if not isinstance(message, str))


def _read_settings(fields: Mapping[str, ast.expr]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for key in SETTINGS:
        try:
            value = ast.literal_eval(fields[key])
        except (KeyError, ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue  # absent, or known only when the code runs
        if isinstance(value, str | int | float) or (isinstance(value, list) and all(isinstance(v, str) for v in value)):
            settings[key] = value
    return settings


def _read_extension(node: ast.stmt) -> tuple[str, ast.expr | None]:
    """The name of a list, and the list by which a statement extends it; empty and None for other statements."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    call = node.value if isinstance(node, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and len(call.args) == 1):
        return "", None
    owner, item = call.func.value, call.args[0]
    if not isinstance(owner, ast.Name):
        return "", None
    listed: dict[str, ast.expr] = {"append": ast.List([item]), "extend": item}
    return owner.id, listed.get(call.func.attr)
