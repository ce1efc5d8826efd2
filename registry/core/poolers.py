"""Poolers between the server and PostgreSQL, such as PgBouncer, which reassign connections between transactions.

Behind one in transaction mode, session state is lost: cursors that outlive a transaction, LISTEN, session-level locks.
With `PROMPTUARY_DATABASE_POOLED` the server doesn't use them.
"""

# no texts here: operators read them

from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

__all__ = ["is_pooled", "require_pooling_known"]


def is_pooled(connection: Any) -> bool:
    """Whether a pooler answers: the backend process id that it announces isn't the one that runs the queries."""
    if connection.vendor != "postgresql":
        return False
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        answering = int(cursor.fetchone()[0])
    return answering != int(connection.connection.info.backend_pid)


def require_pooling_known(connection: Any) -> None:
    """Raise ImproperlyConfigured if there is a pooler that the settings don't mention."""
    if not settings.DATABASE_POOLED and is_pooled(connection):
        raise ImproperlyConfigured(
            "PostgreSQL is reached through a pooler such as PgBouncer. Set PROMPTUARY_DATABASE_POOLED=true, so that "
            "the server keeps nothing in a session that others share, or connect to PostgreSQL directly."
        )
