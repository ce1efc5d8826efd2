"""A relay in front of a server, such as the broker, that breaks the connection at a chosen message to the server."""

import socket
import threading
from types import TracebackType

__all__ = ["BreakingRelay"]

_LIMIT = 65_536  # bytes read at a time


class BreakingRelay:
    """Listens on its own port while the `with` block runs, and forwards what it reads.

    port: the server's, on loopback. `break_at` restarts the count of messages to the server over all connections; the
    message with the given number isn't forwarded, and its connection is closed.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._lock = threading.Lock()
        self._breaking = 0
        self.count = 0

    def __enter__(self) -> "BreakingRelay":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def break_at(self, number: int) -> None:
        """Break at the message with this number, counted from 1; 0 never breaks."""
        with self._lock:
            self.count, self._breaking = 0, number

    def _accept(self) -> None:
        while True:
            try:
                client, _address = self._listener.accept()
            except OSError:  # the listener was closed
                return
            server = socket.create_connection(("127.0.0.1", self._server))
            threading.Thread(target=self._pass_on, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._pass_on, args=(server, client, False), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_to_server: bool) -> None:
        with source:
            try:
                while (message := source.recv(_LIMIT)) and not (is_to_server and self._breaks()):
                    target.sendall(message)
                target.shutdown(socket.SHUT_RDWR)
            except OSError:  # the other side has closed
                return

    def _breaks(self) -> bool:
        with self._lock:
            self.count += 1
            return self.count == self._breaking
