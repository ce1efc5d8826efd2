"""Models with streamed replies, for asyncio: over HTTP, or word by word from a model that replies all at once."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx

from promptuary.evaluation.characters import CharacterReader
from promptuary.evaluation.connection_failures import describe_failure, describe_unreadable, find_place
from promptuary.evaluation.errors import ModelError
from promptuary.evaluation.http_models import Pace, make_client, make_status_error
from promptuary.evaluation.models import Model
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.protocols import ProviderRequest, find_protocol
from promptuary.renderer.errors import RenderError

__all__ = ["HTTPStream", "StreamRequest", "StreamingModel", "WordStream"]

_LINE_END = re.compile(rb"\r\n|\n|\r(?!$)")  # a trailing carriage return may be half of a CRLF
_MAX_ERROR_BYTES = 64 * 1024  # bytes read of an error's body
_MAX_EVENT_LENGTH = 8 * 1024 * 1024
_MAX_REPLY_LENGTH = 1024 * 1024  # characters, thoughts and tool
_MAX_CALLS = 1000  # calls included, in one reply
_READ_PAUSE = 0.1  # seconds between two reads of a reply: reads are batched, as each one takes time
_READS_A_SECOND = 160  # over all replies of this process: with more than 16 the pause gets longer
_open_replies: set[int] = set()  # the ids of the replies being read


@dataclass(frozen=True)
class StreamRequest:
    """A request to a model: messages in OpenAI form, settings (any JSON), tools, and tokens reserved for the reply."""

    messages: list[dict[str, Any]]
    settings: Mapping[str, Any]
    tools: tuple[Any, ...] = field(default=())
    reserve: int = 0


class StreamingModel(Protocol):
    """Anything with a name that answers with a stream."""

    name: str

    def stream(self, request: StreamRequest, reply: PartialReply) -> AsyncGenerator[str, None]:
        """Yield the reply's text piece by piece; `reply` holds everything so far, tool calls and counts included.

        Raises ModelError. Closing the iterator ends the call.
        """


class HTTPStream:
    """A model behind an HTTP endpoint, called once: retries are up to the caller.

    Args: as for `HTTPModel`. timeout: seconds without data from the server. transport: a custom httpx transport; it
    bypasses proxies set in the environment and is closed after each call.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str | None = None,
        protocol: str = "openai",
        timeout: float = 60,
        per_second: float | None = None,
        transport: "type[httpx.AsyncHTTPTransport] | None" = None,
        title: str = "",
    ) -> None:
        self._title, self._place = title or name, find_place(base_url)
        self._broken_off = f"{self._title} broke off before the reply was complete"
        self.name, self._base_url, self._timeout = name, base_url.rstrip("/") + "/", timeout
        self._protocol, self._transport, self._pace = find_protocol(protocol, base_url), transport, Pace(per_second)
        self._headers = self._protocol.build_headers(key) if key else {}

    async def stream(self, request: StreamRequest, reply: PartialReply) -> AsyncGenerator[str, None]:
        """Yield the reply as it arrives. Raises ModelError if the server can't be reached, refuses, or breaks off."""
        body = self._build_body(request)
        if seconds := self._pace.reserve_turn():
            await asyncio.sleep(seconds)
        client = make_client(self._base_url, self._headers, self._timeout, self._transport)
        try:
            async with client, client.stream("POST", self._protocol.path, json=body) as response:
                await self._require_success(response)
                with _register_reply(reply):
                    characters = CharacterReader()
                    async for piece in self._read_pieces(response, reply):
                        if text := characters.read(piece):
                            reply.text += text
                            yield text
        except httpx.TimeoutException as error:
            if reply.text or reply.thoughts or reply.tool_calls:
                message = f"{self._title} at {self._place} sent nothing more for {self._timeout:g} s"
            else:
                message = f"{self._title} at {self._place} gave no answer for {self._timeout:g} s"
            raise ModelError(message, retryable=True) from error
        except httpx.HTTPError as error:
            sentence = self._broken_off if reply.text else describe_failure(self._title, self._base_url, error)
            raise ModelError(sentence, retryable=True) from error
        if not reply.is_complete:
            raise ModelError(self._broken_off, retryable=True)

    def _build_body(self, request: StreamRequest) -> dict[str, Any]:
        reserve = {"reserve": request.reserve} if request.reserve else {}
        provider_request = ProviderRequest(self.name, request.messages, request.settings, request.tools, **reserve)
        try:
            return self._protocol.stream_body(provider_request)
        except RenderError as error:
            raise ModelError(error.message) from error

    async def _require_success(self, response: httpx.Response) -> None:
        if response.status_code == 200:
            return
        content = await _read_body(response, _MAX_ERROR_BYTES)
        headers = {name: response.headers.get(name, "") for name in ("content-type", "location", "retry-after")}
        raise make_status_error(self._title, httpx.Response(response.status_code, headers=headers, content=content))

    def _require_size(self, reply: PartialReply) -> None:
        if len(reply.tool_calls) > _MAX_CALLS:
            raise ModelError(f"{self._title} called more than {_MAX_CALLS:,} tools")
        if reply.size > _MAX_REPLY_LENGTH:
            raise ModelError(f"{self._title} wrote more than {_MAX_REPLY_LENGTH:,} characters")

    async def _read_pieces(self, response: httpx.Response, reply: PartialReply) -> AsyncIterator[str]:
        is_empty = True
        try:
            if response.headers.get("content-type", "").startswith("application/json"):  # the server doesn't stream
                content = await _read_body(response, _MAX_EVENT_LENGTH)
                is_empty = not content.strip()
                yield self._protocol.read_whole(json.loads(content), reply) or ""
                return
            async for data in _read_events(response):
                is_empty = False
                if data == "[DONE]":
                    reply.is_complete = True
                    return
                if piece := self._protocol.read_event(json.loads(data), reply):
                    yield piece
                self._require_size(reply)
            if is_empty:
                raise LookupError
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            is_empty = is_empty and not response.num_bytes_downloaded
            sentence = describe_unreadable(self._title, self._base_url, response, is_empty=is_empty)
            raise ModelError(sentence, retryable=True) from error


