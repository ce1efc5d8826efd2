"""Indexes that are built after their tables are filled, which takes a fraction of the time of adding row by row."""

import contextlib
from collections.abc import Iterator, Sequence

from django.db import connection, models

__all__ = ["suspend_indexes"]

# Indexes of constraints stay: foreign keys need some of them.
_PLAIN_INDEXES = """
    SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i
    WHERE i.indrelid = %s::regclass AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
"""


@contextlib.contextmanager
def suspend_indexes(tables: Sequence[type[models.Model]]) -> Iterator[None]:
    """Drop the indexes of these models on PostgreSQL, and build them again after the block."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        definitions = []
        for model in tables:
            cursor.execute(_PLAIN_INDEXES, [model._meta.db_table])
            for name, definition in cursor.fetchall():
                definitions.append(definition)
                cursor.execute(f"DROP INDEX {name}")
        yield
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for definition in definitions:
            cursor.execute(definition)
