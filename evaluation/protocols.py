"""Protocols of model providers: OpenAI's chat completions and responses, and Anthropic's messages.

Each defines how a request is written and how a reply is read, whole or as a stream of server-sent events. Local servers
(llama.cpp, vLLM, Ollama) use the first.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from promptuary.evaluation.errors import ModelError
from promptuary.evaluation.partial_reply import PartialReply, ToolCall
from promptuary.renderer.output import provider_arguments
from promptuary.renderer.output.provider_arguments import ModelRequest
from promptuary.renderer.output.provider_calls import ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES

__all__ = [
    "PROTOCOLS",
    "ProviderProtocol",
    "ProviderRequest",
    "find_protocol",
    "list_refused_settings",
]

_MAX_REPLY_LENGTH = 4096  # tokens, if a protocol requires a limit and the document sets none
_ANTHROPIC_VERSION = "2023-06-01"
_STOPS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}


@dataclass(frozen=True)
class ProviderRequest:
    """A prompt and its settings, as `provider_arguments` reads them."""

    model: str
    messages: list[dict[str, Any]]
    settings: Mapping[str, Any] | None
    tools: tuple[Any, ...] = field(default=())
    reserve: int = _MAX_REPLY_LENGTH


class ProviderProtocol(Protocol):
    """A provider's HTTP interface: the path below its address, its headers, its request and reply bodies."""

    path: str

    def build_headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""

    def build_body(self, request: ModelRequest) -> dict[str, Any]:
        """Return the JSON to send. Raises RenderError if the provider can't express the request."""

    def read_whole(self, content: Any, reply: PartialReply) -> str | None:
        """Fill `reply` from the JSON of a complete reply and return the text, None if it has none.

        Raises as `read_event` does.
        """

    def stream_body(self, request: ModelRequest) -> dict[str, Any]:
        """Return the JSON that requests a streamed reply. Raises RenderError as `body` does."""

    def read_event(self, event: Any, reply: PartialReply) -> str:
        """Update `reply` from the JSON of one event and return the event's text, which may be empty.

        Raises ModelError if the event reports an error; LookupError, TypeError or AttributeError if its form is
        unknown.
        """


class _ChatCompletions:
    """OpenAI's chat completions and compatible servers.

    limit_name: the server's name for the maximum tokens of a reply. replaced: names for it that the server doesn't
    accept. Local servers accept `max_tokens`, some of them nothing else.
    """

    path = "chat/completions"

    def __init__(self, limit_name: str = "max_tokens", replaced: tuple[str, ...] = ("max_output_tokens",)) -> None:
        self._limit_name, self._replaced = limit_name, replaced

    def build_headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def build_body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.build_chat_settings(request, self._limit_name, self._replaced)
        return {**provider_arguments.build_chat_body(request, settings), "stream": False}

    def read_whole(self, content: Any, reply: PartialReply) -> str | None:
        _require_no_error(content)
        choice, usage = content["choices"][0], content.get("usage") or {}
        reply.prompt_tokens, reply.completion_tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
        reply.finish_reason, reply.is_complete = choice.get("finish_reason"), True
        text = self._take_message(choice["message"], reply)
        return text if text or isinstance(choice["message"].get("content"), str) else None

    def stream_body(self, request: ModelRequest) -> dict[str, Any]:
        return {**self.build_body(request), "stream": True, "stream_options": {"include_usage": True}}

    def read_event(self, event: Any, reply: PartialReply) -> str:
        if error := event.get("error"):
            raise _stream_error(error)
        if usage := event.get("usage"):
            reply.prompt_tokens, reply.completion_tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
        choice = next((choice for choice in event.get("choices") or () if not choice.get("index")), None)
        if choice is None:
            return ""
        text = self._take_message(choice.get("delta") or {}, reply)
        if choice.get("finish_reason"):
            reply.finish_reason, reply.is_complete = reply.finish_reason or choice["finish_reason"], True
        return text

    def _take_message(self, message: Any, reply: PartialReply) -> str:
        """Update `reply` from a message or a delta and return its text."""
        reply.thoughts += _join_text(message.get("reasoning_content") or message.get("reasoning"))
        for part in message.get("tool_calls") or ():
            index, last = part.get("index"), max(len(reply.tool_calls) - 1, 0)
            if index is None:  # a whole message, or a server that streams whole calls: each call then has an id
                index = len(reply.tool_calls) if part.get("id") else last
            call, function = reply.tool_calls.setdefault(index, ToolCall()), part.get("function") or {}
            call.name += function.get("name") or ""
            call.arguments += function.get("arguments") or ""
        if message.get("refusal"):
            reply.finish_reason = "refusal"
        return _join_text(message.get("content")) or _join_text(message.get("refusal"))


