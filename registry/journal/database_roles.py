"""The PostgreSQL role of the running server, which can read and write rows but not disable the triggers on them.

The triggers of `registry.journal.immutable_tables` apply to all writers, but a table's owner can drop them. So the
tables belong to one role, which migrates, and the server runs as another one, to which `grant_server_role` grants the
rest.
"""

# no texts here: operators read it

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from registry.journal.immutable_tables import TABLES, TOMBSTONES

__all__ = ["check_server_role", "grant_server_role", "list_powers", "may_migrate"]

_MAINTAIN_SINCE = 170000  # the PostgreSQL version from which VACUUM can be granted; a redaction scrubs with it


def grant_server_role(connection: BaseDatabaseWrapper, role: str) -> None:
    """Grant an existing role what the server needs on every table, replacing its earlier privileges.

    Run as the tables' owner, after each migration. Immutable rows can only be read and inserted.
    """
    quoted = connection.ops.quote_name(role)
    tables = [name for name in connection.introspection.table_names() if name]
    statements = [
        f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {quoted}",
        f"REVOKE CREATE ON SCHEMA public FROM PUBLIC, {quoted}",
        f"GRANT USAGE ON SCHEMA public TO {quoted}",
        f"GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {quoted}",
    ]
    for table in tables:
        rights = ["SELECT", "INSERT"]
        if table in TOMBSTONES:
            rights.append("UPDATE")  # its trigger allows a redaction and nothing else
        elif table not in TABLES and table != "django_migrations":
            rights += ["UPDATE", "DELETE"]
        statements.append(f"GRANT {', '.join(rights)} ON {connection.ops.quote_name(table)} TO {quoted}")
    with connection.cursor() as cursor:
        if _read_server_version(connection) >= _MAINTAIN_SINCE:
            statements.append(f"GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO {quoted}")
        for statement in statements:
            cursor.execute(statement)


def may_migrate(connection: BaseDatabaseWrapper) -> bool:
    """Whether this role may migrate: always on SQLite; on PostgreSQL only the role that owns the tables."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege(current_user, 'public', 'CREATE')")
        return bool(cursor.fetchone()[0])


def list_powers(connection: BaseDatabaseWrapper) -> list[str]:
    """What this role could do to immutable rows, each as a phrase; empty for a proper server role."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
        row = cursor.fetchone()
        if row and row[0]:
            return ["is a superuser"]
        cursor.execute(
            "SELECT count(*) FROM pg_class WHERE relname = ANY(%s) AND pg_has_role(current_user, relowner, 'USAGE')",
            [list(TABLES)],
        )
        owned = cursor.fetchone()[0]
    return ["owns the tables, so it may drop their triggers"] if owned else []


def check_server_role(databases: Sequence[str] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """The system check (`check --deploy --database default`): a warning if the server's role could disable the
    triggers.
    """
    return [
        Warning(
            f"The role that the server connects as {power}.",
            hint="Let one role own the tables and run as another: docs/operate/running.md, A role for the server.",
            id="registry.W002",
        )
        for alias in databases or ()
        for power in list_powers(connections[alias])
    ]


def _read_server_version(connection: BaseDatabaseWrapper) -> int:
    connection.ensure_connection()
    return int(connection.connection.info.server_version)
