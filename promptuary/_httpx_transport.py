"""HTTP transports. The only module that imports httpx.

It is loaded when a client is made, not by `import promptuary`: httpx brings rich and click along where they
are installed, which a service that only renders from its cache never needs.
"""

import asyncio
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from promptuary._transport import Answer, Request
from promptuary.errors import BadAnswer, PromptuaryError, Unavailable

__all__ = ["AsyncHttpTransport", "HttpTransport"]

MAX_BYTES = 40 * 1024 * 1024  # of one answer, decompressed
# A kept connection that the server has closed meanwhile; worth one more try where asking twice does no harm.
_BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class HttpTransport:
    """Blocking HTTP. Safe to share between threads, and in a child after a fork.

    httpx limits each phase of a call, not the call: a slow name server or an answer that drips keeps it for
    much longer. So the call runs on a thread of its own and the caller waits for the whole of it, no more.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = dict(headers)
        self._clients: dict[int, httpx.Client] = {}

    def send(self, request: Request) -> Answer:
        """Raise `Unavailable` when no whole answer came within the request's timeout."""
        result = _Outcome()
        deadline = time.monotonic() + request.timeout
        worker = threading.Thread(target=self._call, args=(request, deadline, result), daemon=True)
        try:
            worker.start()
        except RuntimeError:
            # No thread is to be had: the interpreter is on its way out. Here then, bounded phase by phase.
            self._call(request, deadline, result)
        else:
            worker.join(request.timeout)
        if result.error is not None:
            raise result.error
        if result.answer is None:
            raise _too_late(request)
        return result.answer

    def close(self) -> None:
        client = self._clients.pop(os.getpid(), None)
        if client is not None:
            client.close()

    def _client(self) -> httpx.Client:
        # One for each process: connections made before a fork belong to the parent.
        client = self._clients.get(os.getpid())
        if client is None:
            client = self._clients.setdefault(os.getpid(), httpx.Client(base_url=self._url, headers=self._headers))
        return client

    def _call(self, request: Request, deadline: float, result: "_Outcome") -> None:
        try:
            try:
                result.answer = self._exchange(request, deadline)
            except _BROKEN:
                if request.method != "GET":
                    raise
                result.answer = self._exchange(request, deadline)
        except PromptuaryError as error:
            result.error = error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, RuntimeError) as error:
            # RuntimeError: httpx says so when another thread has closed the client meanwhile.
            result.error = Unavailable(_reason(self._url, error))

    def _exchange(self, request: Request, deadline: float) -> Answer:
        left = max(deadline - time.monotonic(), 0.001)
        body = bytearray()
        with self._client().stream(
            request.method, request.path, headers=dict(request.headers), content=request.body, timeout=left
        ) as response:
            for chunk in response.iter_bytes():
                _add(body, chunk)
                if time.monotonic() > deadline:
                    raise _too_late(request)
            return Answer(response.status_code, _lowered(response.headers), bytes(body))


class AsyncHttpTransport:
    """HTTP on the running event loop."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = dict(headers)
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def send(self, request: Request) -> Answer:
        """Raise `Unavailable` when no whole answer came within the request's timeout."""
        client = self._client_of(asyncio.get_running_loop())
        try:
            async with asyncio.timeout(request.timeout):
                try:
                    return await self._exchange(client, request)
                except _BROKEN:
                    if request.method != "GET":
                        raise
                    return await self._exchange(client, request)
        except TimeoutError:
            raise _too_late(request) from None
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError) as error:
            raise Unavailable(_reason(self._url, error)) from error

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def blocking(self) -> HttpTransport:
        """The same registry for a thread."""
        return HttpTransport(self._url, self._headers)

    def _client_of(self, loop: asyncio.AbstractEventLoop) -> httpx.AsyncClient:
        # Connections belong to the loop they were opened on; a later `asyncio.run` starts anew.
        if self._client is None or self._loop is not loop:
            self._client = httpx.AsyncClient(base_url=self._url, headers=self._headers)
            self._loop = loop
        return self._client

    async def _exchange(self, client: httpx.AsyncClient, request: Request) -> Answer:
        async with client.stream(
            request.method, request.path, headers=dict(request.headers), content=request.body, timeout=request.timeout
        ) as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                _add(body, chunk)
            return Answer(response.status_code, _lowered(response.headers), bytes(body))


@dataclass
class _Outcome:
    answer: Answer | None = field(default=None)
    error: PromptuaryError | None = field(default=None)


def _add(body: bytearray, chunk: bytes) -> None:
    body += chunk
    if len(body) > MAX_BYTES:
        raise BadAnswer(f"the answer is larger than {MAX_BYTES} bytes")


def _lowered(headers: httpx.Headers) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _too_late(request: Request) -> Unavailable:
    return Unavailable(f"no answer to {request.method} {request.path} within {request.timeout:g} s")


def _reason(url: str, error: Exception) -> str:
    return f"{url} cannot be reached: {str(error) or type(error).__name__}"
