"""Models called over HTTP, by any of the protocols of `protocols`, without streaming."""

import asyncio
import functools
import math
import re
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import httpx
from anyio.from_thread import start_blocking_portal

from promptuary.evaluation.characters import clean_text
from promptuary.evaluation.connection_failures import describe_failure, describe_unreadable, find_place
from promptuary.evaluation.errors import ModelError
from promptuary.evaluation.models import ModelInput, Reply
from promptuary.evaluation.optional import import_optional
from promptuary.evaluation.partial_reply import PartialReply, read_count
from promptuary.evaluation.protocols import ProviderRequest, find_protocol
from promptuary.renderer.errors import RenderError

__all__ = ["HTTPModel", "Pace", "make_client", "make_status_error"]

_MAX_REASON_LENGTH = 300  # characters
_MAX_ERROR_BYTES = 64 * 1024  # bytes read of an error's body
_MAX_ANSWER_BYTES = 16 * 1024 * 1024  # bytes
_MAX_COUNTED = 1024 * 1024  # bytes of an unfinished answer that are counted as written: no provider bills more
_COUNTS = (("prompt", "input"), ("completion", "output"))  # the protocols' field names for token counts
_UNANSWERED = (httpx.ReadTimeout, httpx.ReadError, httpx.RemoteProtocolError, httpx.DecodingError)
_REFUSALS = ("content_filter", "refusal", "safety")  # finish reasons of a reply that the provider kept back
_KEPT_HEADERS = ("content-type", "location", "retry-after")
_MARKUP = re.compile(r"<[a-zA-Z/!][^<>]*>")


class HTTPModel:
    """A model behind an HTTP endpoint, by default an OpenAI-compatible one: `POST <base_url>/chat/completions`.

    429, 5xx, dropped connections and timeouts are retried with a growing pause, or after the server's own
    Retry-After. So are malformed answers, since servers under load send them. Thread-safe.

    Args:
        base_url: the address without the protocol's path (`/chat/completions`, `/responses`, `/messages`).
        protocol: a name of `protocols.PROTOCOLS`.
        attempts: total, the first included. per_second: request limit, None for no limit.
        timeout: seconds without data from the server. longest: seconds for a whole attempt.
        transport: makes a custom httpx transport; it bypasses proxies set in the environment and is closed after each
            attempt.
        title: the model's name in errors; defaults to `name`.
    """

    def __init__(  # noqa: PLR0913  # options, all by name
        self,
        name: str,
        base_url: str,
        *,
        key: str | None = None,
        protocol: str = "openai",
        attempts: int = 5,
        timeout: float = 60,
        longest: float = 900,
        per_second: float | None = None,
        transport: Callable[..., httpx.AsyncBaseTransport] | None = None,
        title: str = "",
    ) -> None:
        self.name = name
        self._title, self._base_url = title or name, base_url
        self._protocol = find_protocol(protocol, base_url)
        self._headers = self._protocol.build_headers(key) if key else {}
        self._timeout, self._longest, self._transport = timeout, longest, transport
        self._attempts, self._pace = attempts, Pace(per_second)
        self._stamina = import_optional("stamina", extra="evaluation")

    def complete(
        self,
        prompt: ModelInput,
        settings: Mapping[str, Any],
        *,
        before_try: Callable[[Sequence[Reply]], None] = lambda _spent: None,
    ) -> Reply:
        """Return one completion. Raises ModelError when every attempt failed or the server refuses for good.

        Earlier failed attempts are listed in `faults` of the reply or the error, and what they cost in `spent`.

        before_try: called right before each request with what the attempts so far may cost. It stops the call by
        raising ModelError.
        """
        faults: list[str] = []
        spent: list[Reply] = []
        for attempt in self._stamina.retry_context(on=_pause, attempts=self._attempts, timeout=None, wait_max=20):
            with attempt:
                self._pace.wait()
                try:
                    before_try(spent)
                    return replace(self._ask(prompt, settings), faults=tuple(faults), spent=tuple(spent))
                except ModelError as error:
                    error.faults = tuple(faults)
                    faults.append(str(error))
                    spent += error.spent
                    error.spent = tuple(spent)
                    raise
        raise ModelError("the model was not asked")  # attempts is at least 1, so the loop returns or raises

    def _ask(self, prompt: ModelInput, settings: Mapping[str, Any]) -> Reply:
        try:
            body = self._protocol.build_body(ProviderRequest(self.name, prompt.messages, settings))
        except RenderError as error:
            raise ModelError(error.message) from error
        try:
            with start_blocking_portal() as portal:  # works beside a running event loop too, such as a notebook's
                response = portal.call(self._exchange, body)
        except httpx.TimeoutException as error:
            sentence = f"{self._title} at {find_place(self._base_url)} did not answer in time"
            raise ModelError(sentence, retryable=True, spent=_find_unanswered(error)) from error
        except httpx.HTTPError as error:
            sentence = describe_failure(self._title, self._base_url, error)
            raise ModelError(sentence, retryable=True, spent=_find_unanswered(error)) from error
        if response.status_code != 200:
            raise make_status_error(self._title, response)
        return self._read_reply(response)

    async def _exchange(self, body: dict[str, Any]) -> httpx.Response:
        """Send the request and read the answer, or the beginning of an error's body. Raises ModelError if a reply
        doesn't end.

        asyncio, because only it can limit the time of a whole attempt: a server can send a byte at a time.
        """
        content, place = bytearray(), find_place(self._base_url)
        try:
            async with (
                asyncio.timeout(self._longest),
                make_client(self._base_url, self._headers, self._timeout, self._transport) as client,
                client.stream("POST", self._protocol.path, json=body) as answer,
            ):
                async for chunk in answer.aiter_bytes():
                    content += chunk
                    if answer.status_code != 200 and len(content) > _MAX_ERROR_BYTES:
                        break
                    if len(content) > _MAX_ANSWER_BYTES:
                        sentence = f"{self._title} at {place} sent more than {_MAX_ANSWER_BYTES:,} bytes"
                        raise ModelError(sentence, spent=_count_unfinished(content))
        except TimeoutError as error:
            sentence = f"{self._title} at {place} took longer than {self._longest:g} s"
            raise ModelError(sentence, spent=_count_unfinished(content)) from error
        kept_headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
        return httpx.Response(answer.status_code, headers=kept_headers, content=bytes(content))

    def _read_reply(self, response: httpx.Response) -> Reply:
        partial, spent = PartialReply(), _read_spent(response)
        try:
            text = self._protocol.read_whole(response.json(), partial)
        except ModelError as error:
            error.spent = (spent,)
            raise
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            is_empty = not response.content.strip()
            sentence = describe_unreadable(self._title, self._base_url, response, is_empty=is_empty)
            raise ModelError(sentence, retryable=True, spent=(spent,)) from error
        partial.clean()
        if text is None or (not text and partial.finish_reason in _REFUSALS):
            raise ModelError(f"{self._title} sent no text (finish reason: {partial.finish_reason})", spent=(spent,))
        return Reply(clean_text(text), partial.prompt_tokens, partial.completion_tokens, partial.finish_reason)


