"""The sequences of new rows' ids. A copy continues the source's ids, so that no deleted row's id is reused."""

from typing import Any

from django.db import connections
from django.db.models import AutoField, BigAutoField

from registry.database_copy.tables import list_tables

__all__ = ["take_over_sequences"]


def take_over_sequences(source: str, target: str) -> None:
    """Set every sequence of the target to the source's value."""
    for model in list_tables():
        if isinstance(model._meta.pk, AutoField | BigAutoField):
            last = _read_last_number(model, source)
            if last:
                _set_last_number(model, target, last)


def _read_last_number(model: Any, alias: str) -> int:
    """The last number that the table's sequence returned; 0 if none."""
    table, column = model._meta.db_table, model._meta.pk.column
    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "postgresql":
            cursor.execute(f"SELECT last_value, is_called FROM {_find_sequence(cursor, table, column)}")  # noqa: S608
            last, is_called = cursor.fetchone()
            return int(last) if is_called else 0
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        row = cursor.fetchone()
        return int(row[0]) if row else 0


def _set_last_number(model: Any, alias: str, last: int) -> None:
    """Set the sequence to continue after `last`, or after the highest existing number."""
    table, column = model._meta.db_table, model._meta.pk.column
    highest = model._base_manager.using(alias).order_by(f"-{column}").values_list("pk", flat=True).first() or 0
    last = max(last, highest)
    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "postgresql":
            cursor.execute("SELECT setval(%s::regclass, %s)", [_find_sequence(cursor, table, column), last])
            return
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])


def _find_sequence(cursor: Any, table: str, column: str) -> str:
    cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [f'"{table}"', column])
    return str(cursor.fetchone()[0])
