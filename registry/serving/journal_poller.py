"""A thread of a web process that looks at the journal before a fetch has to.

PostgreSQL tells of each append (LISTEN/NOTIFY), and then it looks at once. SQLite can't, and a notice may get lost (a
pooler between, a connection that broke), so it looks every ROUND in any case. Where it can't look, fetches do themselves.
"""

import logging
import threading
from typing import Any

from django.db import DatabaseError, connection

from registry.journal.log import CHANNEL
from registry.serving.journal_follower import POLL, Follower

__all__ = ["ROUND", "start"]

ROUND = 0.75 * POLL  # seconds between two looks: before the next one is due
PAUSE = 1.0  # seconds after a look that failed
logger = logging.getLogger(__name__)


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
