"""The statistics by which SQLite chooses among its indexes. PostgreSQL collects its own.

Without them SQLite takes each table for large and each index for selective: with 100,000 templates, some pages took
2 to 12 times as long.
"""

from django.db import connection
from django.db.backends.utils import CursorWrapper

__all__ = ["update_statistics"]

# Smaller tables are fast whatever the plan, and their statistics would be wrong as soon as they grow.
MIN_ROWS = 1_000
_GROWTH = 2


def update_statistics() -> list[str]:
    """Collect the statistics of each table that has doubled since they were last collected; return the tables' names.

    Each table is a write transaction of its own, and reading it whole takes about 1 s for a million rows. Connections
    use the statistics once they are opened again, after a minute at the latest. Nothing to do on PostgreSQL.
    """
    if connection.vendor != "sqlite":
        return []
    with connection.cursor() as cursor:
        counts = _read_counts(cursor)
        names = connection.introspection.django_table_names(only_existing=True)
        grown = [name for name in names if _read_last_id(cursor, name) >= max(MIN_ROWS, _GROWTH * counts.get(name, 0))]
        for name in grown:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(name)}")
    return grown


def _read_counts(cursor: CursorWrapper) -> dict[str, int]:
    """The number of rows of each table when its statistics were collected."""
    cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'")
    if cursor.fetchone() is None:
        return {}
    cursor.execute("SELECT tbl, MAX(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl")
    return dict(cursor.fetchall())


def _read_last_id(cursor: CursorWrapper, table: str) -> int:
    """The highest row id: an upper bound of the number of rows that is found immediately."""
    cursor.execute(f"SELECT MAX(rowid) FROM {connection.ops.quote_name(table)}")  # noqa: S608  # a model's table
    return cursor.fetchone()[0] or 0