class WordStream:
    """Streams the reply of a non-streaming model word by word.

    pause: seconds between two words.
    """

    def __init__(self, model: Model, *, pause: float = 0.02) -> None:
        self.name, self._model, self._pause = model.name, model, pause

    async def stream(self, request: StreamRequest, reply: PartialReply) -> AsyncGenerator[str, None]:
        """Yield the model's reply word by word."""
        whole = self._model.complete(request, request.settings)
        for word in re.findall(r"\s*\S+\s*$|\s*\S+", whole.text):
            reply.text += word
            yield word
            await asyncio.sleep(self._pause)
        reply.prompt_tokens, reply.completion_tokens = whole.prompt_tokens, whole.completion_tokens
        reply.finish_reason, reply.is_complete = whole.finish_reason or "stop", True


@contextlib.contextmanager
def _register_reply(reply: PartialReply) -> Iterator[None]:
    """Count the reply among those being read; at the end, clean it for storage."""
    _open_replies.add(id(reply))
    try:
        yield
    finally:
        _open_replies.discard(id(reply))
        reply.clean()


async def _read_body(response: httpx.Response, longest: int) -> bytes:
    """Read the body, up to about this many bytes."""
    content = b""
    async for chunk in response.aiter_bytes():
        content += chunk
        if len(content) >= longest:
            break
    return content


async def _read_events(response: httpx.Response) -> AsyncIterator[str]:
    """Yield the data of each server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html).

    httpx's own line splitting also splits at characters that JSON text may contain, such as U+2028.
    """
    rest, data = b"", list[bytes]()
    async for chunk in response.aiter_bytes():
        *lines, rest = _LINE_END.split(rest + chunk)
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                yield b"\n".join(data).decode()
                data.clear()
        if len(rest) + sum(map(len, data)) > _MAX_EVENT_LENGTH:
            raise ValueError("an event is too long")
        await asyncio.sleep(max(_READ_PAUSE, len(_open_replies) / _READS_A_SECOND))
    if rest.startswith(b"data:"):  # the stream ended without the blank line
        data.append(rest[5:].strip())
    if data:
        yield b"\n".join(data).decode()
