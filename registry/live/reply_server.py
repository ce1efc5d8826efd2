"""Server of streamed replies: the worker asks the models and sends what comes to the web processes by a Unix socket.

So the web processes, which answer fetches, spend their interpreter's time neither on reading tokens nor on the rows of
replies. A request is a line of JSON, `{"person": id, "column": id, "language": "de"}`; the answer are the bytes of
server-sent events. Whoever may open the socket may ask for any column, so it lies in a folder of this user only.
"""

# no texts here: scripts read it

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator
from typing import Any

from granian._granian import RSGIProtocolClosed as ProtocolClosed  # granian.rsgi has it, without exporting it

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.database_threads import run_in_thread
from registry.core.errors import NotAllowed, NotFound
from registry.live.event_streams import Event, stream_events
from registry.live.reply_language import translate_event
from registry.playground.streams import stream_column

__all__ = ["read_reply_events", "serve_replies"]

logger = logging.getLogger(__name__)


async def serve_replies(path: str) -> asyncio.Server:
    """Listen at this path, in the place of whoever listened there before."""
    return await asyncio.start_unix_server(_answer, path)


async def read_reply_events(actor: Actor, column_id: int, language: str) -> AsyncGenerator[Event, None]:
    """The events of a column as they are sent, in the language of the reader."""
    async with contextlib.aclosing(stream_column(actor, column_id)) as events:
        async for name, data in events:
            yield translate_event(Event(name, data), language)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        asked = json.loads(await reader.readline())
        actor = Actor(await run_in_thread(User.objects.get, pk=asked["person"]))
        await stream_events(_Connection(reader, writer), read_reply_events(actor, asked["column"], asked["language"]))
    except (NotFound, NotAllowed):
        pass  # the web process checked it a moment ago: the page asks again and is told
    except Exception:
        logger.exception("a reply could not be sent")
    finally:
        writer.close()


class _Connection:
    """The connection of a web process, as `stream_events` takes it; the web process writes head and status itself."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def response_stream(self, _status: int, _headers: list[tuple[str, str]]) -> Any:
        """What takes the pieces: this connection."""
        return self

    async def send_bytes(self, data: bytes) -> None:
        """Send a piece. Raises ProtocolClosed if the web process is gone."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise ProtocolClosed from error

    async def client_disconnect(self) -> None:
        """Wait until the web process closes its side."""
        with contextlib.suppress(OSError):
            await self._reader.read(1)
