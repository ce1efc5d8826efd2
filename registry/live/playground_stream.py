"""Live handler of the playground: the reply of one column as server-sent events."""

import contextlib
from collections.abc import AsyncGenerator

from registry.accounts.actor import Actor
from registry.live.event_streams import Event, stream_events
from registry.live.requests import LiveRequest, require_user, run_in_thread
from registry.live.wsgi_environ import HTTPProtocol
from registry.playground import queries
from registry.playground.streams import stream_column

__all__ = ["stream_reply"]


async def stream_reply(request: LiveRequest, protocol: HTTPProtocol) -> None:
    """Stream a column of the signed-in person's; 404 for anybody else's, 403 where the role does not reach any more."""
    actor, column_id = Actor(require_user(request)), request.arguments["column"]
    await run_in_thread(queries.find_own_column, actor, column_id)
    await stream_events(protocol, _read_events(actor, column_id))


async def _read_events(actor: Actor, column_id: int) -> AsyncGenerator[Event, None]:
    async with contextlib.aclosing(stream_column(actor, column_id)) as events:
        async for name, data in events:
            yield Event(name, data)