class _Responses:
    path = "responses"

    def build_headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def build_body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.build_responses_settings(request)
        return {**provider_arguments.build_responses_body(request, settings), "stream": False, "store": False}

    def read_whole(self, content: Any, reply: PartialReply) -> str | None:
        _require_no_error(content)
        texts: list[str] = []
        for index, item in enumerate(content["output"]):
            if item["type"] == "function_call":
                reply.tool_calls[index] = ToolCall(item["name"], item.get("arguments") or "")
            elif item["type"] == "reasoning":
                reply.thoughts += _join_text(item.get("content") or item.get("summary"))
            elif item["type"] == "message":
                texts += [part["text"] for part in item["content"] if part["type"] == "output_text"]
                refusals = [part["refusal"] for part in item["content"] if part["type"] == "refusal"]
                texts += refusals
                reply.finish_reason = "refusal" if refusals else reply.finish_reason
        self._take_end(content, reply)
        return "".join(texts) if texts else None

    def stream_body(self, request: ModelRequest) -> dict[str, Any]:
        return {**self.build_body(request), "stream": True}

    def read_event(self, event: Any, reply: PartialReply) -> str:
        kind = event["type"]
        if kind == "error":
            raise _stream_error(event.get("error") or {"type": event.get("code"), "message": event.get("message")})
        if kind == "response.failed":
            raise _stream_error(event["response"].get("error") or {})
        if kind in ("response.output_text.delta", "response.refusal.delta"):
            if kind == "response.refusal.delta":
                reply.finish_reason = "refusal"
            return str(event["delta"])
        if kind in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
            reply.thoughts += event["delta"]
        elif kind.startswith("response.output_item.") and event["item"]["type"] == "function_call":
            item = event["item"]
            reply.tool_calls[event.get("output_index")] = ToolCall(item["name"], item.get("arguments") or "")
        elif kind == "response.function_call_arguments.delta" and event.get("output_index") in reply.tool_calls:
            reply.tool_calls[event["output_index"]].arguments += event["delta"]
        if kind in ("response.completed", "response.incomplete"):
            self._take_end(event["response"], reply)
        return ""

    def _take_end(self, content: Any, reply: PartialReply) -> None:
        usage = content.get("usage") or {}
        reply.prompt_tokens, reply.completion_tokens = usage.get("input_tokens"), usage.get("output_tokens")
        called = "tool_calls" if reply.tool_calls else None
        reason = self._finish_reason(content)
        reply.finish_reason = reply.finish_reason or (called if called and reason == "stop" else reason)
        reply.is_complete = True

    def _finish_reason(self, content: Any) -> str:
        details = content.get("incomplete_details") or {}
        reason = str(details.get("reason") or "stop")
        return "length" if reason == "max_output_tokens" else reason


