"""The tables that a copy of the database contains, in a fixed order."""

from typing import Any

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.db import connections, models

from registry.templates.search_engine import INDEX_TABLE

__all__ = ["FILLED_BY_MIGRATE", "find_unknown_tables", "list_tables"]

FILLED_BY_MIGRATE = ("auth_permission", "django_content_type")
"""Tables in which `migrate` creates rows; referring ones come first."""

_NOT_COPIED = {"django_migrations"}  # compared by separate code
# The search index, which is built again from the rows, and SQLite's own tables: the last ids, set by separate code, and
# statistics.
_OF_SQLITE = (INDEX_TABLE, "sqlite_")


class _CacheRow(models.Model):
    """A row of the shared cache, whose table Django creates without a model."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField()

    class Meta:
        apps = Apps()
        app_label = "database_copy"
        db_table = settings.SHARED_CACHE_TABLE

    def __str__(self) -> str:
        return self.cache_key


def list_tables() -> list[Any]:
    """A model for every table whose rows are copied, sorted by the table's name."""
    tables: list[Any] = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    return sorted([*tables, _CacheRow], key=_find_table_name)


def find_unknown_tables(alias: str) -> list[str]:
    """Tables of a database that are not Promptuary's and so are not copied, sorted by name."""
    copied_tables = {_find_table_name(model) for model in list_tables()} | _NOT_COPIED
    present = connections[alias].introspection.table_names()
    return sorted(name for name in present if name not in copied_tables and not name.startswith(_OF_SQLITE))


def _find_table_name(model: Any) -> str:
    return str(model._meta.db_table)
