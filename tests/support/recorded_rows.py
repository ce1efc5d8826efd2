"""Rows shared by many tests: the services write them once per process, and later tests insert the recorded rows."""

import copy
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, TypeVar

from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import AutoField, Model

__all__ = ["follow_writes", "write_or_insert"]

# Written by migrations and their signals; the same in every test.
_PERMANENT = {"auth_permission", "django_content_type", "django_migrations"}
# The statements that change no row.
_READING = ("SELECT ", "(SELECT ", "SAVEPOINT ", "RELEASE SAVEPOINT ", "SET CONSTRAINTS ")
Result = TypeVar("Result")
Row = tuple[Any, ...]


@dataclass(frozen=True)
class _Recording:
    """The effects of one `write`.

    rows: (SQL statement, rows) for each table that it wrote to; removed: (SQL statement, keys) for each table that it
    removed rows from; reset: an SQL statement that makes the tables number their next rows after these, empty on
    SQLite; result: its return value.
    """

    removed: list[tuple[str, list[Row]]]
    rows: list[tuple[str, list[Row]]]
    reset: str
    result: Any


class _Trail:
    """What the current test has written: the names of its recordings in order, or None after any other write.

    Counting the rows of all tables would take 4 ms of PostgreSQL's processor time.
    """

    def __init__(self) -> None:
        self._names: tuple[str, ...] | None = None
        self._block: object = None

    def follow(self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        """Notice a statement; for `connection.execute_wrappers`."""
        self._begin_test(context["connection"])
        if not (isinstance(sql, str) and sql.startswith(_READING)):
            self._names = None
        return execute(sql, params, many, context)

    def read_names(self) -> tuple[str, ...] | None:
        """The names, empty if the test has written nothing yet; None on a connection that is not followed."""
        if self.follow not in connection.execute_wrappers:
            return None
        self._begin_test(connection)
        return self._names

    def set_names(self, names: tuple[str, ...] | None) -> None:
        """Set them, after the writes of a recording."""
        self._names = names

    def _begin_test(self, used: Any) -> None:
        """Forget the names of the test before, whose rows were rolled back. In a test that commits, none are known."""
        block = next(iter(used.atomic_blocks), None)
        if block is not self._block:
            self._block = block
            self._names = () if getattr(block, "_from_testcase", False) else None


# By name and by what was there before: the names of the recordings, or the number of rows in each table.
_recordings: dict[tuple[str, tuple[str, ...] | tuple[int, ...]], _Recording] = {}
_trail = _Trail()


def follow_writes() -> None:
    """Follow the statements on this thread's connection, so that `write_or_insert` need not count rows."""
    connection.execute_wrappers.append(_trail.follow)


def write_or_insert(name: str, write: Callable[[], Result]) -> Result:
    """Make the same changes to the database as `write`, and return its result; each name belongs to one call site.

    `write` may add, change and remove rows, must write the same ones each time, and returns plain values. Times in
    the rows remain those of the first call. `write` is called again if a test commits, and if other rows were there at
    the start: after other recordings, or another number of rows if the test has written some itself, or rows with the
    recorded numbers.
    """
    if not connection.in_atomic_block:
        return write()  # committed writes wake workers, but inserted rows don't
    names = _trail.read_names()
    there = tuple(_count_rows(_primary_keys()).values()) if names is None else names
    recording = _recordings.get((name, there))
    if recording is None or not _insert(recording):
        recording = _recordings[name, there] = _record(write)
    _trail.set_names(None if names is None else (*names, name))
    result: Result = copy.deepcopy(recording.result)
    return result


def _record(write: Callable[[], object]) -> _Recording:
    """Write, and return what was written."""
    keys = _primary_keys()
    counts = _count_rows(keys)
    before = {table: set(_read_rows(table)[1]) for table in keys if counts[table]}
    result = write()
    rows = {table: _written_rows(table, key, before.get(table, set())) for table, key in keys.items()}
    written = {table: found for table, found in rows.items() if found[1]}
    removed = [_removed_rows(table, keys[table], old) for table, old in before.items()]
    return _Recording([each for each in removed if each[1]], [*written.values()], _write_reset(written), result)


def _insert(recording: _Recording) -> bool:
    """Write the recorded rows. Return False, without a change, if a row of the test itself has the number of one."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement, table_rows in [*recording.removed, *recording.rows]:
                cursor.executemany(statement, table_rows)
            if recording.reset:
                cursor.execute(recording.reset)
    except IntegrityError:
        return False
    return True


def _primary_keys() -> dict[str, str]:
    """The primary key's column of every table that tests write to, by table."""
    return {table: str(model._meta.pk.column) for table, model in _models().items()}


def _models() -> dict[str, type[Model]]:
    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    return {table: model for table, model in models.items() if model._meta.managed and table not in _PERMANENT}


def _count_rows(tables: dict[str, str]) -> dict[str, int]:
    quoted = {table: connection.ops.quote_name(table) for table in tables}
    selects = [f"SELECT '{table}', COUNT(*) FROM {name}" for table, name in quoted.items()]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(selects))
        counts = dict(cursor.fetchall())
    return {table: counts[table] for table in tables}  # PostgreSQL counts tables side by side, in any order


def _read_rows(table: str) -> tuple[list[str], list[Row]]:
    """Read the model's rows without generated columns, which can't be inserted."""
    columns = [str(field.column) for field in _models()[table]._meta.concrete_fields]
    quoted = ", ".join(connection.ops.quote_name(column) for column in columns)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {quoted} FROM {connection.ops.quote_name(table)}")
        return columns, cursor.fetchall()


def _written_rows(table: str, key: str, before: set[Row]) -> tuple[str, list[Row]]:
    """A statement that inserts or updates a row, and the table's rows that didn't exist before."""
    columns, rows = _read_rows(table)
    quoted = [connection.ops.quote_name(column) for column in columns]
    statement = f"INSERT INTO {connection.ops.quote_name(table)} ({', '.join(quoted)}) VALUES ({_marks(columns)})"
    at = columns.index(key)
    changed = {row[at] for row in before} & {row[at] for row in rows if row not in before}
    if changed:  # only then: the triggers on immutable rows refuse this form of INSERT
        updates = ", ".join(f"{name} = excluded.{name}" for name in quoted)
        statement += f" ON CONFLICT ({connection.ops.quote_name(key)}) DO UPDATE SET {updates}"
    return statement, [row for row in rows if row not in before]


def _removed_rows(table: str, key: str, before: set[Row]) -> tuple[str, list[Row]]:
    """A statement that deletes a row by its key, and the keys that the table no longer has."""
    columns, rows = _read_rows(table)
    at = columns.index(key)
    keys = {row[at] for row in before} - {row[at] for row in rows}
    statement = f"DELETE FROM {connection.ops.quote_name(table)} WHERE {connection.ops.quote_name(key)} = %s"
    return statement, [(each,) for each in sorted(keys)]


def _write_reset(tables: Container[str]) -> str:
    """The statement for PostgreSQL, whose sequences stay as they are when a test's rows are rolled back."""
    if connection.vendor != "postgresql":
        return ""
    calls = []
    with connection.cursor() as cursor:
        for table, model in _models().items():
            if table in tables and isinstance(model._meta.pk, AutoField):
                name, column = connection.ops.quote_name(table), str(model._meta.pk.column)
                cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [name, column])
                calls.append(f"setval('{cursor.fetchone()[0]}', (SELECT MAX({column}) FROM {name}))")
    return f"SELECT {', '.join(calls)}" if calls else ""


def _marks(columns: list[str]) -> str:
    return ", ".join(["%s"] * len(columns))
