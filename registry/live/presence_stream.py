"""`/live/presence`: who has a template open in the editor.

    GET /live/presence?template=support/reply    a stream: `present`, whenever something of it changes
    POST /live/presence                          a heartbeat: `{"template": "support/reply", "tab": "<32 hex digits>",
                                                 "part": "instructions"}`, or with `"leave": true` that the tab closed

`present` has `people`, the names of others; `parts`, the part that each of them edits, by name; and `own_tabs`, the ids
of the reader's own tabs, so that a page can tell its own from another one.

A tab sends a heartbeat every few seconds while the editor is open, so that a lost connection ends its presence too.
Heartbeats are answered from memory: the database is updated with all tabs of a process in one statement.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Busy, Invalid
from registry.core.input_checks import BadJson, parse_json
from registry.live.event_streams import Event, answer_json, stream_events
from registry.live.journal_feed import Subscription, Topics
from registry.live.presence_feed import Watcher, presence_feed
from registry.live.requests import LiveRequest, require_user, run_in_thread
from registry.live.wsgi_environ import HTTPProtocol
from registry.templates import presence
from registry.templates.queries import get_template

__all__ = ["MAX_STREAMS", "answer_presence"]

MAX_STREAMS = 1500  # per process


async def answer_presence(request: LiveRequest, protocol: HTTPProtocol) -> None:
    """The handler: a stream for GET, a heartbeat for POST."""
    user = require_user(request)
    if request.method == "POST":
        await _note_tab(user, _read_fields(request.body))
        answer_json(protocol, 200, {})
        return
    name = request.query.get("template", "")
    await run_in_thread(get_template, Actor(user), name)
    if len(presence_feed()) >= MAX_STREAMS:
        raise Busy(gettext("Too many pages are open at the moment; this one does not show who is in the editor."))
    watcher = Watcher(Subscription(user, request.session_key, Topics()), name)
    await stream_events(protocol, _follow(watcher))


async def _note_tab(user: User, fields: Mapping[str, Any]) -> None:
    feed, tab, name = presence_feed(), presence.check_tab(fields.get("tab")), fields.get("template")
    part = presence.check_part(fields.get("part", ""))
    if fields.get("leave") is True:
        feed.remove_tab(user.pk, tab)
        await run_in_thread(presence.leave_editor, actor=Actor(user), tab=tab)
        return
    if not isinstance(name, str):
        raise Invalid(fields={"template": gettext("the name of a template.")})
    if not feed.record_heartbeat(user.pk, tab, name, part):
        await run_in_thread(presence.enter_editor, actor=Actor(user), name=name, tab=tab, part=part)
        feed.add_tab(user.pk, tab, name)


async def _follow(watcher: Watcher) -> AsyncGenerator[Event, None]:
    feed = presence_feed()
    feed.add(watcher)
    try:
        while (present := await watcher.queue.get()) is not None:
            yield Event("present", asdict(present))
    finally:
        feed.remove(watcher)


def _read_fields(body: bytes) -> Mapping[str, Any]:
    try:
        fields = parse_json(body)
    except BadJson as error:
        raise Invalid(error.message) from error
    if not isinstance(fields, dict):
        raise Invalid(gettext("The body must be one JSON object."))
    return fields
