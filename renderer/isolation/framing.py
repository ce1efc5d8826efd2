"""Frames on the socket between a bounded renderer and its child: a tag byte, eight bytes of length, then JSON."""

import json
import socket
from typing import Any

from promptuary.renderer.errors import InputError, LimitError

__all__ = ["ANSWER", "NOTE", "REQUEST", "pack", "read_exactly", "read_json", "unpack"]

REQUEST, NOTE, ANSWER = b"\x01", b"\x02", b"\x03"
_HEADER = 9


def pack(tag: bytes, value: Any) -> bytes:
    """Write a frame. Raises InputError for a value that JSON can't hold."""
    try:
        body = json.dumps(value).encode()
    except RecursionError as error:
        raise InputError("The data are nested too deeply.") from error
    except (TypeError, ValueError) as error:
        raise InputError(f"The data are not plain JSON values: {error}.") from error
    return tag + len(body).to_bytes(_HEADER - 1, "big") + body


def unpack(data: bytes, limit: int) -> tuple[list[tuple[bytes, Any]], bytes]:
    """Take whole frames off the front; returns them and the rest. What is no frame stays in the rest.

    Raises LimitError when a frame says it is longer than `limit` bytes.
    """
    found: list[tuple[bytes, Any]] = []
    while len(data) >= _HEADER and data[:1] in (REQUEST, NOTE, ANSWER):
        length = int.from_bytes(data[1:_HEADER], "big")
        if length > limit:
            raise LimitError(f"The result has {length:,} bytes; at most {limit:,} are allowed.")
        if len(data) < _HEADER + length:
            break
        found.append((data[:1], json.loads(data[_HEADER : _HEADER + length])))
        data = data[_HEADER + length :]
    return found, data


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """Read so many bytes; EOFError when the other side is gone before."""
    pieces = []
    while size:
        piece = connection.recv(min(size, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def read_json(connection: socket.socket) -> Any:
    """Read one whole frame and return its value."""
    header = read_exactly(connection, _HEADER)
    return json.loads(read_exactly(connection, int.from_bytes(header[1:], "big")))
