"""Protocols of model providers: OpenAI's chat completions and responses, and Anthropic's messages. Each says how a
request is written and how its reply is read. Local servers (llama.cpp, vLLM, Ollama) speak the first.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from promptuary.evaluation.models import Reply
from promptuary.renderer.output import provider_arguments
from promptuary.renderer.output.provider_arguments import ModelRequest

__all__ = ["PROTOCOLS", "ProviderProtocol", "ProviderRequest"]

_LONGEST_REPLY = 4096  # tokens, where a protocol demands a limit and the document's settings have none
_ANTHROPIC_VERSION = "2023-06-01"
_STOPS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}


@dataclass(frozen=True)
class ProviderRequest:
    """A prompt and its settings, as `provider_arguments` reads them."""

    model: str
    messages: list[dict[str, Any]]
    settings: Mapping[str, Any] | None
    tools: tuple[Any, ...] = field(default=())
    reserve: int = _LONGEST_REPLY


class ProviderProtocol(Protocol):
    """How a provider is asked: the path below its address, its headers, its bodies."""

    path: str

    def headers(self, key: str) -> dict[str, str]:
        """What carries the key."""

    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The JSON to send; RenderError where the provider has no form for the request."""

    def reply(self, content: Any) -> Reply:
        """The JSON that came as a reply; LookupError, TypeError or AttributeError where its form is unknown."""


class _ChatCompletions:
    path = "chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.request_settings(request)
        return {**provider_arguments.chat_body(request, settings), "stream": False}

    def reply(self, content: Any) -> Reply:
        choice, usage = content["choices"][0], content.get("usage") or {}
        text, reason = choice["message"]["content"], choice.get("finish_reason")
        return Reply(text, usage.get("prompt_tokens"), usage.get("completion_tokens"), reason)


class _Responses:
    path = "responses"

    def headers(self, key: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.responses_settings(request)
        return {**provider_arguments.responses_body(request, settings), "stream": False, "store": False}

    def reply(self, content: Any) -> Reply:
        items = [item for output in content["output"] if output["type"] == "message" for item in output["content"]]
        texts = [item["text"] for item in items if item["type"] == "output_text"]
        usage, details = content.get("usage") or {}, content.get("incomplete_details") or {}
        reason = str(details.get("reason") or "stop")
        reason = "length" if reason == "max_output_tokens" else reason
        text: Any = "".join(texts) if texts else None
        return Reply(text, usage.get("input_tokens"), usage.get("output_tokens"), reason)


class _AnthropicMessages:
    path = "messages"

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION}

    def body(self, request: ModelRequest) -> dict[str, Any]:
        settings = provider_arguments.anthropic_settings(request)
        return {**provider_arguments.anthropic_body(request, settings), "stream": False}

    def reply(self, content: Any) -> Reply:
        texts = [item["text"] for item in content["content"] if item["type"] == "text"]
        usage, reason = content.get("usage") or {}, content.get("stop_reason")
        text: Any = "".join(texts) if texts else None
        return Reply(text, usage.get("input_tokens"), usage.get("output_tokens"), _STOPS.get(reason, reason))


PROTOCOLS: Mapping[str, ProviderProtocol] = {
    "openai": _ChatCompletions(),
    "responses": _Responses(),
    "anthropic": _AnthropicMessages(),
}
