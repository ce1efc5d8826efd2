"""Models that answer a prompt: over HTTP, from recorded replies, an echo, and a cache over any of them."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import httpx

from promptuary.evaluation.errors import ModelError
from promptuary.evaluation.optional import need
from promptuary.renderer.digest import canonical
from promptuary.renderer.files import make_private_folder, write_atomically

__all__ = ["Asked", "CachingModel", "EchoModel", "HTTPModel", "Model", "RecordedModel", "Reply", "prompt_digest"]


@dataclass(frozen=True)
class Reply:
    """A model's answer; counts are tokens as the provider reported them, None where it didn't.

    `faults` are the tries that failed before it came, a sentence each.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    cached: bool = False
    faults: tuple[str, ...] = ()


class Asked(Protocol):
    """What a model is asked: a `renderer.Prompt`, or anything else with messages."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        """In OpenAI form."""
        ...


class Model(Protocol):
    """Anything with a name that answers a prompt under settings (any JSON)."""

    name: str

    def complete(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        """The reply, or ModelError."""
        ...


def prompt_digest(prompt: Asked) -> str:
    """What a prompt says to a model, as `sha256:…` over its messages in canonical JSON."""
    return "sha256:" + hashlib.sha256(canonical(prompt.messages)).hexdigest()


class EchoModel:
    """Answers with the last message's text: for trying things out without a model."""

    name = "echo"

    def complete(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        """The last part's content."""
        del settings
        content = prompt.messages[-1]["content"] if prompt.messages else ""
        return Reply(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))


class RecordedModel:
    """Answers from replies recorded before, by prompt digest; a prompt that was never recorded is an error."""

    def __init__(self, replies: Mapping[str, str], *, name: str = "recorded") -> None:
        self.name, self._replies = name, dict(replies)

    def complete(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        """The recorded reply."""
        del settings
        digest = prompt_digest(prompt)
        if digest not in self._replies:
            raise ModelError(f"no reply was recorded for the prompt {digest}")
        return Reply(self._replies[digest])


class HTTPModel:
    """An OpenAI-compatible chat endpoint: `POST <base_url>/chat/completions`.

    Answers 429, 5xx, dropped connections and timeouts are tried again with a growing pause, or after the server's own
    Retry-After; malformed answers too, since servers under load send them. Thread safe.

    Args:
        base_url: up to and without `/chat/completions`.
        attempts: tries in all. timeout: seconds a try. per_second: most requests a second, None for no limit.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str | None = None,
        attempts: int = 5,
        timeout: float = 60,
        per_second: float | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.name = name
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx.Client(
            base_url=base_url.rstrip("/") + "/", headers=headers, timeout=timeout, transport=transport
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
        body = {**settings, "model": self.name, "messages": prompt.messages, "stream": False}
        try:
            response = self._client.post("chat/completions", json=body)
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
        return _read_reply(self.name, response)


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


class CachingModel:
    """Keeps another model's replies in a folder, by prompt digest, model and settings; safe between processes."""

    def __init__(self, model: Model, folder: Path) -> None:
        self.name, self._model, self._folder = model.name, model, folder
        make_private_folder(folder)

    def complete(self, prompt: Asked, settings: Mapping[str, Any]) -> Reply:
        """The kept reply, marked cached, or the model's, then kept."""
        identity = {"prompt": prompt_digest(prompt), "model": self.name, "settings": dict(settings)}
        path = self._folder / f"{hashlib.sha256(canonical(identity)).hexdigest()}.json"
        try:
            return Reply(**{**json.loads(path.read_bytes()), "cached": True, "faults": ()})
        except (OSError, ValueError, TypeError):
            pass  # never asked before, or a file that can't be read: ask, and write it anew
        reply = self._model.complete(prompt, settings)
        content = json.dumps(asdict(reply), ensure_ascii=False).encode("utf-8")
        write_atomically(path, content, mode=0o600)  # a reply may repeat a private prompt
        return reply


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


def _read_reply(model: str, response: httpx.Response) -> Reply:
    try:
        content = response.json()
        choice = content["choices"][0]
        text = choice["message"]["content"]
        usage = content.get("usage") or {}
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError(f"{model} sent an answer of an unknown form", retryable=True) from error
    if not isinstance(text, str):
        raise ModelError(f"{model} sent no text (finish reason: {choice.get('finish_reason')})")
    return Reply(text, usage.get("prompt_tokens"), usage.get("completion_tokens"), choice.get("finish_reason"))
