"""A lock around migrations: one process migrates, others wait and find the migrations applied."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from registry.core import advisory_locks

__all__ = ["hold_migration_lock"]

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
