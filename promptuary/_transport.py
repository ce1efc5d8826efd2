"""Requests and answers as plain values, and the two functions that run a flow of them, sync and async.

A flow is a generator that yields `Request`s, is sent `Answer`s (or thrown `Unavailable`) and returns its result. It
does no I/O, so the sync and the async client share the same code.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from promptuary.errors import Unavailable

__all__ = ["Answer", "AsyncTransport", "Flow", "Request", "Transport", "run_flow", "run_flow_async"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Request:
    """One call. `path` starts with a slash, relative to the registry's address; `timeout` is the total in seconds."""

    method: str
    path: str
    timeout: float
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class Answer:
    """The response. Header names are lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Flow = Generator[Request, Answer, Result]


class Transport(Protocol):
    """Sends a request within its timeout, or raises `Unavailable`."""

    def send(self, request: Request) -> Answer: ...

    def close(self) -> None: ...


class AsyncTransport(Protocol):
    """The asyncio counterpart of `Transport`."""

    async def send(self, request: Request) -> Answer: ...

    async def close(self) -> None: ...

    def blocking(self) -> Transport:
        """A blocking transport to the same registry, for the background thread."""
        ...


def run_flow(flow: Flow[Result], transport: Transport) -> Result:
    """Run a flow to its end with a blocking transport."""
    try:
        request = next(flow)
        while True:
            try:
                answer = transport.send(request)
            except Unavailable as error:
                request = flow.throw(error)
            else:
                request = flow.send(answer)
    except StopIteration as stop:
        # `Flow` types a generator's return value, but StopIteration carries it untyped.
        result: Result = stop.value
        return result


async def run_flow_async(flow: Flow[Result], transport: AsyncTransport) -> Result:
    """Run a flow to its end with an asyncio transport."""
    try:
        request = next(flow)
        while True:
            try:
                answer = await transport.send(request)
            except Unavailable as error:
                request = flow.throw(error)
            else:
                request = flow.send(answer)
    except StopIteration as stop:
        result: Result = stop.value
        return result
