"""Counters of fetches: what this process served to which key, written to the database every few seconds.

Counting costs a fetch one dictionary lookup and one step of a counter; no read waits for a write. What can't be written
while the database is unavailable is kept within limits and written later. `registry.core.periodic_thread` triggers the
writes, the last one at exit.
"""

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from django.db import DatabaseError, IntegrityError, connection, transaction

from promptuary.renderer.after_fork import run_after_fork
from registry.accounts.models import Key
from registry.core import metrics
from registry.core.counter import Counter
from registry.namespaces.key_use import note_key_use
from registry.templates.models import Version
from registry.usage.models import Fetch

__all__ = ["FetchCounts", "flush_counts", "note_fetch", "process_counts"]

LIMIT = 20_000  # the most counters of a process, and rows held back while the database is unavailable
IDLE = 60  # writes without a fetch after which a counter is dropped
_COLUMNS = "key_id, version_id, ref, former_name, day, count, last_at"  # in the order of the columns of an inserted row
_ROWS = 100  # rows per statement
logger = logging.getLogger(__name__)

Place = tuple[str, int, str, str]  # key, version (the row's id), ref, the former name requested or ""
Row = tuple[str, int, str, str, date]


@dataclass(slots=True)
class PendingCount:
    """The unwritten part of one row."""

    count: int = 0
    last_at: datetime = field(default_factory=lambda: datetime.now(UTC))


class FetchCounts:
    """The counters of one process. Thread-safe; one thread at a time writes."""

    def __init__(self, *, now: Callable[[], datetime] = lambda: datetime.now(UTC), limit: int = LIMIT) -> None:
        self._now = now
        self._limit = limit
        self._counters: dict[Place, Counter] = {}
        self._leaving: list[tuple[Place, Counter]] = []
        self._waiting: dict[Row, PendingCount] = {}
        self._making, self._writing = threading.Lock(), threading.Lock()
        self._failed = False
        self.lost = 0  # answered fetches that were not counted for lack of room

    def note(self, key: str, version: int, ref: str, former_name: str = "") -> None:
        """Count one fetch of a version (the row's id) by the ref as the caller wrote it, and the former name if any."""
        self.counter(key, version, ref, former_name).step()

    def counter(self, key: str, version: int, ref: str, former_name: str = "") -> Counter:
        """The counter of these. Valid for a minute: one unused for longer may be dropped."""
        place = (key, version, ref, former_name)
        return self._counters.get(place) or self._make(place)

    def flush(self) -> bool:
        """Write the counts since the last call. Return False if that failed, in which case they are written next
        time.
        """
        with self._writing:
            self._gather()
            rows = sorted(self._waiting)
            try:
                _write([(row, self._waiting[row]) for row in rows])
            except IntegrityError:
                self._drop_unknown()
                return False
            except DatabaseError as error:
                if not self._failed:  # logged once, not every few seconds of an outage
                    logger.warning("what was fetched is not written yet: %s", error)
                self._failed = True
                return False
            self._waiting.clear()
            self._failed = False
            return True

    def take_lost(self) -> int:
        """The number of fetches not counted for lack of room since the last call."""
        number, self.lost = self.lost, 0
        return number

    def forget(self) -> None:
        """Drop everything, for a switch to another database, whose rows have other ids."""
        with self._writing, self._making:
            self._counters, self._leaving, self._waiting = {}, [], {}

    def _make(self, place: Place) -> Counter:
        with self._making:
            counter = self._counters.get(place)
            if counter is None:
                counter = Counter()
                if len(self._counters) < self._limit:
                    self._counters[place] = counter
                else:
                    self.lost += 1
        return counter

    def _gather(self) -> None:
        moment = self._now()
        leaving, self._leaving = self._leaving, []
        for place, counter in [*leaving, *list(self._counters.items())]:
            if new := counter.take():
                self._add(place, new, moment)
            elif counter.idle >= IDLE and place in self._counters:
                # A thread may be about to increment it, so it is read once more next time.
                self._leaving.append((place, self._counters.pop(place)))

    def _add(self, place: Place, new: int, moment: datetime) -> None:
        row = (*place, moment.date())
        if row not in self._waiting and len(self._waiting) >= self._limit:
            self.lost += new
            return
        waiting = self._waiting.setdefault(row, PendingCount())
        waiting.count += new
        waiting.last_at = moment
        note_key_use(place[0])

    def _drop_unknown(self) -> None:
        """Drop rows of deleted keys or versions, which can never be written."""
        keys = set(Key.objects.filter(pk__in={row[0] for row in self._waiting}).values_list("pk", flat=True))
        versions = set(Version.objects.filter(pk__in={row[1] for row in self._waiting}).values_list("pk", flat=True))
        for row in list(self._waiting):
            if row[0] not in keys or row[1] not in versions:
                self.lost += self._waiting.pop(row).count


def _write(rows: Iterable[tuple[Row, PendingCount]]) -> None:
    """Add to the rows, all or none, always in the same order to prevent deadlocks."""
    row_list = list(rows)
    if not row_list:
        return
    table, adapt = connection.ops.quote_name(Fetch._meta.db_table), connection.ops.adapt_datetimefield_value
    with transaction.atomic(), connection.cursor() as cursor:
        for start in range(0, len(row_list), _ROWS):
            some = row_list[start : start + _ROWS]
            values = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(some))
            cursor.execute(
                f"INSERT INTO {table} ({_COLUMNS}) VALUES {values} "  # noqa: S608  # its own names
                "ON CONFLICT (version_id, day, key_id, ref, former_name) DO UPDATE SET "
                f"count = {table}.count + excluded.count, last_at = excluded.last_at",
                [value for row, waiting in some for value in (*row, waiting.count, adapt(waiting.last_at))],
            )


_counts = FetchCounts()


def process_counts() -> FetchCounts:
    """The process's counters."""
    return _counts


def note_fetch(key: str, version: int, ref: str, former_name: str = "") -> None:
    """Count one fetch; see `FetchCounts.note`."""
    _counts.note(key, version, ref, former_name)


def flush_counts() -> bool:
    """Write this process's counts, and add uncounted fetches to the metrics."""
    is_written = _counts.flush()
    if lost_count := _counts.take_lost():
        metrics.UNCOUNTED.inc(lost_count)
    return is_written


def _replace_counts() -> None:
    global _counts  # noqa: PLW0603  # what the parent has counted, the parent writes
    _counts = FetchCounts()


run_after_fork(_replace_counts)
