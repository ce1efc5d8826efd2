"""Migrations of SQLite: all of them are applied, or none."""

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder

from registry.core import migration_lock
from tests.support import database_copies

pytestmark = pytest.mark.sqlite


@pytest.fixture
def empty(transactional_db, tmp_path):
    with database_copies.empty_database(tmp_path):
        yield


def migrate():
    with migration_lock.apply_all_or_none():
        call_command("migrate", "auth", verbosity=0)


def test_a_disk_that_is_full_when_a_migration_is_recorded_leaves_no_table(empty, monkeypatch):
    def fail(recorder, app, name):
        if app == "auth":
            raise OperationalError("database or disk is full")
        record(recorder, app, name)

    record = MigrationRecorder.record_applied
    with monkeypatch.context() as patch:
        patch.setattr(MigrationRecorder, "record_applied", fail)
        with pytest.raises(OperationalError):
            migrate()
    assert connection.introspection.table_names() == []
    migrate()
    assert "auth_permission" in connection.introspection.table_names()


def test_foreign_keys_are_checked_again_after_the_migrations(empty):
    migrate()
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA foreign_keys").fetchone() == (1,)
