"""Which database errors mean that it is currently unavailable."""

import contextlib
import errno
import sqlite3

import psycopg
import pytest
from django.db import IntegrityError, InterfaceError, OperationalError, ProgrammingError, connection, transaction
from psycopg import errors

from registry.core.database_errors import describe_busy, is_disk_full, is_unavailable


def wrap(error, cause):
    """The error as Django raises it, from the driver's."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        wrap(OperationalError(), psycopg.OperationalError("consuming input failed: server closed the connection")),
        wrap(InterfaceError(), psycopg.InterfaceError("the connection is closed")),
        wrap(OperationalError(), errors.AdminShutdown()),
        wrap(OperationalError(), errors.CannotConnectNow()),
        wrap(OperationalError(), errors.TooManyConnections()),
        wrap(OperationalError(), errors.DeadlockDetected()),
        wrap(OperationalError(), errors.QueryCanceled()),
    ],
    ids=lambda error: type(error.__cause__).__name__,
)
def test_temporary_errors_are_unavailability(error):
    assert is_unavailable(error)


@pytest.mark.parametrize(
    "error",
    [
        None,
        ValueError(),
        OperationalError("without a cause"),
        wrap(IntegrityError(), errors.UniqueViolation()),
        wrap(ProgrammingError(), errors.UndefinedTable()),
        wrap(OperationalError(), sqlite3.OperationalError("no such table: x")),
    ],
    ids=repr,
)
def test_permanent_errors_are_not_unavailability(error):
    assert not is_unavailable(error)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_session_ended_by_the_server_is_unavailability():
    with pytest.raises(OperationalError) as ended, connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert is_unavailable(ended.value)
    connection.close()


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_wrong_statement_is_not_unavailability():
    with pytest.raises(ProgrammingError) as wrong, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM missing")
    assert not is_unavailable(wrong.value)


def test_a_lock_of_sqlite_is_unavailability(tmp_path):
    path = tmp_path / "locked"
    with sqlite3.connect(path, isolation_level=None) as holder, sqlite3.connect(path, timeout=0) as other:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError) as locked:
            other.execute("CREATE TABLE a (b)")
    holder.close()
    other.close()
    assert is_unavailable(wrap(OperationalError(), locked.value))


def test_the_message_for_a_write_asks_to_check_the_result():
    assert "try again" in describe_busy(None, "GET").message
    assert "Check whether this was done" in describe_busy(None, "POST").message


def test_a_full_sqlite_database_is_described_as_a_full_disk():
    with contextlib.closing(sqlite3.connect(":memory:")) as small:
        small.execute("PRAGMA max_page_count = 2")
        small.execute("CREATE TABLE a (b)")
        with pytest.raises(sqlite3.OperationalError) as full:
            small.execute("INSERT INTO a VALUES (zeroblob(100000))")
    assert is_disk_full(wrap(OperationalError(), full.value))


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space left on device"), wrap(OperationalError(), errors.DiskFull())],
    ids=["file", "PostgreSQL"],
)
def test_a_full_disk_is_described_as_one(error):
    assert is_unavailable(error)
    assert describe_busy(error, "GET").message == "The disk of the server is full; its operator has to make room."
    assert "Check whether this was done" in describe_busy(error, "POST").message


def test_another_error_of_a_file_is_not_a_full_disk():
    assert not is_unavailable(OSError(errno.EACCES, "Permission denied"))
