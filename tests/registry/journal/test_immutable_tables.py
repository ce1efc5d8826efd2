"""The database itself refuses to change what is kept for ever."""

import pytest
from django.db import DatabaseError, connection, transaction

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
    assert immutable_tables.missing_triggers(connection) == []


@pytest.mark.parametrize("table", immutable_tables.TABLES)
def test_the_system_check_names_a_trigger_that_is_absent(table):
    place = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_refuses_update{place}")
    (error,) = immutable_tables.check_triggers(["default"])
    assert f"{table}_refuses_update" in error.msg


def test_without_databases_to_look_at_the_check_says_nothing():
    assert immutable_tables.check_triggers(None) == []
