"""HTTP for threads, by httpx. Only this module and its counterpart for event loops import httpx.

They are loaded when a client is created, not by `import promptuary`: httpx imports rich and click if they are
installed, which a service that only renders from its cache never needs.
"""

import os
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from promptuary._transport import Answer, Request
from promptuary.errors import BadAnswer, PromptuaryError, Unavailable

__all__ = [
    "BROKEN",
    "HttpTransport",
    "add_chunk",
    "choose_tls_settings",
    "make_late_error",
    "make_unreachable_error",
    "read_headers",
]

MAX_BYTES = 40 * 1024 * 1024  # of one answer, after decompression
# Raised on a kept-alive connection that the server has since closed: retry if the request is idempotent.
BROKEN = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class HttpTransport:
    """Blocking HTTP. Safe to share between threads, and in a child after a fork.

    httpx limits each phase of a call, not the whole call, so slow DNS or a slow answer can make it take much longer.
    The call therefore runs on its own thread, and the caller stops waiting after the request's timeout.
    """

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        self._url = url
        self._headers = dict(headers)
        self._clients: dict[int, httpx.Client] = {}

    def send(self, request: Request) -> Answer:
        """Send the request. Raises `Unavailable` if no complete answer arrives within its timeout."""
        result = _Outcome()
        deadline = time.monotonic() + request.timeout
        worker = threading.Thread(target=self._call, args=(request, deadline, result), daemon=True)
        try:
            worker.start()
        except RuntimeError:
            # The interpreter is shutting down and starts no threads: call here, limited per phase only.
            self._call(request, deadline, result)
        else:
            worker.join(request.timeout)
        if result.error is not None:
            raise result.error
        if result.answer is None:
            raise make_late_error(request)
        return result.answer

    def close(self) -> None:
        client = self._clients.pop(os.getpid(), None)
        if client is not None:
            client.close()

    def _client(self) -> httpx.Client:
        # One per process, because connections made before a fork belong to the parent.
        client = self._clients.get(os.getpid())
        if client is None:
            fresh = httpx.Client(base_url=self._url, headers=self._headers, verify=choose_tls_settings(self._url))
            client = self._clients.setdefault(os.getpid(), fresh)
        return client

    def _call(self, request: Request, deadline: float, result: "_Outcome") -> None:
        try:
            try:
                result.answer = self._exchange(request, deadline)
            except BROKEN:
                if request.method != "GET":
                    raise
                result.answer = self._exchange(request, deadline)
        except PromptuaryError as error:
            result.error = error
        except httpx.TimeoutException:
            # Each phase is given all the remaining time, so the deadline has passed whichever phase timed out.
            result.error = make_late_error(request)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, RuntimeError) as error:
            # httpx raises RuntimeError if another thread has closed the client.
            result.error = make_unreachable_error(self._url, error)

    def _exchange(self, request: Request, deadline: float) -> Answer:
        left = max(deadline - time.monotonic(), 0.001)
        body = bytearray()
        with self._client().stream(
            request.method, request.path, headers=dict(request.headers), content=request.body, timeout=left
        ) as response:
            for chunk in response.iter_bytes():
                add_chunk(body, chunk)
                if time.monotonic() > deadline:
                    raise make_late_error(request)
            return Answer(response.status_code, read_headers(response.headers), bytes(body))


@dataclass
class _Outcome:
    answer: Answer | None = field(default=None)
    error: PromptuaryError | None = field(default=None)


def add_chunk(body: bytearray, chunk: bytes) -> None:
    """Append a chunk. Raises BadAnswer if the answer is too large."""
    body += chunk
    if len(body) > MAX_BYTES:
        raise BadAnswer(f"the answer is larger than {MAX_BYTES} bytes")


def read_headers(headers: httpx.Headers) -> dict[str, str]:
    """The headers in the form of `Answer`, names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def choose_tls_settings(url: str) -> bool | ssl.SSLContext:
    """The `verify` of an httpx client that connects to this address only.

    For plain http it is a context that trusts no certificate, since loading the system's certificates takes 20 ms.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if url.lower().startswith("http:") else True


def make_late_error(request: Request) -> Unavailable:
    """The error for an answer that did not arrive in time."""
    return Unavailable(f"no answer to {request.method} {request.path} within {request.timeout:g} s")


def make_unreachable_error(url: str, error: Exception) -> Unavailable:
    """The error for a registry that could not be reached."""
    return Unavailable(f"{url} cannot be reached: {str(error) or type(error).__name__}")
