"""The tables of test databases, made from the models instead of by migrations.

On an empty database, migrations take 3 s of processor time, or 20 s without the squashed one.
`tests/registry/test_schema.py` checks that the results are equal.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from migrations._additions import add_cache_table, add_search_index
from registry.journal.immutable_tables import install_triggers

__all__ = ["StepLoader", "complete_schema", "make_tables", "migrate_in_steps", "migrations_switched_off"]


def make_tables() -> None:
    """Make all tables in the empty default database, for a process outside the test run."""
    with migrations_switched_off():
        call_command("migrate", run_syncdb=True, verbosity=0)
    complete_schema()


class StepLoader(MigrationLoader):
    """Loads the migrations without the squashed one, as for a database that has already applied some of them."""

    def load_disk(self) -> None:
        super().load_disk()
        self.disk_migrations = {node: found for node, found in self.disk_migrations.items() if not found.replaces}

    def list_targets(self, last: str | None = None) -> list[tuple[str, str]]:
        """The last migration of each app; last: use this one for the registry instead."""
        leaves: list[tuple[str, str]] = self.graph.leaf_nodes()
        return [("registry", last) if last and app == "registry" else (app, name) for app, name in leaves]


def migrate_in_steps(last: str | None = None) -> None:
    """Migrate the database forwards or back, one step at a time; last: the registry's migration to end with."""
    executor = MigrationExecutor(connection)
    executor.loader = StepLoader(connection)
    executor.migrate(executor.loader.list_targets(last))


@contextmanager
def migrations_switched_off() -> Iterator[None]:
    """Let `migrate` make every table from its model."""
    with override_settings(MIGRATION_MODULES={config.label: None for config in apps.get_app_configs()}):
        yield


def complete_schema() -> None:
    """Add what models don't describe: triggers, the full-text index, the shared cache and all migrations as applied."""
    with connection.schema_editor() as editor:
        install_triggers(editor)
        add_search_index(apps, editor)
        add_cache_table(apps, editor)
    recorder = MigrationRecorder(connection)
    recorder.ensure_schema()
    applied = [recorder.Migration(app=app, name=name) for app, name in sorted(MigrationLoader(None).disk_migrations)]
    recorder.migration_qs.bulk_create(applied)
