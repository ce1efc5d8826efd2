"""Rows that nothing may change: triggers in the database itself, behind whatever code there is.

One function writes them for both databases. A migration that makes or alters one of the tables ends with
`Immutable()`, because SQLite drops a table's triggers when it makes the table anew; a system check names what is missing.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

__all__ = ["TABLES", "Immutable", "check_triggers", "install", "missing", "remove"]

TABLES = {  # each with its primary key
    "registry_version": "id",
    "registry_event": "number",
    "registry_decision": "id",
    "registry_labelmove": "id",
    "registry_sampleset": "id",
    "registry_comment": "id",
    "registry_verdict": "id",
    "registry_datasetversion": "id",
}
_FUNCTION = "promptuary_refuse_change"


def install(schema_editor: BaseDatabaseSchemaEditor, tables: Iterable[str] = TABLES) -> None:
    """Write the triggers of those tables that exist, in place of the ones that are there."""
    connection = schema_editor.connection
    present = set(connection.introspection.table_names())
    if connection.vendor == "postgresql":
        schema_editor.execute(_POSTGRESQL_FUNCTION, params=None)
    for table in tables:
        if table in present:
            for statement in _statements(connection.vendor, table):
                schema_editor.execute(statement, params=None)


def remove(schema_editor: BaseDatabaseSchemaEditor, tables: Iterable[str] = TABLES) -> None:
    """Take the triggers away, for a migration that goes back."""
    present = set(schema_editor.connection.introspection.table_names())
    for table in tables:
        if table in present:
            for name in _names(schema_editor.connection.vendor, table):
                place = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
                schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}{place}", params=None)


def missing(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of triggers that should stand on existing tables and don't."""
    present = set(connection.introspection.table_names())
    query = (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        found = {row[0] for row in cursor.fetchall()}
    wanted = [name for table in TABLES if table in present for name in _names(connection.vendor, table)]
    return [name for name in wanted if name not in found]


def check_triggers(databases: Sequence[str] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """The system check: an error for each trigger that is absent from a database asked about."""
    return [
        Error(
            f"The trigger {name} is missing, so rows that must never change could be changed.",
            hint="End the migration that touched its table with registry.immutability.Immutable().",
            id="registry.E001",
        )
        for alias in databases or ()
        for name in missing(connections[alias])
    ]


class Immutable(Operation):
    """The last operation of each migration that makes or alters one of the tables."""

    reduces_to_sql = False
    reversible = True
    atomic = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass  # triggers are no part of the models' state

    def database_forwards(
        self,
        _app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        _from_state: ProjectState,
        _to_state: ProjectState,
    ) -> None:
        install(schema_editor)

    def database_backwards(
        self,
        _app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        _from_state: ProjectState,
        _to_state: ProjectState,
    ) -> None:
        remove(schema_editor)

    def describe(self) -> str:
        return "Write the triggers that keep versions, events, decisions and what else is lasting as they are"


def _names(vendor: str, table: str) -> list[str]:
    actions = ["update", "delete", "truncate" if vendor == "postgresql" else "replace"]
    return [f"{table}_refuses_{action}" for action in actions]


_POSTGRESQL_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps its rows for ever: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""


def _statements(vendor: str, table: str) -> list[str]:
    update, delete, third = _names(vendor, table)
    drop = [f"DROP TRIGGER IF EXISTS {name}" for name in (update, delete, third)]
    if vendor == "postgresql":
        return [
            *(f"{statement} ON {table}" for statement in drop),
            f"CREATE TRIGGER {update} BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()",
            f"CREATE TRIGGER {delete} BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()",
            f"CREATE TRIGGER {third} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}()",
        ]
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} keeps its rows for ever'); END"
    key = TABLES[table]
    taken = f"EXISTS (SELECT 1 FROM {table} AS old WHERE old.{key} = NEW.{key})"  # noqa: S608  # constant names
    return [
        *drop,
        f"CREATE TRIGGER {update} BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {delete} BEFORE DELETE ON {table} {refuse}",
        # INSERT OR REPLACE deletes without calling the trigger above.
        f"CREATE TRIGGER {third} BEFORE INSERT ON {table} WHEN {taken} {refuse}",
    ]
