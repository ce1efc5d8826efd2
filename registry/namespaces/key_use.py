"""The last use of each API key: recorded in memory by every request, stored in the keys' rows every half minute."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from django.db import DatabaseError, transaction

from promptuary.renderer.after_fork import run_after_fork
from registry.accounts.models import Key

__all__ = ["KeyUses", "note_key_use", "write_key_uses"]

SECONDS = 30.0  # precision of a key's last use
LIMIT = 20_000  # keys whose last write is remembered
logger = logging.getLogger(__name__)


class KeyUses:
    """The keys used in one process. Any thread may call `note`; only one thread at a time may call `write`."""

    def __init__(self, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._waiting: dict[str, None] = {}  # key ids, in the order of their use
        self._written: dict[str, datetime] = {}  # key id to the last stored time
        self._failed = False

    def note(self, key_id: str) -> None:
        """Record that a key was just used."""
        self._waiting[key_id] = None

    def write(self) -> bool:
        """Store the keys not written for half a minute; False if the database is unavailable, and they stay pending."""
        moment = self._now()
        pending = sorted(  # a fixed order, to avoid deadlocks between processes
            key_id for key_id in list(self._waiting) if self._is_due(key_id, moment)
        )
        if not pending:
            return True
        try:
            with transaction.atomic():
                for key_id in pending:
                    Key.objects.filter(pk=key_id).update(last_used_at=moment)
        except DatabaseError as error:
            if not self._failed:  # logged once per outage, not every few seconds
                logger.warning("which keys were used is not written yet: %s", error)
            self._failed = True
            return False
        self._failed = False
        for key_id in pending:
            self._waiting.pop(key_id, None)
            self._written[key_id] = moment
        if len(self._written) > LIMIT:
            self._written.clear()
        return True

    def _is_due(self, key_id: str, moment: datetime) -> bool:
        last = self._written.get(key_id)
        return last is None or (moment - last).total_seconds() >= SECONDS

    def clear(self) -> None:
        """Drop everything: in a forked child, the parent stores what it recorded."""
        self._waiting, self._written = {}, {}


_uses = KeyUses()
run_after_fork(_uses.clear)


def note_key_use(key_id: str) -> None:
    """Record that a key was just used."""
    _uses.note(key_id)


def write_key_uses() -> bool:
    """Store what this process has recorded."""
    return _uses.write()
