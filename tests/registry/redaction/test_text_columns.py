"""The list of columns that can contain a template's text covers every text column of the database."""

import pytest
from django.apps import apps
from django.db import connection, models

from registry.journal.immutable_tables import TABLES
from registry.redaction.column_contents import Holds
from registry.redaction.text_columns import COLUMNS
from registry.redaction.text_stores import STORES
from registry.templates.search_engine import INDEX_TABLE

pytestmark = pytest.mark.dialect

TEXT = (models.CharField, models.TextField, models.JSONField, models.BinaryField)
KEPT_BY_TRIGGERS = {
    ("registry_version", "bundle"),
    ("registry_version", "settings"),
    ("registry_version", "problems"),
} | {("registry_verdict", "details")}


def columns_of_models():
    return {
        (model._meta.db_table, field.column)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
        if isinstance(field, TEXT)
    }


def listed():
    return {(table, column) for table, columns in COLUMNS.items() for column in columns}


def test_every_text_column_of_every_model_is_listed():
    assert columns_of_models() - listed() == set(), "say in registry.redaction.text_columns what it can hold"


@pytest.mark.django_db
def test_every_text_column_of_the_database_itself_is_listed():
    found = set()
    with connection.cursor() as cursor:
        tables = [name for name in connection.introspection.table_names(cursor) if not name.startswith(INDEX_TABLE)]
        for table in tables:
            for column in connection.introspection.get_table_description(cursor, table):
                if column.name == "vector":  # PostgreSQL's index of the columns beside it, made by itself
                    continue
                kind = str(connection.introspection.get_field_type(column.type_code, column))
                if kind in ("CharField", "TextField", "JSONField", "BinaryField"):
                    found.add((table, column.name))
    relations = {
        (model._meta.db_table, field.column)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.local_concrete_fields
        if field.is_relation
    }
    assert found - listed() - relations == set()
    addresses = {  # text on SQLite, a separate type on PostgreSQL
        (model._meta.db_table, field.column)
        for model in apps.get_models()
        for field in model._meta.local_concrete_fields
        if isinstance(field, models.GenericIPAddressField)
    }
    cache = {("promptuary_cache", column) for column in COLUMNS["promptuary_cache"]}
    assert listed() - found <= cache | addresses


def test_permanent_columns_are_removed_by_a_tombstone_only():
    removed = {
        (table, column)
        for table, columns in COLUMNS.items()
        for column, what in columns.items()
        if what in (Holds.REMOVED, Holds.BLANKED) and table in TABLES
    }
    assert removed == KEPT_BY_TRIGGERS


def test_each_store_outside_the_database_says_what_happens_there():
    assert all(store.redaction for store in STORES)
    assert len({store.name for store in STORES}) == len(STORES)
