"""Models that are asked over HTTP, by any of three protocols: OpenAI's chat completions and responses, and Anthropic's
messages. Local servers (llama.cpp, vLLM, Ollama) speak the first.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import httpx

from promptuary.evaluation.errors import ModelError
from promptuary.evaluation.models import Asked, Reply
from promptuary.evaluation.optional import need
from promptuary.renderer.errors import RenderError
from promptuary.renderer.output import provider_arguments
from promptuary.renderer.output.provider_arguments import ModelRequest

__all__ = ["PROTOCOLS", "HTTPModel", "Pace"]

_LONGEST_REPLY = 4096  # tokens, where a protocol demands a limit and the document's settings have none
_ANTHROPIC_VERSION = "2023-06-01"
_STOPS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length", "tool_use": "tool_calls"}


@dataclass(frozen=True)
class _Request:
    """A prompt and its settings, as `provider_arguments` reads them."""

    model: str
    messages: list[dict[str, Any]]
    settings: Mapping[str, Any] | None
    tools: tuple[Any, ...] = field(default=())
    reserve: int = _LONGEST_REPLY


class _Protocol(Protocol):
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


PROTOCOLS: Mapping[str, _Protocol] = {
    "openai": _ChatCompletions(),
    "responses": _Responses(),
    "anthropic": _AnthropicMessages(),
}


class HTTPModel:
    """A model behind an HTTP endpoint, by default an OpenAI-compatible one: `POST <base_url>/chat/completions`.

    Answers 429, 5xx, dropped connections and timeouts are tried again with a growing pause, or after the server's own
    Retry-After; malformed answers too, since servers under load send them. Thread safe.

    Args:
        base_url: up to and without the protocol's path (`/chat/completions`, `/responses`, `/messages`).
        protocol: a name of PROTOCOLS.
        attempts: tries in all. timeout: seconds a try. per_second: most requests a second, None for no limit.
        transport: sends the requests in another way, and then not through a proxy of the environment.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str | None = None,
        protocol: str = "openai",
        attempts: int = 5,
        timeout: float = 60,
        per_second: float | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.name = name
        self._protocol = PROTOCOLS[protocol]
        headers = self._protocol.headers(key) if key else {}
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/",
            headers=headers,
            timeout=timeout,
            transport=transport,
            trust_env=transport is None,
        )
        self._attempts, self._pace = attempts, Pace(per_second)
        self._stamina = need("stamina", extra="evaluation")

    def complete(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        """One completion; raises ModelError when every try failed or the server refuses for good.

        Tries that failed before are told in `faults`, of the reply or of the error.
        """
        faults: list[str] = []
        for attempt in self._stamina.retry_context(on=_pause, attempts=self._attempts, timeout=None, wait_max=20):
            with attempt:
                self._pace.wait()
                try:
                    return replace(self._ask(prompt, settings), faults=tuple(faults))
                except ModelError as error:
                    error.faults = tuple(faults)
                    faults.append(str(error))
                    raise
        raise ModelError("the model was not asked")  # attempts is at least 1, so the loop returns or raises

    def _ask(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        try:
            body = self._protocol.body(_Request(self.name, prompt.messages, settings))
        except RenderError as error:
            raise ModelError(error.message) from error
        try:
            response = self._client.post(self._protocol.path, json=body)
        except httpx.TimeoutException as error:
            raise ModelError(f"{self.name} did not answer in time", retryable=True) from error
        except httpx.HTTPError as error:
            raise ModelError(f"{self.name} can't be reached: {error}", retryable=True) from error
        if response.status_code != 200:
            retryable = response.status_code in (408, 409, 429) or response.status_code >= 500
            raise ModelError(
                f"{self.name} answered {response.status_code}: {response.text[:300]}",
                retryable=retryable,
                retry_after=_seconds(response.headers.get("retry-after")),
            )
        return self._read_reply(response)

    def _read_reply(self, response: httpx.Response) -> Reply:
        try:
            reply = self._protocol.reply(response.json())
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise ModelError(f"{self.name} sent an answer of an unknown form", retryable=True) from error
        if not isinstance(reply.text, str):
            raise ModelError(f"{self.name} sent no text (finish reason: {reply.finish_reason})")
        return reply


class Pace:
    """Lets through at most so many calls a second, evenly spaced, over all threads."""

    def __init__(
        self,
        per_second: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._next, self._lock, self._clock, self._sleep = 0.0, threading.Lock(), clock, sleep

    def wait(self) -> None:
        """Return when this call's turn has come."""
        if not self._gap:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._gap
        if turn > now:
            self._sleep(turn - now)


def _pause(error: Exception) -> bool | float:
    """Whether to try again, and after how many seconds where the server said so."""
    if not isinstance(error, ModelError) or not error.retryable:
        return False
    return True if error.retry_after is None else min(error.retry_after, 60.0)


def _seconds(value: str | None) -> float | None:
    try:
        return max(0.0, float(value)) if value else None
    except ValueError:
        return None  # the date form: fall back to the growing pause
