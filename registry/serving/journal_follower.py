"""Following the journal: a process knows its head of at most 0.4 s ago, and heeds exactly what came since.

A thread of the web process looks ahead of time (`start`); who finds that a look is due takes it itself. PostgreSQL tells
of each append (LISTEN/NOTIFY), and then the thread looks at once. SQLite can't, and a notice may get lost (a pooler
between, a connection that broke), so it looks every ROUND in any case. Where it can't look, fetches do themselves.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, close_old_connections, connection

from registry.journal.log import CHANNEL
from registry.journal.models import Event

__all__ = ["POLL", "ROUND", "Follower", "Happened", "renew_connection", "start"]

POLL = 0.4  # seconds between two looks at the journal
GRACE = 0.5  # seconds more that other threads go on with what is known while one looks
ROUND = 0.75 * POLL  # seconds between two looks: before the next one is due
PAUSE = 1.0  # seconds after a look that failed
MOST_EVENTS = 10_000  # more at once, and everything is forgotten instead
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Happened:
    """An event, as far as it matters to what a process remembers."""

    number: int
    hash: str
    kind: str
    namespace: str
    template: str


class Follower:
    """Tells `heed` of each event since the last look, or `forget` (true: another journal took its place) to drop all.

    `generation` grows whenever something may have changed; `due` is the moment of the next look. `waiting` is notified
    after each look that found something.
    """

    def __init__(
        self, heed: Callable[[Happened], None], forget: Callable[[bool], None], clock: Callable[[], float]
    ) -> None:
        self._heed, self._forget, self._clock = heed, forget, clock
        self._looking = threading.Lock()
        self.waiting = threading.Condition()
        self.head: tuple[int, str] | None = None
        self.generation = 0
        self.due = 0.0

    def follow(self) -> None:
        """Take over what the journal says since the last look, when that is due."""
        late = self._clock() - self.due
        if late < 0 or not self._looking.acquire(blocking=late > GRACE):
            return
        try:
            if self._clock() >= self.due:
                self._look_now()
        finally:
            self._looking.release()

    def look(self) -> None:
        """Take over what the journal says by now, due or not. Raises DatabaseError."""
        with self._looking:
            self._look_now()

    def hurry(self) -> None:
        """Look with the next request, and let those who wait for news look now; nobody else waits for that look."""
        self.due = min(self.due, self._clock())
        self._notify()

    def restart(self) -> None:
        """Begin as a process that has not looked yet."""
        self.head, self.due = None, 0.0
        self.generation += 1

    def _look_now(self) -> None:
        renew_connection()
        due = self._clock() + POLL
        self._look()
        self.due = due

    def _look(self) -> None:
        newest = Event.objects.order_by("-number").values_list("number", "hash").first()
        if newest == self.head:
            return
        known = self.head
        if known is None or newest is None or newest[0] <= known[0]:
            self._forget(known is not None)
        else:
            self._take_over(known)
        self.head = newest
        self.generation += 1
        self._notify()

    def _take_over(self, known: tuple[int, str]) -> None:
        rows = Event.objects.filter(number__gte=known[0]).order_by("number")
        columns = rows.values_list("number", "hash", "kind", "namespace", "template")
        events = [Happened(*row) for row in columns[: MOST_EVENTS + 1]]
        is_another = not events or (events[0].number, events[0].hash) != known
        if is_another or len(events) > MOST_EVENTS:
            self._forget(is_another)
            return
        for event in events[1:]:
            self._heed(event)

    def _notify(self) -> None:
        with self.waiting:
            self.waiting.notify_all()


def renew_connection() -> None:
    """Drop a connection that the database has closed or that is past its age: ahead of Django nobody else does."""
    if not connection.in_atomic_block:
        close_old_connections()


def start(follower: Follower, ended: threading.Event | None = None) -> threading.Thread:
    """Look for this follower from now on, until the process ends or `ended` is set."""
    thread = threading.Thread(target=_run, args=(follower, ended or threading.Event()), name="scout", daemon=True)
    thread.start()
    return thread


def _run(follower: Follower, ended: threading.Event) -> None:
    listening: Any = None  # the connection that was told to listen
    while not ended.is_set():
        try:
            listening = _wait(listening, ended)
            follower.look()
        except DatabaseError:  # fetches meet the same, and say so
            logger.debug("the journal can't be looked at", exc_info=True)
            connection.close()
            ended.wait(PAUSE)
    connection.close()


def _wait(listening: Any, ended: threading.Event) -> Any:
    """Until something was appended, as far as the database says so, or for a round."""
    if connection.vendor != "postgresql":
        ended.wait(ROUND)
        return None
    connection.ensure_connection()
    raw = connection.connection
    with connection.wrap_database_errors:
        if raw is not listening:  # Django has opened another one since
            raw.execute(f"LISTEN {CHANNEL}")
            return raw
        for _ in raw.notifies(timeout=ROUND, stop_after=1):
            pass
    return raw
