"""Errors of the database driver: which of them say that the database can't be asked now, and will be there again."""

import sqlite3

from django.db import DatabaseError, InterfaceError
from django.utils.translation import gettext

from registry.core.errors import Busy

__all__ = ["busy_for", "is_unavailable"]

# Classes of PostgreSQL's SQLSTATE: lost connections, transactions that got in each other's way, too little room or too
# many connections, and an operator's or a crash's interventions.
_PASSING_CLASSES = ("08", "40", "53", "57")
_PASSING_SQLITE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_unavailable(error: BaseException | None) -> bool:
    """Whether an error of Django's says that the database can't be asked now. False for mistakes in what was asked."""
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING_SQLITE  # the rest says more of the reason
    state = getattr(cause, "sqlstate", None)
    if state is None:  # no answer of the server: the connection was lost, or was not to be had
        return type(cause).__name__ in ("OperationalError", "InterfaceError", "ConnectionTimeout", "PoolTimeout")
    return str(state).startswith(_PASSING_CLASSES)


def busy_for(method: str) -> Busy:
    """The refusal of a request by its HTTP method."""
    if method in ("GET", "HEAD", "OPTIONS"):
        return Busy(gettext("The database does not answer at the moment; try again."))
    return Busy(
        gettext(
            "The database does not answer at the moment. Check whether this was done, and send it again if it wasn't."
        )
    )
