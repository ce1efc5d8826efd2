"""Advisory locks of PostgreSQL that outlast the transactions of the ordinary connection.

They are transaction-level locks of a transaction that stays open on its own connection. A session-level lock behind a
pooler in transaction mode would stay with a connection that others use next. The open transaction holds no snapshot
between its statements, so it doesn't prevent VACUUM from removing old rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from django.db import DatabaseError, connection

__all__ = ["LockSession", "open_session"]


class LockSession:
    """A transaction that takes locks; all are released when its block ends or its connection drops."""

    def __init__(self, cursor: Any) -> None:
        self._cursor = cursor

    def try_lock(self, number: int) -> bool:
        """Take the lock if it is free. Return whether it is held now. Never waits."""
        self._cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        return bool(self._cursor.fetchone()[0])


@contextmanager
def open_session() -> Iterator[LockSession]:
    """Open the connection and its transaction, for PostgreSQL only."""
    session = connection.copy()
    try:
        session.set_autocommit(False)
        with session.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")  # it is idle during the work
            yield LockSession(cursor)
    finally:
        # This releases the locks now. The server would notice a closed connection only a moment later.
        with suppress(DatabaseError):
            session.rollback()
        session.close()