class Pace:
    """A rate limiter: limits the calls per second of all threads together, and spaces them evenly."""

    def __init__(
        self,
        per_second: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gap = 1 / per_second if per_second else 0.0
        self._next, self._lock, self._clock, self._sleep = 0.0, threading.Lock(), clock, sleep

    def wait(self) -> None:
        """Block until it is this call's turn."""
        if seconds := self.reserve_turn():
            self._sleep(seconds)

    def reserve_turn(self) -> float:
        """Reserve the next turn and return the seconds until then, for callers that do their own waiting."""
        if not self._gap:
            return 0.0
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._gap
        return turn - now


def make_client(
    base_url: str,
    headers: Mapping[str, str],
    timeout: float,
    transport: Callable[..., httpx.AsyncBaseTransport] | None = None,
) -> httpx.AsyncClient:
    """Make a client for one call: a connection belongs to an event loop, and a handshake is shorter than a reply.

    timeout: seconds for each step, such as the next bytes.
    """
    return httpx.AsyncClient(
        base_url=base_url.rstrip("/") + "/",
        headers=headers,
        timeout=timeout,
        verify=_make_tls_context(),
        transport=transport(verify=_make_tls_context()) if transport else None,
        trust_env=transport is None,
    )


def make_status_error(name: str, response: httpx.Response) -> ModelError:
    """Make the error for a fully read answer whose status isn't 200."""
    status, reason = response.status_code, _read_redirect(response) or _read_reason(response)
    return ModelError(
        f"{name} answered {status}: {reason}".rstrip(": "),
        retryable=status in (408, 409, 429) or status >= 500,
        retry_after=_parse_seconds(response.headers.get("retry-after")),
        status=status,
        reason=reason,
    )


@functools.cache
def _make_tls_context() -> ssl.SSLContext:
    """One context per process: loading the certificates takes longer than a request."""
    return httpx.create_ssl_context()


def _count_unfinished(content: bytearray) -> tuple[Reply, ...]:
    """An unfinished answer as text that the provider may bill."""
    return (Reply(content[:_MAX_COUNTED].decode(errors="replace")),)


def _find_unanswered(error: httpx.HTTPError) -> tuple[Reply, ...]:
    """A reply without text for a request that was sent and not answered: the provider may bill it."""
    return (Reply(""),) if isinstance(error, _UNANSWERED) else ()


def _read_spent(response: httpx.Response) -> Reply:
    """An unusable answer as received, with token counts in whichever protocol's form it has."""
    try:
        usage = response.json()["usage"]
        counts = [usage.get(f"{first}_tokens", usage.get(f"{second}_tokens")) for first, second in _COUNTS]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        counts = [None, None]
    prompt_tokens, completion_tokens = map(read_count, counts)
    return Reply(clean_text(response.text), prompt_tokens, completion_tokens)


def _read_redirect(response: httpx.Response) -> str:
    """Say where an answer redirects to; empty if it isn't a redirect."""
    if not response.has_redirect_location:
        return ""
    try:
        host = httpx.URL(response.headers["location"]).host
    except httpx.InvalidURL:
        host = ""
    return f"it redirects to {host or 'another address'}, and calls follow no redirect"


def _read_reason(response: httpx.Response) -> str:
    """A refusal's reason in one line: the provider's message, else the body's text without markup."""
    text = response.text
    try:
        body = response.json()
    except (ValueError, RecursionError):  # an HTML page of a proxy, or plain text
        text = _MARKUP.sub(" ", text)
    else:
        error = body.get("error") or body.get("detail") or body.get("message") if isinstance(body, dict) else None
        message = error.get("message") if isinstance(error, dict) else error
        text = message if isinstance(message, str) and message.strip() else text
    return " ".join(text.split())[:_MAX_REASON_LENGTH]


def _pause(error: Exception) -> bool | float:
    """Whether to retry, and after how many seconds if the server said so."""
    if not isinstance(error, ModelError) or not error.retryable:
        return False
    return True if error.retry_after is None else min(error.retry_after, 60.0)


def _parse_seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None  # missing, or in the date form: use the growing pause
    return max(0.0, seconds) if math.isfinite(seconds) else None
