"""The rows of a database that an earlier release made, and the models of that release.

`earlier_release.jsonl` begins with the release's last migration; each further line is a row in Django's format of
fixtures. `record_earlier_release.py` writes it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tests.support import schema

__all__ = [
    "describe_row",
    "load_latest_models",
    "load_models",
    "load_rows",
    "make_tables",
    "migrate",
    "read_rows",
    "write_rows",
]

_FILE = Path(__file__).with_name("earlier_release.jsonl")
# What `migrate` itself makes.
_OF_DJANGO = ("auth.permission", "contenttypes.contenttype", "sites.site")

Row = dict[str, Any]


def read_rows() -> list[Row]:
    """Every row, as {"model", "pk", "fields"}."""
    return _read_lines()[1:]


def make_tables() -> None:
    """Migrate an empty database to the tables of the earlier release."""
    schema.migrate_in_steps(_read_lines()[0]["migration"])


def migrate() -> None:
    """Migrate the database to the tables of this release."""
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def describe_row(row: models.Model) -> Row:
    """The row in the form of `read_rows`: the JSON value of each column."""
    fields = {field.attname: _read_field(row, field) for field in row._meta.concrete_fields if not field.primary_key}
    return {"model": row._meta.label_lower, "pk": row.pk, "fields": fields}


def load_models() -> Apps:
    """The models as the earlier release had them."""
    loader = schema.StepLoader(None)
    return loader.project_state(loader.list_targets(_read_lines()[0]["migration"])).apps


def load_latest_models() -> Apps:
    """The models as the migrations of this release leave them."""
    return MigrationLoader(None).project_state().apps


def load_rows(earlier: Apps) -> None:
    """Insert every row as the earlier release's models do: with its columns and no others."""
    with transaction.atomic():
        for row in read_rows():
            _build(earlier, row).save_base(raw=True, force_insert=True)
    tables = [earlier.get_model(label) for label in {row["model"] for row in read_rows()}]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables):
            cursor.execute(statement)


def write_rows(migration: str, tables: list[type[models.Model]]) -> None:
    """Write the rows of the database, as the last migration left these tables, into _FILE."""
    lines = [{"migration": migration}, *(describe_row(row) for row in _list_rows(tables))]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    _FILE.write_text(text, encoding="utf-8")


def _read_lines() -> list[Row]:
    return [json.loads(line) for line in _FILE.read_text(encoding="utf-8").splitlines()]


def _list_rows(tables: list[type[models.Model]]) -> Iterator[models.Model]:
    for table in sorted(tables, key=lambda table: table._meta.label_lower):
        if table._meta.label_lower not in _OF_DJANGO:
            yield from table._base_manager.order_by("pk")


def _read_field(row: models.Model, field: Any) -> Any:
    value = getattr(row, field.attname)
    is_json = value is None or isinstance(value, str | int | float | dict | list)
    return value if is_json else field.value_to_string(row)  # moments with their microseconds


def _build(earlier: Apps, row: Row) -> models.Model:
    model = earlier.get_model(row["model"])
    fields = {field.attname: field for field in model._meta.concrete_fields}
    values = {name: fields[name].to_python(value) for name, value in row["fields"].items()}
    built: models.Model = model(pk=row["pk"], **values)
    return built
