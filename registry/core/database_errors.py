"""Classification of errors: which of them mean that the database is temporarily unavailable, or that a disk is full."""

import errno
import sqlite3

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext

from registry.core.errors import Busy

__all__ = ["describe_busy", "is_disk_full", "is_unavailable"]

# Classes of PostgreSQL's SQLSTATE: lost connections, conflicting transactions, insufficient space or too many
# connections, and interventions by an operator or a crash.
_PASSING_CLASSES = ("08", "40", "53", "57")
_PASSING_SQLITE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_FULL = "53100"  # PostgreSQL's SQLSTATE
_FULL_ERRORS = (errno.ENOSPC, errno.EDQUOT)
_FULL_RETRY = 60  # seconds; an operator has to act first


def is_unavailable(error: BaseException | None) -> bool:
    """Whether an error means that the database is temporarily unavailable, or a disk full. False for errors in the
    query itself.
    """
    if is_disk_full(error):
        return True
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING_SQLITE  # without the extended code
    state = getattr(cause, "sqlstate", None)
    if state is None:  # no response of the server: the connection was lost or could not be made
        return type(cause).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout", "PoolTimeout")
    return str(state).startswith(_PASSING_CLASSES)


def is_disk_full(error: BaseException | None) -> bool:
    """Whether an error means that a disk of the server, or of the database's server, is full."""
    if isinstance(error, OSError):
        return error.errno in _FULL_ERRORS
    cause = error.__cause__ if isinstance(error, DatabaseError) else None
    if isinstance(cause, sqlite3.Error):
        # The second one: there is no room for the file that the processes share, of which a first one makes 32 KB.
        return getattr(cause, "sqlite_errorcode", 0) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
    return getattr(cause, "sqlstate", None) == _FULL


def describe_busy(error: BaseException | None, method: str) -> Busy:
    """The Busy error for a request with this HTTP method that ended with an error that `is_unavailable`."""
    is_reading = method in ("GET", "HEAD", "OPTIONS")
    if is_disk_full(error):
        sentence = gettext("The disk of the server is full; its operator has to make room.")
        if not is_reading:
            sentence += " " + gettext("Check whether this was done, and send it again if it wasn't.")
        return Busy(sentence, retry_after=_FULL_RETRY)
    if is_reading:
        return Busy(gettext("The database does not answer at the moment; try again."))
    return Busy(
        gettext(
            "The database does not answer at the moment. Check whether this was done, and send it again if it wasn't."
        )
    )
