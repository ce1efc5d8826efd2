"""Django's description of a database from its URL, the same for the server and for what copies databases."""

from typing import Any

import dj_database_url
from django.db import DatabaseError, OperationalError

__all__ = ["describe_database", "describe_failure"]

_MALFORMED = "malformed"  # SQLite's word for a damaged file
_UNDEFINED_TABLE = "42P01"  # PostgreSQL's code


def describe_database(url: str, *, is_pooled: bool = False) -> dict[str, Any]:
    """The entry of DATABASES for `sqlite:///path` or `postgresql://user:password@host/name`.

    is_pooled: a pooler gives the connection to others between transactions, so that no cursor may outlive one.
    A connection that is kept between requests is tried first: it may have ended with a restart of the database.
    """
    database: dict[str, Any] = {**dj_database_url.parse(url, conn_max_age=60, conn_health_checks=True)}
    database["DISABLE_SERVER_SIDE_CURSORS"] = is_pooled
    if database["ENGINE"].endswith("sqlite3"):
        database["OPTIONS"] = {
            # A write takes the lock when its transaction begins, so it waits its turn and never fails halfway.
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # FULL: an answered save is on the disk. What is deleted or redacted is overwritten.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
            "PRAGMA secure_delete=ON;",
        }
    return database


def describe_failure(error: DatabaseError) -> str:
    """What to tell an operator of a database that can't be reached, is none, or lacks the tables of this version.

    Empty for other errors, which are faults of the program: a traceback tells more of those.
    """
    if str(error).startswith("no such table") or getattr(error.__cause__, "sqlstate", None) == _UNDEFINED_TABLE:
        return "The database lacks tables of this version. Make them with `python manage.py migrate`."
    if type(error) not in (DatabaseError, OperationalError):
        return ""
    if _MALFORMED in str(error):
        return f"The database is damaged: {error}\ndocs/operate/recovery.md says how to restore it."
    return f"The database can't be used: {error}\nPROMPTUARY_DATABASE_URL names it."
