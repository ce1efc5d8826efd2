"""Runs a WSGI application for RSGI requests, in a bounded pool of threads."""

import asyncio
import io
import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.http import HttpResponse
from granian._granian import RSGIProtocolClosed as ProtocolClosed  # granian.rsgi defines it, without exporting it

from registry.live.wsgi_environ import HTTPProtocol, RequestBody, Scope, build_environ

__all__ = ["WsgiPool"]

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
_FAILED = b"Something went wrong on the server, and it was logged.\n"
_PLAIN = ("Content-Type", "text/plain; charset=utf-8")
logger = logging.getLogger(__name__)


class WsgiPool:
    """A WSGI application and its thread pool; requests beyond the number of threads wait."""

    def __init__(self, application: Application, threads: int) -> None:
        self._application = application
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="wsgi")

    async def answer(self, scope: Scope, protocol: HTTPProtocol, variables: Mapping[str, Any] | None = None) -> None:
        """Answer one request; the event loop only waits. variables: further ones of the environ."""
        loop = asyncio.get_running_loop()
        exchange = _Exchange(scope, protocol, loop, variables or {})
        await loop.run_in_executor(self._executor, exchange.run, self._application)


class _Exchange:
    """One request and its response, in a thread."""

    def __init__(
        self, scope: Scope, protocol: HTTPProtocol, loop: asyncio.AbstractEventLoop, variables: Mapping[str, Any]
    ) -> None:
        self._scope, self._protocol, self._loop, self._variables = scope, protocol, loop, variables
        self._status, self._headers = 500, [_PLAIN]
        self._began = False  # whether sending has begun

    def run(self, application: Application) -> None:
        try:
            body = RequestBody(self._protocol, self._loop, self._scope.headers.get("content-length"))
            environ = {**build_environ(self._scope, io.BufferedReader(body)), **self._variables}
            result = application(environ, self._start_response)
            try:
                self._send(result)
            finally:
                if close := getattr(result, "close", None):
                    close()
        except Exception:  # raised by the application itself: Django handles those of views
            logger.exception("%s %s failed", self._scope.method, self._scope.path)
            if not self._began:
                self._protocol.response_bytes(500, [_PLAIN], _FAILED)

    def _start_response(self, status: str, headers: list[tuple[str, str]], _exc_info: Any = None) -> None:
        self._status, self._headers = int(status[:3]), headers

    def _send(self, result: Iterable[bytes]) -> None:
        """Send a complete response in one go, anything else chunk by chunk."""
        if isinstance(result, HttpResponse):
            result = [result.content]
        if isinstance(result, list):
            self._began = True
            self._protocol.response_bytes(self._status, self._headers, b"".join(result))
            return
        chunks = iter(result)
        chunk = next(chunks, b"")  # a failure before the first chunk can still become a 500
        self._began = True
        stream = self._protocol.response_stream(self._status, self._headers)
        try:
            while True:
                if chunk:
                    asyncio.run_coroutine_threadsafe(_send_chunk(stream, chunk), self._loop).result()
                chunk = next(chunks)
        except StopIteration:
            return
        except ProtocolClosed:
            logger.debug("the client went away during %s", self._scope.path)


async def _send_chunk(stream: Any, chunk: bytes) -> None:
    await stream.send_bytes(chunk)
