"""LangChain's messages: as stored in a history, and as serialised, in the form of OpenAI's messages.

[{"type": "human", "data": {"content": "..."}}]                                    of `messages_to_dict`
[{"lc": 1, "id": [..., "HumanMessage"], "kwargs": {"content": "..."}}]             of `dumpd`
"""

from collections.abc import Mapping
from typing import Any

from promptuary.renderer.interop.tool_calls import write_call

__all__ = ["read_stored_messages", "write_calls"]

_ROLES = {
    "system": "system",
    "human": "user",
    "ai": "assistant",
    "tool": "tool",
    "function": "tool",
    "SystemMessage": "system",
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
}
_CHAT = ("chat", "ChatMessage")


def read_stored_messages(value: object) -> list[dict[str, Any]]:
    """The messages of a history, or of its `messages`, in the form of OpenAI; empty if any item isn't one."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    listed = value if isinstance(value, list) else [value]
    messages = [_read_message(item) for item in listed]
    readable = [message for message in messages if message is not None]
    return readable if len(readable) == len(messages) else []


def _list_calls(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The calls of tools in a message's fields, each with its name and arguments."""
    more = fields.get("additional_kwargs")
    raw = more.get("tool_calls") if isinstance(more, dict) else None
    calls = fields.get("tool_calls") or raw or []
    return [
        {"name": call["name"], "arguments": call.get("args") or {}} if "name" in call else call
        for call in (calls if isinstance(calls, list) else [])
        if isinstance(call, dict)
    ]


def write_calls(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The calls of tools in a message's fields, each as its name and as text."""
    functions = [call.get("function", call) for call in _list_calls(fields)]
    return [(str(call.get("name")), write_call(call.get("name"), call.get("arguments"))) for call in functions]


def _read_message(value: object) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    kind, fields = value.get("type"), value.get("data")
    if value.get("lc") == 1 and isinstance(value.get("id"), list) and value["id"]:
        kind, fields = value["id"][-1], value.get("kwargs")
    if not isinstance(fields, dict) or "content" not in fields:
        return None
    role = str(fields.get("role")) if kind in _CHAT else _ROLES.get(str(kind))
    if not role:
        return None
    message: dict[str, Any] = {"role": role, "content": fields["content"]}
    if calls := _list_calls(fields):
        message["tool_calls"] = calls
    if fields.get("tool_call_id"):
        message["tool_call_id"] = fields["tool_call_id"]
    return message
