"""A server on loopback whose answer comes in pieces, as a hostile or a broken one sends it."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterable, Iterator

__all__ = ["serve_slowly"]


@contextlib.contextmanager
def serve_slowly(pieces: Iterable[bytes], *, pause: float = 0.1) -> Iterator[str]:
    """Answer one request with a piece every `pause` seconds, until the caller goes away. Yields the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_answer, args=(listener, pieces, pause))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def _answer(listener: socket.socket, pieces: Iterable[bytes], pause: float) -> None:
    connection, _ = listener.accept()
    with connection, contextlib.suppress(OSError):
        connection.recv(100_000)
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)  # the slowness is what is tested
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(100_000):
            pass  # closed with unread data, the connection would be reset, and the answer lost
