"""Exclusive use of a database: fully migrated, and locked for others until the transaction ends."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, OperationalError, connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from registry.database_copy.errors import CopyRefused
from registry.database_copy.tables import list_tables

__all__ = ["hold_alone", "require_same_migrations"]

_OTHER_SESSIONS = (
    "SELECT count(*) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL"  # null: the server's own
)


def require_same_migrations(source: str, target: str) -> None:
    """Raise CopyRefused unless both databases have exactly this version's migrations."""
    known_migrations = set(MigrationLoader(None).disk_migrations)
    for alias, place in ((source, "source"), (target, "target")):
        with _explain_errors(alias, place):
            applied = set(MigrationRecorder(connections[alias]).applied_migrations())
        if not applied:
            raise CopyRefused(
                f"The {place} has no tables yet: run `manage.py serve --only migrate` with its address as "
                "PROMPTUARY_DATABASE_URL first."
            )
        if missing := sorted(known_migrations - applied):
            raise CopyRefused(
                f"The {place} lacks {len(missing)} migrations of this version, {'.'.join(missing[0])} among them: "
                "run `manage.py migrate` there first."
            )
        if unknown := sorted(applied - known_migrations):
            raise CopyRefused(
                f"The {place} was migrated by another version: {'.'.join(unknown[0])} is not known here. Copy with "
                "the version that serves it."
            )


@contextmanager
def hold_alone(alias: str, place: str) -> Iterator[None]:
    """A transaction with one snapshot that blocks all writers. Raises CopyRefused if the database is in use.

    On SQLite the connection must have been opened with `locking_mode=EXCLUSIVE`, which locks out all others.
    """
    with _explain_errors(alias, place), transaction.atomic(using=alias):
        if connections[alias].vendor == "postgresql":
            _lock_tables(alias, place)
        yield


@contextmanager
def _explain_errors(alias: str, place: str) -> Iterator[None]:
    """Turn the database's errors about its use into CopyRefused."""
    try:
        yield
    except DatabaseError as error:
        if connections[alias].vendor == "sqlite" and "locked" in str(error):
            raise CopyRefused(f"The {place} is in use. Stop the server and its workers first.") from error
        raise CopyRefused(f"The {place} can't be used: {error}".strip()) from error


def _lock_tables(alias: str, place: str) -> None:
    """Lock all tables against writers before the snapshot is taken, without waiting."""
    connection = connections[alias]
    tables = ", ".join(connection.ops.quote_name(model._meta.db_table) for model in list_tables())
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        try:
            cursor.execute(f"LOCK TABLE {tables} IN SHARE ROW EXCLUSIVE MODE NOWAIT")
        except OperationalError as error:
            raise CopyRefused(f"The {place} is being written. Stop the server and its workers first.") from error
        except DatabaseError as error:
            raise CopyRefused(f"The {place} can't be locked; connect as the owner of its tables: {error}") from error
        cursor.execute(_OTHER_SESSIONS)
        if others := int(cursor.fetchone()[0]):
            raise CopyRefused(
                f"The {place} is in use: {others} other sessions are connected. Stop the server and its workers first."
            )
