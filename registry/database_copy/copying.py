"""The copy itself: all rows of all tables from one snapshot, in a single transaction of the target."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from django.db import DatabaseError, IntegrityError, connections, transaction

from registry.database_copy import sequences, usage
from registry.database_copy.canonical_rows import RowDigest, read_rows
from registry.database_copy.comparison import TableDigest, require_same
from registry.database_copy.errors import CopyRefused
from registry.database_copy.tables import FILLED_BY_MIGRATE, list_tables

__all__ = ["copy_database"]

_BATCH = 1000
_TOLD_EVERY = 50_000  # rows


def copy_database(source: str, target: str, tell: Callable[[str], None]) -> list[TableDigest]:
    """Copy every row from the database of one alias to that of another and compare both. Return the digest of each
    table.

    Raises CopyRefused if the copy can't be made, DatabasesDiffer if the two differ afterwards: in both cases the target
    is unchanged. Both must be migrated and not in use, and the target must be empty.
    """
    usage.require_same_migrations(source, target)
    with usage.hold_alone(source, "source"), usage.hold_alone(target, "target"):
        _require_empty(target)
        _remove_rows_of_migrate(target)
        digests = [_copy_table(model, source, target, tell) for model in list_tables()]
        sequences.take_over_sequences(source, target)
        _check_references(target)
        _count_for_planner(target)
        tell("Comparing both ...")
        return require_same(digests, source, target, tell)


def _require_empty(target: str) -> None:
    filled = [
        model._meta.db_table
        for model in list_tables()
        if model._meta.db_table not in FILLED_BY_MIGRATE and model._base_manager.using(target).exists()
    ]
    if filled:
        more = f" and {len(filled) - 1} more tables" if len(filled) > 1 else ""
        raise CopyRefused(
            f"The target is not empty: {filled[0]}{more} hold rows. Copy into a database that was only migrated."
        )


def _remove_rows_of_migrate(target: str) -> None:
    """Remove the rows written by `migrate`, which the source's rows with their ids replace."""
    with connections[target].cursor() as cursor:
        for table in FILLED_BY_MIGRATE:
            cursor.execute(f"DELETE FROM {connections[target].ops.quote_name(table)}")  # noqa: S608  # constant names


def _copy_table(model: Any, source: str, target: str, tell: Callable[[str], None]) -> TableDigest:
    """Copy a table's rows in batches. Return the digest of what was read from the source."""
    table, digest = model._meta.db_table, RowDigest(model)
    total = model._base_manager.using(source).count()
    rows = read_rows(model, source)
    while batch := tuple(islice(rows, _BATCH)):
        for row in batch:
            digest.add(row)
        _insert(model, target, batch)
        if digest.count % _TOLD_EVERY == 0:
            tell(f"{table}: {digest.count:,} of {total:,} rows")
    if total:
        tell(f"{table}: {digest.count:,} rows copied")
    return TableDigest(table, digest.count, digest.hexdigest())


def _insert(model: Any, target: str, rows: tuple[tuple[Any, ...], ...]) -> None:
    """Insert a batch; if the target refuses it, insert row by row, so that the error can name the row."""
    try:
        with transaction.atomic(using=target):
            _insert_rows(model, target, rows)
    except (DatabaseError, ValueError):
        for row in rows:
            with _name_row_in_errors(model, row):
                _insert_rows(model, target, (row,))
        raise


@contextmanager
def _name_row_in_errors(model: Any, row: tuple[Any, ...]) -> Iterator[None]:
    """Turn the target's error on a row into a CopyRefused that names the row."""
    try:
        yield
    except (DatabaseError, ValueError) as error:
        fields = model._meta.concrete_fields
        key = row[fields.index(model._meta.pk)]
        reason = " ".join(str(error).split())
        raise CopyRefused(
            f"The target refuses the row of {model._meta.db_table} with {model._meta.pk.column} {key!r}: {reason}"
        ) from error


def _insert_rows(model: Any, target: str, rows: tuple[tuple[Any, ...], ...]) -> None:
    connection, fields = connections[target], model._meta.concrete_fields
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    sql = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})"  # noqa: S608  # names of models
    with connection.cursor() as cursor:
        cursor.executemany(
            sql,
            [
                [field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)]
                for row in rows
            ],
        )


def _check_references(target: str) -> None:
    try:
        connections[target].check_constraints()
    except IntegrityError as error:
        raise CopyRefused(f"A row refers to one that the source doesn't have: {error}".strip()) from error


def _count_for_planner(target: str) -> None:
    """Update PostgreSQL's statistics, which would otherwise describe empty tables until autovacuum runs."""
    if connections[target].vendor == "postgresql":
        with connections[target].cursor() as cursor:
            for model in list_tables():
                cursor.execute(f"ANALYZE {connections[target].ops.quote_name(model._meta.db_table)}")
