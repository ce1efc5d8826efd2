"""Reserves a port for one server on this machine. The web processes share the port, so binding isn't exclusive."""

import socket
import sys

__all__ = ["take_port"]


def take_port(host: str, port: int) -> socket.socket:
    """A socket that reserves this port until it is closed. Raises OSError if the port is taken.

    It receives no connections. Web processes of the same user that set SO_REUSEPORT can listen on the port too.
    """
    guard = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Connections of a server that has just ended don't block the port.
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        guard.bind((host, port))
        if sys.platform.startswith("linux"):
            guard.listen(1)  # Linux lets only one of two bound sockets listen
        # From here on, sockets without SO_REUSEPORT can't bind the port.
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)
        guard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if sys.platform.startswith("linux"):
            guard.shutdown(socket.SHUT_RDWR)  # it stays bound, but receives no connections
    except OSError:
        guard.close()
        raise
    return guard
