"""One writer of the mirror: a file lock on this machine and, on PostgreSQL, an advisory lock across all machines."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from registry.core import advisory_locks
from registry.mirror.errors import MirrorBusy

__all__ = ["hold_writer_lock"]

_ADVISORY = 0x6D6972726F72  # "mirror": one number for all writers of one database
_PAUSE = 0.1  # seconds between two attempts


@contextmanager
def hold_writer_lock(path: Path, wait: float = 0.0) -> Iterator[int]:
    """Hold the writer's lock, trying for `wait` seconds; yields the file's descriptor. Raises MirrorBusy if it is
    taken.

    Every writing git process inherits the descriptor. If this process is killed, the lock stays with its git child
    until that exits too, so that nobody removes lock files of a running git process. PostgreSQL releases the advisory
    lock when the connection drops.
    """
    deadline = time.monotonic() + wait
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        while not _try_file(file.fileno()):
            _pause_until(deadline)
        with _hold_advisory_lock(deadline):
            yield file.fileno()
        # Closed, not unlocked: unlocking would release the lock of a git child that is still running.


def _try_file(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    os.set_inheritable(descriptor, False)
    return True


@contextmanager
def _hold_advisory_lock(deadline: float) -> Iterator[None]:
    """Uses a separate session: the lock must outlast the transactions of the writer's ordinary connection."""
    if connection.vendor != "postgresql":
        yield
        return
    with advisory_locks.open_session() as session:
        while not session.try_lock(_ADVISORY):
            _pause_until(deadline)
        yield


def _pause_until(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise MirrorBusy("Another process is writing the mirror; try again in a moment.")
    time.sleep(_PAUSE)  # neither lock supports waiting with a timeout
