"""Server-sent events, and the other responses of live handlers."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from django.core.serializers.json import DjangoJSONEncoder
from granian._granian import RSGIProtocolClosed as ProtocolClosed  # granian.rsgi defines it, without exporting it

from registry.core.errors import PromptuaryError
from registry.live.wsgi_environ import HTTPProtocol
from registry.serving.responses import build_refusal

__all__ = [
    "HEARTBEAT_SECONDS",
    "STREAM_HEADERS",
    "Event",
    "Receiver",
    "answer_json",
    "answer_problem",
    "end_streams",
    "hold_stream",
    "stream_events",
]

HEARTBEAT_SECONDS = 15.0  # a comment line, so that proxies don't time out
STREAM_HEADERS = [
    ("Content-Type", "text/event-stream; charset=utf-8"),
    ("Cache-Control", "no-store"),
    ("X-Accel-Buffering", "no"),  # stops nginx from buffering
    ("X-Content-Type-Options", "nosniff"),
]
_open_streams: set[asyncio.Task[None]] = set()  # the streams of this process


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event: `data` is any JSON value; an empty `id` is not sent."""

    name: str
    data: Any
    id: str = ""

    def to_bytes(self) -> bytes:
        """The wire format of the event. JSON contains no line breaks, so the data is one line."""
        data = json.dumps(self.data, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))
        first = f"id: {self.id}\n" if self.id else ""
        return f"{first}event: {self.name}\ndata: {data}\n\n".encode()


class Receiver(Protocol):
    """The target of a stream: RSGI's side of a request, or anything with the same interface."""

    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> Any: ...
    async def client_disconnect(self) -> None: ...


async def stream_events(protocol: Receiver, events: AsyncGenerator[Event, None]) -> None:
    """Send the events until they end, the client goes away or the process ends; then `events` is closed (`aclose`)."""
    await hold_stream(_send_events(protocol, events))


async def hold_stream(sending: Coroutine[Any, Any, None]) -> None:
    """Run the sender of a stream until it ends, the client goes away or the process ends."""
    task = asyncio.ensure_future(sending)
    _open_streams.add(task)
    task.add_done_callback(_open_streams.discard)
    with contextlib.suppress(asyncio.CancelledError, ProtocolClosed):
        await task


def end_streams() -> None:
    """End every stream of this process; browsers reconnect after a short delay."""
    for task in _open_streams:
        task.cancel()


def answer_json(protocol: HTTPProtocol, status: int, value: Any) -> None:
    """Respond with a JSON value."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    protocol.response_bytes(status, headers, json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode())


def answer_problem(protocol: HTTPProtocol, error: PromptuaryError) -> None:
    """Respond with the problem document of a domain error."""
    answer = build_refusal(error)
    protocol.response_bytes(answer.status, list(answer.headers), answer.body)


async def _send_events(protocol: Receiver, events: AsyncGenerator[Event, None]) -> None:
    stream = protocol.response_stream(200, STREAM_HEADERS)
    disconnection = asyncio.ensure_future(protocol.client_disconnect())
    next_event: asyncio.Future[Event] | None = None
    try:
        await stream.send_bytes(b": connected\n\n")
        while True:
            next_event = next_event or asyncio.ensure_future(anext(events))
            await asyncio.wait(
                (next_event, disconnection), timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            if disconnection.done():
                return
            if not next_event.done():
                await stream.send_bytes(b": still here\n\n")
                continue
            try:
                event = next_event.result()
            except StopAsyncIteration:
                return
            next_event = None
            await stream.send_bytes(event.to_bytes())
    finally:
        disconnection.cancel()
        await _close(events, next_event)


async def _close(events: AsyncGenerator[Event, None], next_event: asyncio.Future[Event] | None) -> None:
    if next_event is not None:
        next_event.cancel()
        with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
            await next_event
    await events.aclose()
