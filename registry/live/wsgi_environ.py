"""The WSGI environ of an RSGI request (granian's own interface); PEP 3333 lists its variables."""

import asyncio
import io
import sys
from typing import IO, Any, Protocol

__all__ = ["HTTPProtocol", "Headers", "RequestBody", "Scope", "build_environ"]


class Headers(Protocol):
    """The headers of a request, with lower-case names; `get` returns the first value."""

    def get(self, key: str, default: Any = None) -> Any: ...
    def items(self) -> list[tuple[str, str]]: ...


class Scope(Protocol):
    """The scope of an RSGI request. `path` is decoded, with U+FFFD for invalid UTF-8."""

    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None
    headers: Headers


class HTTPProtocol(Protocol):
    """RSGI's side of one request: reads the body and sends the response, once."""

    def __aiter__(self) -> Any: ...
    async def __call__(self) -> bytes: ...
    async def client_disconnect(self) -> None: ...
    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None: ...
    def response_stream(self, status: int, headers: list[tuple[str, str]]) -> Any: ...


def build_environ(scope: Scope, body: IO[bytes]) -> dict[str, Any]:
    """Build the environ. Headers with an underscore are dropped: they would pass for hyphenated ones."""
    server, _, port = scope.server.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    if scope.authority:  # HTTP/2 has no Host
        environ["HTTP_HOST"] = scope.authority
    for name, value in scope.headers.items():
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        if key not in ("CONTENT_LENGTH", "CONTENT_TYPE"):
            key = f"HTTP_{key}"
        separator = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{separator}{value}" if key in environ else value
    return environ


class RequestBody(io.RawIOBase):
    """The body as WSGI reads it, in a thread: each chunk is requested from the event loop on demand.

    Raises OSError if the body ends before its Content-Length, so that a truncated body is never taken as complete.
    """

    def __init__(self, protocol: HTTPProtocol, loop: asyncio.AbstractEventLoop, length: str | None) -> None:
        self._chunks, self._loop = aiter(protocol), loop
        self._missing = int(length) if length and length.isascii() and length.isdecimal() and len(length) < 16 else 0
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the next chunk; returns 0 at the end."""
        while not self._rest:
            chunk = asyncio.run_coroutine_threadsafe(self._read_chunk(), self._loop).result()
            if chunk is None:
                if self._missing > 0:
                    raise OSError("The request's body ended before it was whole.")
                return 0
            self._missing -= len(chunk)
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    async def _read_chunk(self) -> bytes | None:
        try:
            return bytes(await anext(self._chunks))
        except StopAsyncIteration:
            return None
