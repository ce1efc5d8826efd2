"""The transports over real sockets: servers that are unavailable, slow, broken or hostile."""

import asyncio
import gc
import gzip
import socket
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from promptuary import BadAnswer, Promptuary, Unavailable
from promptuary._async_httpx_transport import AsyncHttpTransport, choose_tls_settings
from promptuary._http_transport import MAX_BYTES, HttpTransport
from promptuary._transport import Request

ROOT = Path(__file__).parents[2]
OK = b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: "x"\r\n\r\nhi'


@contextmanager
def serving(*answers: bytes, pause: float = 0.0, keep: bool = False, patience: float = 10.0) -> Iterator[str]:
    """A server that sends one answer per connection with `pause` seconds between its bytes; `keep` leaves it open.

    It waits `patience` seconds for each connection.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(patience)
    done = threading.Event()

    def serve() -> None:
        for answer in answers:
            try:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    for start in range(0, len(answer), 1 if pause else max(len(answer), 1)):
                        connection.sendall(answer[start : start + 1] if pause else answer)
                        if done.wait(pause):
                            return
                    if keep:
                        done.wait(5)
            except OSError:
                return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        done.set()
        listener.close()
        thread.join(5)


def _send(url: str, timeout: float = 5.0, kind: str = "sync"):
    request = Request("GET", "/x", timeout)
    if kind == "sync":
        transport = HttpTransport(url, {"Authorization": "Bearer key"})
        try:
            return transport.send(request)
        finally:
            transport.close()

    async def story():
        client = AsyncHttpTransport(url, {"Authorization": "Bearer key"})
        try:
            return await client.send(request)
        finally:
            await client.close()

    return asyncio.run(story())


both = pytest.mark.parametrize("kind", ["sync", "async"])


@both
def test_an_answer_comes_with_status_headers_and_body(kind):
    with serving(OK) as url:
        answer = _send(url, kind=kind)
    assert (answer.status, answer.headers["etag"], answer.body) == (200, '"x"', b"hi")


def test_a_transport_whose_event_loop_has_ended_can_be_closed():
    with serving(OK, keep=True) as url:
        client = AsyncHttpTransport(url, {})
        assert asyncio.run(client.send(Request("GET", "/x", 5.0))).status == 200
        asyncio.run(client.close())
        asyncio.run(client.close())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of the connection, which nothing can close any more
        gc.collect()


@both
def test_nobody_listening_is_unavailable_immediately(kind):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(Unavailable, match=f"127.0.0.1:{port} cannot be reached"):
        _send(f"http://127.0.0.1:{port}", kind=kind)
    assert time.monotonic() - began < 4


@both
@pytest.mark.parametrize("pause", [30.0, 0.05])
def test_a_silent_or_dripping_server_costs_no_more_than_the_time_limit(kind, pause):
    slow = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + b"x" * 1000
    with serving(slow, slow, pause=pause) as url:
        began = time.monotonic()
        with pytest.raises(Unavailable, match=r"within 0\.4 s"):
            _send(url, timeout=0.4, kind=kind)
        assert time.monotonic() - began < 20


@both
def test_a_connection_that_breaks_once_is_tried_again(kind):
    with serving(b"", OK) as url:
        assert _send(url, kind=kind).body == b"hi"


@both
def test_a_connection_that_keeps_breaking_is_unavailable(kind):
    with serving(b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi") as url, pytest.raises(Unavailable):
        _send(url, kind=kind)


@both
def test_an_answer_without_end_is_given_up(kind):
    bomb = gzip.compress(b"\0" * (MAX_BYTES + 1))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n".encode()
    with serving(head + bomb) as url, pytest.raises(BadAnswer, match="larger than"):
        _send(url, kind=kind)


@both
def test_a_redirect_is_not_followed(kind):
    with serving(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n") as url:
        assert _send(url, kind=kind).status == 302


def test_over_https_the_certificate_is_verified():
    assert choose_tls_settings("https://registry.example") is True


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "HTTP://localhost"])
def test_over_plain_http_no_certificates_are_read_and_none_would_be_trusted(url):
    context = choose_tls_settings(url)
    assert isinstance(context, ssl.SSLContext)
    assert context.get_ca_certs() == []
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


@pytest.mark.parametrize("status", [500, 502, 503, 429])
def test_a_failing_server_counts_as_unavailable(status):
    answer = f"HTTP/1.1 {status} Bad\r\nContent-Length: 6\r\n\r\n<html>".encode()
    with serving(answer) as url, pytest.raises(Unavailable, match=str(status)):
        Promptuary(url, "key").get("support/a")


FORKING_SERVICE = """
import os, sys, traceback
from promptuary._http_transport import HttpTransport
from promptuary._transport import Request

transport = HttpTransport(sys.argv[1], {})
request = Request("GET", "/x", 60)
assert transport.send(request).body == b"hi"
child = os.fork()
if child == 0:
    try:
        assert transport.send(request).body == b"hi"
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
_, status = os.waitpid(child, 0)
transport.close()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.slow
def test_a_client_works_in_a_child_after_a_fork():
    # In a process of its own: a fork of the test process copies the heap and the locks of whatever ran before, and its
    # request would compete for the processors within a service's time limit.
    with serving(OK, OK, patience=60) as url:
        command = [sys.executable, "-c", FORKING_SERVICE, url]
        service = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert service.returncode == 0, service.stderr


def test_a_burst_of_threads_asks_once(world):
    client = world.client()
    threads = [threading.Thread(target=client.get, args=("support/refunds/reply",)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.request_count <= 2
