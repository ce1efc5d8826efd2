"""`GET /live/drafts/<template>/<token>?after=<revision>`: notifies a page of changes to a shared draft.

`draft` with `{revision}` is sent when the draft's revision differs from the last one sent; `ended` when it is no longer
shared with this person, which ends the stream. The database is polled every POLL_SECONDS, since a draft has no journal
events and may be written by another process.
"""

# no texts here: scripts read it

import asyncio
from collections.abc import AsyncGenerator

from registry.accounts.actor import Actor
from registry.core.errors import Busy, Invalid, NotFound
from registry.core.input_checks import parse_number
from registry.live.event_streams import Event, stream_events
from registry.live.requests import LiveRequest, read_user, require_user, run_in_thread
from registry.live.wsgi_environ import HTTPProtocol
from registry.templates.shared_drafts import find_shared_draft

__all__ = ["MAX_STREAMS", "POLL_SECONDS", "watch_draft"]

POLL_SECONDS = 1.5
MAX_STREAMS = 200  # per process; each polls the database
_open: set[object] = set()


async def watch_draft(request: LiveRequest, protocol: HTTPProtocol) -> None:
    """The handler: 404 for people who may not read the draft."""
    user = require_user(request)
    after = parse_number(request.query.get("after", "0"))
    if after is None:
        raise Invalid(fields={"after": "the revision of a draft."})
    name, token = request.arguments["name"], request.arguments["token"]
    await run_in_thread(find_shared_draft, Actor(user), name, token)
    if len(_open) >= MAX_STREAMS:
        raise Busy("Too many pages are open at the moment; this one gets no updates until it is loaded again.")
    await stream_events(protocol, _follow(request.session_key, name, token, after))


async def _follow(session_key: str, name: str, token: str, after: int) -> AsyncGenerator[Event, None]:
    mark = object()
    _open.add(mark)
    try:
        while (revision := await run_in_thread(_read_revision, session_key, name, token)) is not None:
            if revision != after:
                yield Event("draft", {"revision": revision})
                after = revision
            await asyncio.sleep(POLL_SECONDS)
        yield Event("ended", {})
    finally:
        _open.discard(mark)


def _read_revision(session_key: str, name: str, token: str) -> int | None:
    """The draft's revision; None if it is no longer shared, or the session ended."""
    user = read_user(session_key)
    if user is None:
        return None
    try:
        return find_shared_draft(Actor(user), name, token).revision
    except NotFound:
        return None
