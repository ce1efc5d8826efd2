"""Classification of database driver errors: which of them mean that the database is temporarily unavailable."""

import sqlite3

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext

from registry.core.errors import Busy

__all__ = ["describe_busy", "is_unavailable"]

# Classes of PostgreSQL's SQLSTATE: lost connections, conflicting transactions, insufficient space or too many
# connections, and interventions by an operator or a crash.
_PASSING_CLASSES = ("08", "40", "53", "57")
_PASSING_SQLITE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_unavailable(error: BaseException | None) -> bool:
    """Whether a Django error means that the database is temporarily unavailable. False for errors in the query
    itself.
    """
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING_SQLITE  # without the extended code
    state = getattr(cause, "sqlstate", None)
    if state is None:  # no response of the server: the connection was lost or could not be made
        return type(cause).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout", "PoolTimeout")
    return str(state).startswith(_PASSING_CLASSES)


def describe_busy(method: str) -> Busy:
    """The Busy error for a request with this HTTP method."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return Busy(gettext("The database does not answer at the moment; try again."))
    return Busy(
        gettext(
            "The database does not answer at the moment. Check whether this was done, and send it again if it wasn't."
        )
    )
