"""A process's view of the journal's head, polled by a thread, so that caches follow each event.

| constant | seconds | meaning |
| --- | --- | --- |
| POLL_INTERVAL | 0.3 | a thread of each web process reads the newest event's number this often |
| HEAD_MAX_AGE | 0.4 | a request that finds an older head reads it itself |
| STALE_WHILE_POLLING | 0.5 | other threads use the old head for this much longer while one reads |
| RETRY_DELAY | 1.0 | the thread waits this long after the database failed |
| LOOK_INTERVAL | 0.05 | on SQLite, the thread looks this often whether another connection has committed |

PostgreSQL announces each append (LISTEN/NOTIFY), and the thread then polls immediately. On SQLite, it polls after any
commit; looking for one takes microseconds. Poolers support neither, and a notification may get lost with a connection,
so the thread polls at its interval in any case.
Together with the times of `registry.serving.credentials` these keep the promise of decision 004: changes take effect
within a second.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection

from registry.journal.log import CHANNEL
from registry.journal.models import Event

__all__ = ["COLUMNS", "HEAD_MAX_AGE", "POLL_INTERVAL", "FollowedEvent", "Follower", "renew_connection", "start_poller"]

HEAD_MAX_AGE = 0.4
POLL_INTERVAL = 0.75 * HEAD_MAX_AGE
STALE_WHILE_POLLING = 0.5
RETRY_DELAY = 1.0
LOOK_INTERVAL = 0.05
MAX_EVENTS = 10_000  # more in one poll, and everything is dropped instead
COLUMNS = ("number", "hash", "kind", "namespace", "template", "version", "change", "person")
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FollowedEvent:
    """The parts of an event that matter for caches and subscribers.

    former: for a renaming the previous name, decision: for a decision which one, if somebody requested it.
    """

    number: int
    hash: str
    kind: str
    namespace: str
    template: str
    version: int | None = None
    change: int | None = None
    person: str = ""
    former: str = ""
    decision: str = ""


class Follower:
    """Calls `on_event` for each event since the last poll, or `on_reset` (true: another journal took its place).

    `generation` increases whenever something may have changed; `next_poll` is the time, by the clock, from which the
    head is too old. `changed` is notified after each poll that found something.
    """

    def __init__(
        self, on_event: Callable[[FollowedEvent], None], on_reset: Callable[[bool], None], clock: Callable[[], float]
    ) -> None:
        self._on_event, self._on_reset, self._clock = on_event, on_reset, clock
        self._poll_lock = threading.Lock()
        self.changed = threading.Condition()
        self.head: tuple[int, str] | None = None
        self.generation = 0
        self.next_poll = 0.0

    def poll_if_due(self) -> None:
        """Poll the journal if the head is too old."""
        overdue = self._clock() - self.next_poll
        if overdue < 0 or not self._poll_lock.acquire(blocking=overdue > STALE_WHILE_POLLING):
            return
        try:
            if self._clock() >= self.next_poll:
                self._poll()
        finally:
            self._poll_lock.release()

    def poll(self) -> None:
        """Poll the journal, due or not. Raises DatabaseError."""
        with self._poll_lock:
            self._poll()

    def mark_due(self) -> None:
        """Make the next request poll, and those waiting for a change poll now; nothing else waits for that poll."""
        self.next_poll = min(self.next_poll, self._clock())
        self._notify()

    def restart(self) -> None:
        """Reset to the state before the first poll."""
        self.head, self.next_poll = None, 0.0
        self.generation += 1

    def _poll(self) -> None:
        renew_connection()
        next_poll = self._clock() + HEAD_MAX_AGE
        self._read_head()
        self.next_poll = next_poll

    def _read_head(self) -> None:
        newest = Event.objects.order_by("-number").values_list("number", "hash").first()
        if newest == self.head:
            return
        previous = self.head
        if previous is None or newest is None or newest[0] <= previous[0]:
            self._on_reset(previous is not None)
        else:
            self._take_over(previous)
        self.head = newest
        self.generation += 1
        self._notify()

    def _take_over(self, previous: tuple[int, str]) -> None:
        rows = Event.objects.filter(number__gte=previous[0]).order_by("number")
        columns = rows.values_list(*COLUMNS)
        events = [FollowedEvent(*row) for row in columns[: MAX_EVENTS + 1]]
        is_another_journal = not events or (events[0].number, events[0].hash) != previous
        if is_another_journal or len(events) > MAX_EVENTS:
            self._on_reset(is_another_journal)
            return
        for event in events[1:]:
            self._on_event(event)

    def _notify(self) -> None:
        with self.changed:
            self.changed.notify_all()


def start_poller(follower: Follower, stop: threading.Event | None = None) -> threading.Thread:
    """Start the thread that polls for this follower until the process ends or `stop` is set."""
    arguments = (follower, stop or threading.Event())
    thread = threading.Thread(target=_run_poller, args=arguments, name="journal-poller", daemon=True)
    thread.start()
    return thread


def renew_connection() -> None:
    """Drop a connection that the database has closed or that is too old: ahead of Django nothing else does that."""
    if not connection.in_atomic_block:
        close_old_connections()


def _run_poller(follower: Follower, stop: threading.Event) -> None:
    listening: Any = None  # the connection that runs LISTEN, or what was seen of SQLite's commits
    while not stop.is_set():
        try:
            listening = _wait_for_append(listening, stop)
            follower.poll()
        except DatabaseError:  # fetches meet the same error and report it
            logger.debug("the journal can't be read", exc_info=True)
            connection.close()
            stop.wait(RETRY_DELAY)
    connection.close()


def _wait_for_append(listening: Any, stop: threading.Event) -> Any:
    """Wait for a notification of an append, or for the interval."""
    if connection.vendor == "sqlite":
        return _wait_for_commit(listening, stop)
    if connection.vendor != "postgresql" or settings.DATABASE_POOLED:
        stop.wait(POLL_INTERVAL)
        return None
    connection.ensure_connection()
    raw = connection.connection
    with connection.wrap_database_errors:
        if raw is not listening:  # Django has opened another connection since
            raw.execute(f"LISTEN {CHANNEL}")
            return raw
        for _ in raw.notifies(timeout=POLL_INTERVAL, stop_after=1):
            pass
    return raw


def _wait_for_commit(last_version: Any, stop: threading.Event) -> Any:
    """Wait until another connection of the SQLite database commits, or for the interval."""
    deadline = time.monotonic() + POLL_INTERVAL
    version = _read_data_version()
    while version == last_version and time.monotonic() < deadline and not stop.wait(LOOK_INTERVAL):
        version = _read_data_version()
    return version


def _read_data_version() -> tuple[int, int]:
    """The connection and its number of the database's state, which each commit of another connection changes."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return id(connection.connection), cursor.fetchone()[0]
