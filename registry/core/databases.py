"""Django's settings of a database from its URL, shared by the server and the copying of databases."""

# no texts here: operators read them

from typing import Any

import dj_database_url
from django.db import DatabaseError, OperationalError

from registry.core.database_errors import is_disk_full

__all__ = ["describe_database", "describe_failure"]

_MALFORMED = "malformed"  # SQLite's code for a damaged file
_UNDEFINED_TABLE = "42P01"  # PostgreSQL's code


def describe_database(url: str, *, is_pooled: bool = False) -> dict[str, Any]:
    """The entry of DATABASES for `sqlite:///path` or `postgresql://user:password@host/name`.

    is_pooled: whether a pooler reassigns connections between transactions, so that no cursor may outlive one.
    Persistent connections are checked before use: a restart of the database may have closed them.
    """
    database: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)}
    database["DISABLE_SERVER_SIDE_CURSORS"] = is_pooled
    if database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = {
            # A write takes the lock when its transaction begins, so it waits then and never fails halfway.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL: a confirmed save is on disk. Deleted and redacted data is overwritten.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
            "PRAGMA secure_delete=ON;",
        }
    return database


def describe_failure(error: DatabaseError) -> str:
    """A message for the operator about a database that can't be reached or written, isn't one, or lacks this version's
    tables.

    Empty for other errors, which are bugs: a traceback is more useful for those.
    """
    if str(error).startswith("no such table") or getattr(error.__cause__, "sqlstate", None) == _UNDEFINED_TABLE:
        return "The database lacks tables of this version. Make them with `python manage.py migrate`."
    if type(error) not in (DatabaseError, OperationalError):
        return ""
    if is_disk_full(error):
        return f"The disk of the database is full: {error}\nMake room on it, and try again."
    if _MALFORMED in str(error):
        return f"The database is damaged: {error}\ndocs/operate/recovery.md says how to restore it."
    return f"The database can't be used: {error}\nPROMPTUARY_DATABASE_URL names it."