class _AnthropicMessages:
    path = "messages"

    def build_headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION}

    def build_body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.build_anthropic_settings(request)
        return {**provider_arguments.build_anthropic_body(request, settings), "stream": False}

    def read_whole(self, content: Any, reply: PartialReply) -> str | None:
        _require_no_error(content)
        texts: list[str] = []
        for index, block in enumerate(content["content"]):
            if block["type"] == "text":
                texts.append(block["text"])
            elif block["type"] == "thinking":
                reply.thoughts += block["thinking"]
            elif block["type"] == "tool_use":
                reply.tool_calls[index] = ToolCall(block["name"], json.dumps(block["input"], ensure_ascii=False))
        usage, reason = content.get("usage") or {}, content.get("stop_reason")
        reply.prompt_tokens, reply.completion_tokens = usage.get("input_tokens"), usage.get("output_tokens")
        reply.finish_reason, reply.is_complete = _STOPS.get(reason, reason), True
        return "".join(texts) if texts else None

    def stream_body(self, request: ModelRequest) -> dict[str, Any]:
        return {**self.build_body(request), "stream": True}

    def read_event(self, event: Any, reply: PartialReply) -> str:
        kind = event["type"]
        if kind == "error":
            raise _stream_error(event["error"])
        if kind == "message_start":
            usage = event["message"].get("usage") or {}
            reply.prompt_tokens, reply.completion_tokens = usage.get("input_tokens"), usage.get("output_tokens")
        elif kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
            reply.tool_calls[event["index"]] = ToolCall(event["content_block"]["name"])
        elif kind == "content_block_delta":
            delta = event["delta"]
            if delta["type"] == "thinking_delta":
                reply.thoughts += delta["thinking"]
            elif delta["type"] == "input_json_delta" and event["index"] in reply.tool_calls:  # not a server tool
                reply.tool_calls[event["index"]].arguments += delta["partial_json"]
            return str(delta["text"]) if delta["type"] == "text_delta" else ""
        elif kind == "message_delta":
            reason = event["delta"].get("stop_reason")
            reply.finish_reason = _STOPS.get(reason, reason)
            reply.completion_tokens = (event.get("usage") or {}).get("output_tokens", reply.completion_tokens)
        elif kind == "message_stop":
            reply.is_complete = True
        return ""


PROTOCOLS: Mapping[str, ProviderProtocol] = {
    "openai": _ChatCompletions(),
    "responses": _Responses(),
    "anthropic": _AnthropicMessages(),
}

# OpenAI's newer models reject `max_tokens`; its older ones accept this name too.
_OPENAI_ITSELF = _ChatCompletions("max_completion_tokens", ("max_output_tokens", "max_tokens"))
_OPENAI_HOST = "api.openai.com"

# Settings of other protocols that an endpoint of this one rejects. `provider_arguments` renames some of them, so those
# are accepted, and so is any setting not listed. Chat completions servers accept more than OpenAI's own does.
_REFUSED: Mapping[str, frozenset[str]] = {
    "openai": frozenset(),
    "responses": OPENAI_CHAT.known
    - OPENAI_RESPONSES.known
    - {"max_tokens", "max_completion_tokens", "reasoning_effort", "verbosity", "response_format"},
    "anthropic": (OPENAI_CHAT.known | OPENAI_RESPONSES.known)
    - ANTHROPIC_MESSAGES.known
    - {"max_completion_tokens", "max_output_tokens", "stop", "temperature", "top_p"},
}


def find_protocol(name: str, base_url: str) -> ProviderProtocol:
    """The protocol of this name, with the field names that the server at this address uses."""
    if name == "openai" and httpx.URL(base_url).host == _OPENAI_HOST:
        return _OPENAI_ITSELF
    return PROTOCOLS[name]


def list_refused_settings(protocol: str, settings: Mapping[str, Any]) -> list[str]:
    """Settings, in order, that an endpoint of this protocol is known to reject."""
    return sorted(name for name in settings if name in _REFUSED[protocol])


def _join_text(content: Any) -> str:
    """The text of a delta, which some servers send as a list of parts."""
    if isinstance(content, list):
        return "".join(_join_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _require_no_error(content: Any) -> None:
    """Raise the error that some servers send with status 200."""
    if error := content.get("error"):
        raise _stream_error(error)


def _stream_error(error: Any) -> ModelError:
    """The error that a provider reports in a reply or in the middle of a stream."""
    details = error if isinstance(error, Mapping) else {"message": str(error)}
    kind = str(details.get("type") or details.get("code") or "error")
    retryable = any(word in kind for word in ("overloaded", "rate_limit", "server_error", "api_error"))
    return ModelError(f"the provider stopped with {kind}: {str(details.get('message', ''))[:300]}", retryable=retryable)
