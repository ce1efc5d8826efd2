"""Calls of tools in chat messages and their results, in the forms of OpenAI, Anthropic and Responses.

A part has no place for a call, so the call becomes text: its name and arguments as JSON. A result becomes a message of
the role tool. What belongs to a single run, such as ids and reasoning, is left out. The differences name each of these.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from promptuary.renderer.interop.imported import LossError, as_list

__all__ = ["CALL", "is_call_item", "join_texts", "separate_calls", "write_call"]

CALL = "call"
"""The type of a content item whose `text` is a call."""
_REASONING = ("thinking", "redacted_thinking", "reasoning")
_CALLS = ("tool_use", "function_call", "custom_tool_call")
_RESULTS = ("tool_result", "function_call_output", "custom_tool_call_output")

_CALL_KEYS = ("tool_calls", "function_call", "tool_call_id")


def is_call_item(value: object) -> bool:
    """Whether a value is an item of Responses beside its messages: a call, its result, or reasoning."""
    return isinstance(value, dict) and "role" not in value and value.get("type") in (*_CALLS, *_RESULTS, "reasoning")


def write_call(name: Any, arguments: Any) -> str:
    """A call as text. Arguments are a mapping, or one written as JSON."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            pass  # not JSON: an argument in plain text
    return json.dumps({"name": name, "arguments": {} if arguments in (None, "") else arguments}, ensure_ascii=False)


def separate_calls(message: Mapping[str, Any], number: int, differ: Callable[[str], None]) -> list[dict[str, Any]]:
    """The message with its calls as items of the type CALL, after the results in it; none if nothing is left.

    `differ` records a difference. Raises LossError for a call without a name.
    """
    if is_call_item(message):
        message = {"role": "assistant", "content": [message]}
    call_list = [*as_list(message.get("tool_calls"), "tool_calls"), *filter(None, [message.get("function_call")])]
    content = message.get("content")
    others = {key: value for key, value in message.items() if key not in _CALL_KEYS}
    if message.get("tool_call_id"):
        differ(f"message {number}: `tool_call_id` is left out")
    if not call_list and not isinstance(content, list):
        return [others]
    items: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    rest: list[Any] = []
    results: list[dict[str, Any]] = []
    for item in [*items, *({"type": "tool_use", **_read_fields(call)} for call in call_list)]:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind in _REASONING:
            differ(f"message {number}: its reasoning is left out")
        elif kind in _CALLS:
            rest.append({"type": CALL, "text": _write_call(item, number)})
            differ(
                f"message {number}: its call of `{item['name']}` is text without its id, because parts have no calls"
            )
        elif kind in _RESULTS:
            results.append({"role": "tool", "content": item.get("content", item.get("output")) or ""})
            differ(f"message {number}: the result of a call is a part of the role tool, without the id of the call")
        else:
            rest.append(item)
    return [*results, *([{**others, "content": rest}] if rest or not items else [])]


def join_texts(content: Any) -> Any:
    """The items of a content as one text, a line each; the content itself if it isn't a list of texts."""
    items = content if isinstance(content, list) else []
    texts = [item["text"] for item in items if isinstance(item, dict) and isinstance(item.get("text"), str)]
    return "\n".join(texts) if texts and len(texts) == len(items) else content


def _read_fields(call: Any) -> dict[str, Any]:
    """The name and arguments of a call of chat completions."""
    function = call.get("function", call.get("custom", call)) if isinstance(call, dict) else None
    return function if isinstance(function, dict) else {}


def _write_call(item: Mapping[str, Any], number: int) -> str:
    if not isinstance(item.get("name"), str):
        raise LossError(f"message {number}: the call of a tool has no name")
    return write_call(item["name"], item.get("input", item.get("arguments")))
