"""Reading a table's rows in an order and form that don't depend on the engine, to compare two databases.

Rows are sorted by primary key, texts by code point. A row's canonical form is one line of JSON: the columns in the
order of the model, times in UTC to the microsecond, decimals without trailing zeros, bytes as hex, the keys of objects
sorted. PostgreSQL stores `1e16` in a JSON column as `10000000000000000`, so JSON numbers are compared by value.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from django.db import connections
from django.db.models import CharField, F, JSONField
from django.db.models.functions import Collate

__all__ = ["RowDigest", "read_rows"]

_AT_ONCE = 2000
_BY_CODE_POINT = {"postgresql": "C", "sqlite": "BINARY"}


def read_rows(model: Any, alias: str) -> Iterator[tuple[Any, ...]]:
    """All rows of the model's table as tuples of Python values, by primary key, read in batches."""
    names = [field.attname for field in model._meta.concrete_fields]
    key = model._meta.pk
    order: Any = F(key.attname)
    if isinstance(key, CharField):
        order = Collate(key.attname, _BY_CODE_POINT[connections[alias].vendor])
    rows = model._base_manager.using(alias).order_by(order).values_list(*names)
    yield from rows.iterator(chunk_size=_AT_ONCE)


class RowDigest:
    """A running SHA-256 over the canonical forms of a table's rows, and their count."""

    def __init__(self, model: Any) -> None:
        fields = model._meta.concrete_fields
        self._json_columns = [index for index, field in enumerate(fields) if isinstance(field, JSONField)]
        self._hash = hashlib.sha256()
        self.count = 0

    def add(self, row: tuple[Any, ...]) -> None:
        """Add the next row to the digest."""
        values = list(row)
        for index in self._json_columns:
            values[index] = _level_numbers(values[index])
        line = json.dumps(values, sort_keys=True, separators=(",", ":"), default=_write_value)
        self._hash.update(line.encode("ascii") + b"\n")
        self.count += 1

    def hexdigest(self) -> str:
        """The digest of the rows so far."""
        return self._hash.hexdigest()


def _level_numbers(value: Any) -> Any:
    """The JSON value with each integral float as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _level_numbers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_level_numbers(item) for item in value]
    return value


def _write_value(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)
