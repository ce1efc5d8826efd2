"""A database that a test may commit to: a copy of the migrated one, dropped afterwards.

The tables can't be emptied after a committing test, because triggers refuse to delete versions, events and decisions.
"""

import contextlib
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.db import connection, connections

__all__ = ["copied_database", "empty_database"]

_Make = Callable[[str, Path], str]

_numbers = itertools.count(1)


@contextlib.contextmanager
def copied_database(folder: Path) -> Iterator[None]:
    """Let every thread of this process work on a copy; on SQLite a file in `folder`, with WAL as in production."""
    with _use_other_database(_copy_postgresql if connection.vendor == "postgresql" else _copy_sqlite, folder):
        yield


@contextlib.contextmanager
def empty_database(folder: Path) -> Iterator[None]:
    """Let every thread of this process work on a database without tables."""
    with _use_other_database(_make_postgresql if connection.vendor == "postgresql" else _make_sqlite, folder):
        yield


@contextlib.contextmanager
def _use_other_database(make: _Make, folder: Path) -> Iterator[None]:
    shared: dict[str, Any] = connection.settings_dict  # threads connect through this same mapping
    original = shared["NAME"]
    name = make(str(original), folder)
    connections.close_all()
    kept_open = connection.connection  # an in-memory database ends with its last connection
    connection.connection = None
    shared["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.connection = kept_open
        shared["NAME"] = original
        if connection.vendor == "postgresql":
            _drop_postgresql(name)
        else:
            _drop_sqlite(name)


def _copy_postgresql(original: str, _folder: Path) -> str:
    connection.close()  # a database that is used as a template must have no connections
    # Copying its files takes a quarter of the time of PostgreSQL's default, which writes each page to the log.
    return _create_postgresql(original, f'TEMPLATE "{original}" STRATEGY FILE_COPY')


def _make_postgresql(original: str, _folder: Path) -> str:
    return _create_postgresql(original, "TEMPLATE template0")


def _create_postgresql(original: str, source: str) -> str:
    name = f"{original}_copy_{os.getpid()}_{next(_numbers)}"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'CREATE DATABASE "{name}" {source}')
    return name


def _drop_postgresql(name: str) -> None:
    with connection._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _copy_sqlite(original: str, folder: Path) -> str:
    path = _make_sqlite(original, folder)
    connection.ensure_connection()
    with contextlib.closing(sqlite3.connect(path)) as target:
        connection.connection.backup(target)
    return path


def _make_sqlite(_original: str, folder: Path) -> str:
    return str(folder / f"copy-{next(_numbers)}.sqlite3")


def _drop_sqlite(name: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(name + suffix).unlink(missing_ok=True)
