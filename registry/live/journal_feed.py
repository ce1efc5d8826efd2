"""Feeds the journal's events to the streams of one process, limited to what each person may read.

One feed follows the journal for all streams: the fetch path's follower calls it from whichever thread polled. Each
round makes three queries for all streams together: which sessions are valid, whose accounts are active and unchanged,
and who is a member of the events' namespaces. So permissions are current, whatever the number of streams.
"""

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from django.contrib.sessions.models import Session
from django.db import DatabaseError
from django.utils import timezone

from registry.accounts.models import User
from registry.audit.verification import parse_event_text
from registry.changes.events import ChangeDecided
from registry.journal.event import list_worker_kinds
from registry.journal.models import Event
from registry.live.requests import run_in_thread
from registry.namespaces.models import Membership
from registry.serving.fetcher import Fetcher
from registry.serving.journal_follower import FollowedEvent
from registry.templates.events import TemplateRenamed

__all__ = [
    "CHECK_SECONDS",
    "MAX_WAITING",
    "JournalFeed",
    "Readers",
    "Subscription",
    "Topics",
    "add_facts",
    "load_readers",
]

CHECK_SECONDS = 30.0  # the longest time a stream outlives its session; the next event ends it immediately
MAX_WAITING = 500  # unsent events per stream; beyond that it ends, and the browser reconnects
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Topics:
    """What a page is about. everything: all that the person may read."""

    everything: bool = False
    templates: frozenset[str] = frozenset()
    changes: frozenset[int] = frozenset()

    def match(self, event: FollowedEvent) -> bool:
        """Whether the page is notified of this event. The worker's own events, such as results, are ignored."""
        if event.kind in list_worker_kinds():
            return False
        names = {event.template, event.former}
        return self.everything or not names.isdisjoint(self.templates) or event.change in self.changes


@dataclass(eq=False)
class Subscription:
    """One stream: its person, its topics, and its unsent events; None in the queue ends it."""

    user: User
    session_key: str
    topics: Topics
    queue: asyncio.Queue[FollowedEvent | None] = field(default_factory=asyncio.Queue)

    def end(self) -> None:
        """End the stream after its queued events."""
        self.queue.put_nowait(None)


@dataclass(frozen=True)
class Readers:
    """A snapshot of permissions: password hashes of active accounts by id, sessions, and members."""

    passwords: dict[int, str]
    sessions: frozenset[str]
    members: frozenset[tuple[int, str]]

    def is_signed_in(self, subscription: Subscription) -> bool:
        """Whether the session is valid: changing the password ends it, as deactivating the account does."""
        user = subscription.user
        return subscription.session_key in self.sessions and self.passwords.get(user.pk) == user.password

    def may_read(self, subscription: Subscription, event: FollowedEvent) -> bool:
        """Whether the person is a member of the event's namespace."""
        return (subscription.user.pk, event.namespace) in self.members


_NOBODY = Readers({}, frozenset(), frozenset())


class JournalFeed:
    """The subscriptions of one process. Call its methods in the event loop, except `_on_event`."""

    def __init__(self, fetches: Fetcher) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscriptions: set[Subscription] = set()
        self._incoming: asyncio.Queue[FollowedEvent | None] = asyncio.Queue()
        self._rounds: asyncio.Task[None] | None = None
        fetches.listeners.append(self._on_event)

    def add(self, subscription: Subscription) -> None:
        """Subscribe a stream to future events."""
        self._loop = asyncio.get_running_loop()
        self._subscriptions.add(subscription)
        if self._rounds is None or self._rounds.done():
            self._rounds = self._loop.create_task(self._run())

    def remove(self, subscription: Subscription) -> None:
        """Unsubscribe a stream."""
        self._subscriptions.discard(subscription)

    def _on_event(self, event: FollowedEvent | None) -> None:
        """Called by the follower from any thread; None: another journal, or too many events to list."""
        if self._loop is not None and self._subscriptions:
            with contextlib.suppress(RuntimeError):  # the loop is closed at shutdown
                self._loop.call_soon_threadsafe(self._incoming.put_nowait, event)

    async def _run(self) -> None:
        while self._subscriptions:
            events = await self._take_events()
            subscriptions = list(self._subscriptions)
            journal_events = [event for event in events if event is not None]
            try:
                journal_events = await run_in_thread(add_facts, journal_events)
                readers = await run_in_thread(
                    load_readers, subscriptions, {event.namespace for event in journal_events}
                )
            except DatabaseError:
                logger.warning("the streams end, since the database can't be asked who may read", exc_info=True)
                readers = _NOBODY
            if None in events:
                readers = _NOBODY
            # The page of a stream that ends here reconnects, and gets the missed events from the journal.
            for subscription in subscriptions:
                self._deliver(subscription, journal_events, readers)

    async def _take_events(self) -> list[FollowedEvent | None]:
        """Wait for an event, and return all that arrived; empty when the sessions have to be checked."""
        try:
            events = [await asyncio.wait_for(self._incoming.get(), CHECK_SECONDS)]
        except TimeoutError:
            return []
        while not self._incoming.empty():
            events.append(self._incoming.get_nowait())
        return events

    def _deliver(self, subscription: Subscription, events: list[FollowedEvent], readers: Readers) -> None:
        if not readers.is_signed_in(subscription) or subscription.queue.qsize() > MAX_WAITING:
            subscription.end()
            return
        for event in events:
            if subscription.topics.match(event) and readers.may_read(subscription, event):
                subscription.queue.put_nowait(event)


def add_facts(events: Sequence[FollowedEvent]) -> list[FollowedEvent]:
    """The events, with the previous name in renamings, for pages that were opened under it, and with what was decided
    in decisions. One query if there is one of them.
    """
    numbers = [event.number for event in events if event.kind in (TemplateRenamed.kind, ChangeDecided.kind)]
    if not numbers:
        return list(events)
    rows = Event.objects.filter(number__in=numbers).values_list("number", "text")
    bodies = {number: parse_event_text(text)["body"] for number, text in rows}
    return [
        replace(event, former=str(body.get("former", "")), decision=str(body.get("decision", "")))
        if (body := bodies.get(event.number))
        else event
        for event in events
    ]


def load_readers(subscriptions: Sequence[Subscription], namespaces: Iterable[str]) -> Readers:
    """Read the current permissions of these streams: three queries."""
    people = {subscription.user.pk for subscription in subscriptions}
    keys = {subscription.session_key for subscription in subscriptions}
    users = User.objects.filter(pk__in=people, is_active=True).values_list("pk", "password")
    sessions = Session.objects.filter(session_key__in=keys, expire_date__gt=timezone.now())
    members = Membership.objects.filter(person_id__in=people, namespace__name__in=list(namespaces))
    return Readers(
        dict(users),
        frozenset(sessions.values_list("session_key", flat=True)),
        frozenset(members.values_list("person_id", "namespace__name")),
    )
