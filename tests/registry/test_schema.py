"""The test database's tables, made from the models, equal those of the migrations, squashed and in steps."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from tests.support import database_copies, instances, schema

Schema = dict[str, list[str]]

# Columns that a migration added stand last in a table; a model has them where they are read best.
SQLITE = "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
POSTGRESQL = {
    "columns": """
        SELECT table_name, column_name, udt_name, character_maximum_length, is_nullable, column_default, is_identity
        FROM information_schema.columns
        WHERE table_schema = 'public' AND NOT (table_name = 'auth_group_permissions' AND column_name = 'id')
    """,  # but for the width of that number, which Django's own model and migration differ in, and nobody here uses
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": "SELECT tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "functions": "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
}
MIGRATIONS = "SELECT app, name FROM django_migrations"


@pytest.fixture
def migrated(tmp_path: Path) -> Iterator[instances.Instance]:
    instance = instances.migrate_instance(tmp_path / "migrated")
    yield instance
    instances.remove_instance(instance)


@pytest.mark.slow
@pytest.mark.dialect
def test_the_tables_of_the_tests_are_those_that_the_migrations_make(db: None, migrated: instances.Instance) -> None:
    with connection.cursor() as cursor:
        tested = _read_schema(cursor)
    if migrated.database:
        with psycopg.connect(migrated.database) as session:
            expected = _read_schema(session.cursor())
    else:
        with closing(sqlite3.connect(migrated.home / "promptuary.sqlite3")) as file:
            expected = _read_schema(file.cursor())
    assert_same_schema(tested, expected)


@pytest.mark.slow
@pytest.mark.dialect
def test_the_migrations_make_the_same_tables_one_after_the_other(transactional_db: None, tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        tested = _read_schema(cursor)
    with database_copies.empty_database(tmp_path):
        schema.migrate_in_steps()
        call_command("migrate", verbosity=0)  # finds that the squashed one is done
        with connection.cursor() as cursor:
            assert_same_schema(tested, _read_schema(cursor))


def assert_same_schema(tested: Schema, expected: Schema) -> None:
    """Fail with what only one of them has."""
    assert sum(map(len, expected.values())) > 100
    differences = {kind: sorted(set(tested[kind]) ^ set(expected[kind])) for kind in expected}
    assert not any(differences.values()), differences
    assert tested == expected


def _read_schema(cursor: Any) -> Schema:
    """Kind of object to its sorted definitions; `migrations` lists the applied ones."""
    if connection.vendor == "postgresql":
        rows = {kind: _fetch_rows(cursor, query) for kind, query in POSTGRESQL.items()}
    else:
        rows = {"objects": _fetch_rows(cursor, SQLITE)}
    rows["migrations"] = _fetch_rows(cursor, MIGRATIONS)
    return {kind: sorted(_sort_parts(" ".join(map(str, row))) for row in table) for kind, table in rows.items()}


def _fetch_rows(cursor: Any, query: str) -> list[Any]:
    cursor.execute(query)
    rows: list[Any] = cursor.fetchall()
    return rows


def _sort_parts(definition: str) -> str:
    """The definition with its columns, or the conditions of its trigger, in alphabetical order."""
    parts = re.split(r'(?:, | ?\()(?="\w+" [a-z]|CONSTRAINT )| AND |;', " ".join(definition.split()))
    return " | ".join(sorted(part.rstrip(") ") for part in parts))
