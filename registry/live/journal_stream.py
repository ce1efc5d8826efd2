"""`GET /live/events`: notifies an open page of other people's actions.

    /live/events?topic=home                      all that the person may read
    /live/events?topic=template=support/reply    one template; `topic` may be repeated
    /live/events?topic=change=12&after=340       one change request, from event 341 on

Each event is `journal` with the event's number as its id and `{number, kind, namespace, template, version, change, by,
former}` as its data: never any texts. `former` is the previous name of a renamed template. The person's own events are
left out, and those of the worker, such as results of checks. `Last-Event-ID`, which browsers send when they reconnect,
or `after` resumes after that number. `ready` means that nothing is missing up to its number, `reset` that too much was
missed to be sent.
"""

# no texts here: scripts read it

import functools
from collections.abc import AsyncGenerator
from typing import Any

from registry.core.errors import Busy, Invalid
from registry.core.input_checks import parse_number
from registry.journal.models import Event as JournalRow
from registry.live.event_streams import Event, stream_events
from registry.live.journal_feed import JournalFeed, Subscription, Topics, add_facts, load_readers
from registry.live.requests import LiveRequest, require_user, run_in_thread
from registry.live.wsgi_environ import HTTPProtocol
from registry.serving.fetcher import get_fetcher
from registry.serving.journal_follower import COLUMNS, FollowedEvent

__all__ = ["MAX_MISSED", "MAX_STREAMS", "parse_topics", "watch_journal"]

MAX_MISSED = 500  # events sent after reconnecting; beyond that the page has to reload
MAX_STREAMS = 1500  # per process
_NUMBER_DIGITS = 18
_open: set[Subscription] = set()


async def watch_journal(request: LiveRequest, protocol: HTTPProtocol) -> None:
    """The handler of `/live/events`."""
    user = require_user(request)
    topics = parse_topics(request.query.getlist("topic"))
    after = _read_after(request)
    if len(_open) >= MAX_STREAMS:
        raise Busy("Too many pages are open at the moment; this one gets no updates until it is loaded again.")
    await stream_events(protocol, _follow(Subscription(user, request.session_key, topics), after))


def parse_topics(texts: list[str]) -> Topics:
    """Parse `home`, `template=<name>` and `change=<number>`. Raises Invalid."""
    everything, templates, changes = False, set(), set()
    for text in texts:
        kind, _, value = text.partition("=")
        number = parse_number(value, digits=_NUMBER_DIGITS)
        if text == "home":
            everything = True
        elif kind == "template" and value:
            templates.add(value)
        elif kind == "change" and number is not None:
            changes.add(number)
        else:
            raise Invalid(fields={"topic": "home, template=<name> or change=<number>."})
    if not texts:
        raise Invalid(fields={"topic": "say what the page is about: home, template=<name> or change=<number>."})
    return Topics(everything, frozenset(templates), frozenset(changes))


async def _follow(subscription: Subscription, after: int | None) -> AsyncGenerator[Event, None]:
    feed = journal_feed()
    _open.add(subscription)
    feed.add(subscription)  # before reading the journal, so that no event is missed
    try:
        head, missed = await run_in_thread(_load_missed, subscription, after)
        for event in missed or ():
            yield _describe(event)
        yield Event("reset" if missed is None else "ready", {"number": head}, str(head))
        while (coming := await subscription.queue.get()) is not None:
            if coming.number > head and coming.person != subscription.user.username:
                yield _describe(coming)
    finally:
        feed.remove(subscription)
        _open.discard(subscription)


def _load_missed(subscription: Subscription, after: int | None) -> tuple[int, list[FollowedEvent] | None]:
    """Return the journal's head and the events since `after` that the page may see; None instead of events if there are
    too many, or the journal was replaced.
    """
    head = JournalRow.objects.order_by("-number").values_list("number", flat=True).first() or 0
    if after is None or after == head:
        return head, []
    rows = JournalRow.objects.filter(number__gt=after, number__lte=head).order_by("number").values_list(*COLUMNS)
    events = add_facts([FollowedEvent(*row) for row in rows[: MAX_MISSED + 1]])
    if after > head or len(events) > MAX_MISSED:
        return head, None
    readers = load_readers([subscription], {event.namespace for event in events})
    return head, [
        event
        for event in events
        if subscription.topics.match(event)
        and readers.may_read(subscription, event)
        and event.person != subscription.user.username
    ]


def _describe(event: FollowedEvent) -> Event:
    data: dict[str, Any] = {
        "number": event.number,
        "kind": event.kind,
        "namespace": event.namespace,
        "template": event.template,
        "version": event.version,
        "change": event.change,
        "by": event.person,
        "former": event.former,
        "decision": event.decision,
    }
    return Event("journal", data, str(event.number))


def _read_after(request: LiveRequest) -> int | None:
    text = request.headers.get("last-event-id") or request.query.get("after")
    if not text:
        return None
    number = parse_number(text, digits=_NUMBER_DIGITS)
    if number is None:
        raise Invalid(fields={"after": "the number of an event."})
    return number


@functools.cache
def journal_feed() -> JournalFeed:
    """The feed of this process."""
    return JournalFeed(get_fetcher())
