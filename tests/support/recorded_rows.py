"""Rows shared by many tests: the services write them once per process, and later tests insert the recorded rows."""

import copy
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, TypeVar

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

__all__ = ["write_or_insert"]

# Written by migrations and their signals; the same in every test.
_PERMANENT = {"auth_permission", "django_content_type", "django_migrations"}
Result = TypeVar("Result")
Row = tuple[Any, ...]


@dataclass(frozen=True)
class _Recording:
    """The effects of one `write`.

    rows: (SQL statement, rows) for each table that it wrote to; removed: (SQL statement, keys) for each table that it
    removed rows from; resets: SQL statements that make the tables number their next rows after these; result: its
    return value.
    """

    removed: list[tuple[str, list[Row]]]
    rows: list[tuple[str, list[Row]]]
    resets: list[str]
    result: Any


# By name and by the number of rows in each table before.
_recordings: dict[tuple[str, tuple[int, ...]], _Recording] = {}


def write_or_insert(name: str, write: Callable[[], Result]) -> Result:
    """Make the same changes to the database as `write`, and return its result; each name belongs to one call site.

    `write` may add, change and remove rows, must write the same ones each time, and returns plain values. Times in
    the rows remain those of the first call. `write` is called again if a test commits, and if the tables have other
    numbers of rows at the start.
    """
    if not connection.in_atomic_block:
        return write()  # committed writes wake workers, but inserted rows don't
    keys = _primary_keys()
    counts = _count_rows(keys)
    recording = _recordings.get((name, tuple(counts.values())))
    if recording is None:
        before = {table: set(_read_rows(table)[1]) for table in keys if counts[table]}
        result = write()
        rows = {table: _written_rows(table, key, before.get(table, set())) for table, key in keys.items()}
        written = {table: found for table, found in rows.items() if found[1]}
        removed = [_removed_rows(table, keys[table], old) for table, old in before.items()]
        _recordings[name, tuple(counts.values())] = _Recording(
            [each for each in removed if each[1]],
            [*written.values()],
            _sequence_resets(written),
            copy.deepcopy(result),
        )
        return result
    with connection.cursor() as cursor:
        for statement, table_rows in [*recording.removed, *recording.rows]:
            cursor.executemany(statement, table_rows)
        for statement in recording.resets:
            cursor.execute(statement)
    stored: Result = copy.deepcopy(recording.result)
    return stored


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


def _sequence_resets(tables: Container[str]) -> list[str]:
    """Statements for PostgreSQL, whose sequences stay reset after a test has restored a database."""
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in tables]
    return connection.ops.sequence_reset_sql(no_style(), models)


def _marks(columns: list[str]) -> str:
    return ", ".join(["%s"] * len(columns))
