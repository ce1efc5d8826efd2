"""Around migrations: a lock, so that one process migrates and others find them applied, and a transaction."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction

from registry.core import advisory_locks

__all__ = ["apply_all_or_none", "hold_migration_lock"]

_ADVISORY = 0x6D696772617465  # "migrate": one number for all processes of one database
_PAUSE = 0.2  # seconds between two attempts


@contextmanager
def hold_migration_lock() -> Iterator[None]:
    """Wait for the lock and hold it: on PostgreSQL across machines, on SQLite across the processes of a home."""
    if connection.vendor != "postgresql":
        with Path(settings.PROMPTUARY_HOME / "migrate.lock").open("ab") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            yield
        return
    with advisory_locks.open_session() as session:
        while not session.try_lock(_ADVISORY):
            time.sleep(_PAUSE)  # a waiting statement would block CREATE INDEX CONCURRENTLY
        yield


@contextmanager
def apply_all_or_none() -> Iterator[None]:
    """On SQLite, apply all migrations in one transaction.

    Django records a migration after the transaction that applied it. On a full disk, or if the process is killed in
    between, its tables would exist without the record, and no later start could migrate.
    """
    if connection.vendor != "sqlite":
        yield
        return
    with connection.constraint_checks_disabled(), transaction.atomic():  # SQLite can't disable them in a transaction
        yield
