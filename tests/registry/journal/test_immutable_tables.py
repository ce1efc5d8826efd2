"""The database itself refuses changes to immutable rows."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.migrations.state import ProjectState

from registry.journal import immutable_tables
from registry.journal.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def add_event(number=1):
    return Event.objects.create(
        number=number, kind="member.set", at=0, person="admin", text="{}", hash=f"sha256:{number}"
    )


def refused(statement):
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_an_event_cannot_be_changed():
    add_event()
    refused("UPDATE registry_event SET person = 'outsider'")


def test_an_event_cannot_be_deleted():
    add_event()
    refused("DELETE FROM registry_event")


@pytest.mark.sqlite  # INSERT OR REPLACE is SQLite's
def test_an_event_cannot_be_replaced_by_another_of_its_number():
    add_event()
    refused(
        "INSERT OR REPLACE INTO registry_event (number, kind, at, person, key, namespace, template, text, hash)"
        " VALUES (1, 'x', 0, 'x', '', '', '', '', 'x')"
    )


@pytest.mark.postgres
def test_the_events_cannot_be_truncated():
    refused("TRUNCATE registry_event CASCADE")


def test_every_table_has_its_triggers():
    assert immutable_tables.list_missing_triggers(connection) == []


@pytest.mark.parametrize("table", immutable_tables.TABLES)
def test_the_system_check_names_a_trigger_that_is_absent(table):
    is_postgresql = connection.vendor == "postgresql"
    place = f" ON {table}" if is_postgresql else ""
    triggers = [
        f"{table}_refuses_{action}" for action in ("update", "delete", "truncate" if is_postgresql else "replace")
    ]
    for missing, name in enumerate(triggers, start=1):
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {name}{place}")
        errors = immutable_tables.check_triggers(["default"])
        assert [error.msg.split()[2] for error in errors] == triggers[:missing]


def test_the_check_reports_nothing_without_databases():
    assert immutable_tables.check_triggers(None) == []


def test_a_table_that_is_not_made_yet_is_passed_over():
    """Migrations of before a table write and remove the triggers of those that there are."""
    tables = ("registry_of_later", "registry_event")
    immutable_tables.remove_triggers(connection.schema_editor(), tables)
    missing = {name for name in immutable_tables.list_missing_triggers(connection) if "event" in name}
    assert len(missing) == 3
    immutable_tables.install_triggers(connection.schema_editor(), tables)
    assert immutable_tables.list_missing_triggers(connection) == []


def test_a_migration_that_goes_back_takes_the_guards_along_and_one_that_goes_forth_puts_them_back():
    event = add_event()
    operation, state = immutable_tables.Immutable(), ProjectState()
    operation.database_backwards("registry", connection.schema_editor(), state, state)
    Event.objects.filter(number=event.number).update(person="outsider")
    assert Event.objects.get().person == "outsider"
    operation.database_forwards("registry", connection.schema_editor(), state, state)
    refused("UPDATE registry_event SET person = 'admin'")


def test_the_operation_changes_no_models():
    state = ProjectState()
    immutable_tables.Immutable().state_forwards("registry", state)
    assert state == ProjectState()


def test_a_plan_of_migrations_says_what_the_operation_does():
    said = immutable_tables.Immutable().describe()
    assert said == "Write the triggers that keep versions, events, decisions and what else is lasting as they are"
