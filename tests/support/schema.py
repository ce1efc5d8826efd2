"""The tables of test databases, made from the models at once instead of by the chain of migrations.

The chain takes 14 s of processor time. `tests/registry/test_schema.py` holds both results equal.
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from registry.journal.immutable_tables import install_triggers

__all__ = ["complete_schema", "make_tables", "migrations_switched_off"]

CACHE_TABLE = "promptuary_cache"


def make_tables() -> None:
    """Make all tables in the empty default database, for a process that is not a test run."""
    with migrations_switched_off():
        call_command("migrate", run_syncdb=True, verbosity=0)
    complete_schema()


@contextmanager
def migrations_switched_off() -> Iterator[None]:
    """Let `migrate` make every table from its model."""
    with override_settings(MIGRATION_MODULES={config.label: None for config in apps.get_app_configs()}):
        yield


def complete_schema() -> None:
    """Add what no model says: triggers, the full-text index, the shared cache, and that all migrations are applied."""
    with connection.schema_editor() as editor:
        install_triggers(editor)
        importlib.import_module("migrations.0024_search").add_index(apps, editor)
    call_command("createcachetable", CACHE_TABLE, verbosity=0)
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    applied = [recorder.Migration(app=app, name=name) for app, name in sorted(MigrationLoader(None).disk_migrations)]
    recorder.migration_qs.bulk_create(applied)
