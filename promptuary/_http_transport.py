"""HTTP for threads. It is loaded when a client is created, not by `import promptuary`."""

import http.client
import os
import threading
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from promptuary._http_connections import Connections
from promptuary._transport import Answer, Request
from promptuary.errors import BadAnswer, PromptuaryError, Unavailable

__all__ = ["HttpTransport", "add_chunk", "make_late_error", "make_unreachable_error"]

MAX_BYTES = 40 * 1024 * 1024  # of one answer, after decompression
CHUNK = 64 * 1024
GZIP = 16 + zlib.MAX_WBITS
# Raised on a kept-alive connection that the server has since closed: retry if the request is idempotent.
BROKEN = (http.client.IncompleteRead, BrokenPipeError, ConnectionAbortedError, ConnectionResetError)


class HttpTransport:
    """Blocking HTTP. Safe to share between threads, and in a child after a fork.

    A socket's time limit is for each wait, not for the whole call, so slow DNS or a slow answer can make it take much
    longer. The call therefore runs on its own thread, and the caller stops waiting after the request's timeout.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = {"Accept": "*/*", "Accept-Encoding": "gzip", **headers}
        self._connections: dict[int, Connections] = {}

    def send(self, request: Request) -> Answer:
        """Send the request. Raises `Unavailable` if no complete answer arrives within its timeout."""
        result = _Outcome()
        deadline = time.monotonic() + request.timeout
        worker = threading.Thread(target=self._call, args=(request, deadline, result), daemon=True)
        try:
            worker.start()
        except RuntimeError:
            # The interpreter is shutting down and starts no threads: call here, limited per wait only.
            self._call(request, deadline, result)
        else:
            worker.join(request.timeout)
        if result.error is not None:
            raise result.error
        if result.answer is None:
            raise make_late_error(request)
        return result.answer

    def close(self) -> None:
        connections = self._connections.pop(os.getpid(), None)
        if connections is not None:
            connections.close()

    def _find_connections(self) -> Connections:
        # Those of one process, because connections made before a fork belong to the parent.
        connections = self._connections.get(os.getpid())
        if connections is None:
            connections = self._connections.setdefault(os.getpid(), Connections(self._url))
        return connections

    def _call(self, request: Request, deadline: float, result: "_Outcome") -> None:
        try:
            try:
                result.answer = self._exchange(request, deadline)
            except BROKEN:
                if request.method != "GET":
                    raise
                result.answer = self._exchange(request, deadline, fresh=True)
        except PromptuaryError as error:
            result.error = error
        except TimeoutError:
            # Each wait is given all the remaining time, so the deadline has passed whichever one timed out.
            result.error = make_late_error(request)
        except (http.client.HTTPException, OSError, ValueError, zlib.error) as error:
            # ValueError: a host name or a header that can't be sent.
            result.error = make_unreachable_error(self._url, error)

    def _exchange(self, request: Request, deadline: float, *, fresh: bool = False) -> Answer:
        connections = self._find_connections()
        connection = connections.take(max(deadline - time.monotonic(), 0.001), fresh=fresh)
        try:
            headers = {**self._headers, **connections.proxy_headers, **request.headers}
            connection.request(request.method, connections.write_target(request.path), request.body, headers)
            with connection.getresponse() as response:
                body = _read_body(response, deadline, request)
        except BaseException:
            connection.close()
            raise
        connections.give_back(connection)
        return Answer(response.status, _read_headers(response), body)


@dataclass
class _Outcome:
    answer: Answer | None = field(default=None)
    error: PromptuaryError | None = field(default=None)


def _read_body(response: http.client.HTTPResponse, deadline: float, request: Request) -> bytes:
    body, received, announced = bytearray(), 0, response.length
    unpacker = zlib.decompressobj(GZIP) if response.headers.get("Content-Encoding", "").lower() == "gzip" else None
    while received != announced:
        # `read1` returns what has arrived. Not every Python counts what it has left to read, so it is counted here.
        chunk = response.read1(CHUNK if announced is None else min(CHUNK, announced - received))
        if not chunk:
            break
        received += len(chunk)
        add_chunk(body, unpacker.decompress(chunk, MAX_BYTES + 1) if unpacker else chunk)
        if time.monotonic() > deadline:
            raise make_late_error(request)
    if (announced is not None and received < announced) or (unpacker and received and not unpacker.eof):
        raise http.client.IncompleteRead(bytes(body))
    return bytes(body)


def _read_headers(response: http.client.HTTPResponse) -> dict[str, str]:
    """The headers in the form of `Answer`, names in lower case."""
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        earlier = headers.get(name.lower())
        headers[name.lower()] = value if earlier is None else f"{earlier}, {value}"
    return headers


def add_chunk(body: bytearray, chunk: bytes) -> None:
    """Append a chunk. Raises BadAnswer if the answer is too large."""
    body += chunk
    if len(body) > MAX_BYTES:
        raise BadAnswer(f"the answer is larger than {MAX_BYTES} bytes")


def make_late_error(request: Request) -> Unavailable:
    """The error for an answer that did not arrive in time."""
    return Unavailable(f"no answer to {request.method} {request.path} within {request.timeout:g} s")


def make_unreachable_error(url: str, error: Exception) -> Unavailable:
    """The error for a registry that could not be reached."""
    return Unavailable(f"{url} cannot be reached: {str(error) or type(error).__name__}")
