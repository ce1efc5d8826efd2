"""Server of streamed replies: the worker calls the models and sends their output to web processes over a Unix socket.

This keeps token parsing and the rows of replies out of the web processes, which serve fetches. A request is a line of
JSON, `{"person": id, "column": id, "language": "de"}`; the response is a stream of server-sent events as bytes. Any
client of the socket may request any column, so it is in a directory that only this user can access.
"""

# no texts here: scripts read it

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator
from typing import Any

from granian._granian import RSGIProtocolClosed as ProtocolClosed  # granian.rsgi defines it, without exporting it

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
    """Listen at this path, replacing any earlier listener."""
    return await asyncio.start_unix_server(_answer, path)


async def read_reply_events(actor: Actor, column_id: int, language: str) -> AsyncGenerator[Event, None]:
    """The events of a column as they are sent, in the language of the reader."""
    async with contextlib.aclosing(stream_column(actor, column_id)) as events:
        async for name, data in events:
            yield translate_event(Event(name, data), language)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        message = json.loads(await reader.readline())
        actor = Actor(await run_in_thread(User.objects.get, pk=message["person"]))
        await stream_events(
            _Connection(reader, writer), read_reply_events(actor, message["column"], message["language"])
        )
    except (NotFound, NotAllowed):
        pass  # the web process checked this just before: the page reconnects and gets the error
    except Exception:
        logger.exception("a reply could not be sent")
    finally:
        writer.close()


class _Connection:
    """The connection of a web process, as a target of `stream_events`; the web process writes status and headers
    itself.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def response_stream(self, _status: int, _headers: list[tuple[str, str]]) -> Any:
        """The receiver of the chunks: this connection."""
        return self

    async def send_bytes(self, data: bytes) -> None:
        """Send a chunk. Raises ProtocolClosed if the web process is gone."""
        try:
            self._writer.write(data)
            await self._writer.drain()
        except OSError as error:
            raise ProtocolClosed from error

    async def client_disconnect(self) -> None:
        """Wait until the web process closes its side."""
        with contextlib.suppress(OSError):
            await self._reader.read(1)
