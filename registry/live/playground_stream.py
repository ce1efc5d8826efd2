"""Live handler of the playground: the reply of one column as server-sent events."""

from registry.accounts.actor import Actor
from registry.live.event_streams import stream_events
from registry.live.reply_relay import relay_reply
from registry.live.reply_server import read_reply_events
from registry.live.requests import LiveRequest, require_user, run_in_thread
from registry.live.wsgi_environ import HTTPProtocol
from registry.playground import queries

__all__ = ["stream_reply"]


async def stream_reply(request: LiveRequest, protocol: HTTPProtocol) -> None:
    """Stream a column of the signed-in person; 404 for anybody else's, 403 if the role no longer suffices.

    The worker on this machine calls the model. Without one, as in a separate container, this process does.
    """
    user, column_id = require_user(request), request.arguments["column"]
    await run_in_thread(queries.find_own_column, Actor(user), column_id)
    if not await relay_reply(protocol, user.pk, column_id, request.language):
        await stream_events(protocol, read_reply_events(Actor(user), column_id, request.language))
