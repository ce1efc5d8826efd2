"""Relay of streamed replies in a web process: forwards the bytes of `registry.live.reply_server` unchanged.

It costs a web process a few calls per update of a page, not per token. If no worker listens on this machine,
`relay_reply` returns False and the web process calls the model itself.
"""

# no texts here: scripts read it

import asyncio
import json

from registry.core import env
from registry.live.event_streams import STREAM_HEADERS, Receiver, hold_stream

__all__ = ["SOCKET", "relay_reply"]

SOCKET = "PROMPTUARY_REPLY_SOCKET"  # set by the supervisor for its processes
_MAX_BYTES = 64 * 1024  # bytes per read


async def relay_reply(protocol: Receiver, person_id: int, column_id: int, language: str) -> bool:
    """Respond with the reply of a column that the person may read; False, with nothing sent, if no worker listens."""
    path = env.read_text(SOCKET, "")
    if not path:
        return False
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    try:
        message = {"person": person_id, "column": column_id, "language": language}
        writer.write(json.dumps(message).encode() + b"\n")
        await hold_stream(_relay(protocol, reader, writer))
    finally:
        writer.close()
    return True


async def _relay(protocol: Receiver, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    stream = protocol.response_stream(200, STREAM_HEADERS)
    disconnection = asyncio.ensure_future(protocol.client_disconnect())
    disconnection.add_done_callback(lambda _gone: writer.close())  # ends the read loop below
    try:
        while data := await reader.read(_MAX_BYTES):
            await stream.send_bytes(data)
    except ConnectionError:
        return  # the worker was killed; the page reconnects
    finally:
        disconnection.cancel()
