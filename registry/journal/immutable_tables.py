"""Triggers that make rows immutable in the database itself, whatever code attempts a change.

One function creates them for both databases. A migration that creates or alters one of the tables ends with
`Immutable()`, because SQLite drops a table's triggers when it recreates the table; a system check reports missing ones.

Only one change is allowed: the text of a version with a row in `registry_redaction` may be replaced by the tombstone of
`TOMBSTONES`, and so may the details of its verdicts; every other column must stay the same. (A migration that recreates
`registry_redaction` has to remove the triggers of these tables first: SQLite can't rename a table that a trigger
elsewhere refers to.)
"""

# no texts here: operators read it

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

__all__ = [
    "TABLES",
    "TOMBSTONES",
    "Immutable",
    "Tombstone",
    "check_triggers",
    "install_triggers",
    "list_missing_triggers",
    "remove_triggers",
]

TABLES = {  # each with its primary key
    "registry_version": "id",
    "registry_event": "number",
    "registry_decision": "id",
    "registry_labelmove": "id",
    "registry_sampleset": "id",
    "registry_comment": "id",
    "registry_commentrevision": "id",
    "registry_contribution": "id",
    "registry_verdict": "id",
    "registry_countedscores": "id",
    "registry_redaction": "id",
    "registry_datasetversion": "id",
    "registry_releasecomment": "id",
    "registry_releasecommentrevision": "id",
}


@dataclass(frozen=True)
class Tombstone:
    """The texts that a redaction leaves in a row's columns. `version` is the column with the version's id."""

    version: str
    texts: Mapping[str, str]


TOMBSTONES = {
    "registry_version": Tombstone("id", {"bundle": '{"redacted":true}', "settings": "{}", "problems": "[]"}),
    "registry_verdict": Tombstone("version_id", {"details": "[]"}),
}
_FUNCTION = "promptuary_refuse_change"
_REDACTIONS = "registry_redaction"


def install_triggers(schema_editor: BaseDatabaseSchemaEditor, tables: Iterable[str] = TABLES) -> None:
    """Create the triggers of those tables that exist, replacing existing ones."""
    connection = schema_editor.connection
    present = set(connection.introspection.table_names())
    if connection.vendor == "postgresql":
        schema_editor.execute(_POSTGRESQL_FUNCTION, params=None)
    for table in tables:
        if table in present:
            tombstone = TOMBSTONES.get(table) if _REDACTIONS in present else None
            kept_columns = _list_kept_columns(connection, table, tombstone) if tombstone else []
            for statement in _write_statements(connection.vendor, table, tombstone, kept_columns):
                schema_editor.execute(statement, params=None)


def remove_triggers(schema_editor: BaseDatabaseSchemaEditor, tables: Iterable[str] = TABLES) -> None:
    """Remove the triggers, for a reversed migration."""
    present = set(schema_editor.connection.introspection.table_names())
    for table in tables:
        if table in present:
            for name in _list_trigger_names(schema_editor.connection.vendor, table):
                place = f" ON {table}" if schema_editor.connection.vendor == "postgresql" else ""
                schema_editor.execute(f"DROP TRIGGER IF EXISTS {name}{place}", params=None)


def list_missing_triggers(connection: BaseDatabaseWrapper) -> list[str]:
    """The names of triggers that existing tables lack."""
    present = set(connection.introspection.table_names())
    query = (
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled IN ('O', 'A')"
        if connection.vendor == "postgresql"
        else "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        installed = {row[0] for row in cursor.fetchall()}
    trigger_names = [
        name for table in TABLES if table in present for name in _list_trigger_names(connection.vendor, table)
    ]
    return [name for name in trigger_names if name not in installed]


def check_triggers(databases: Sequence[str] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """The system check: an error for each trigger missing in the checked databases."""
    return [
        Error(
            f"The trigger {name} is missing, so rows that must never change could be changed.",
            hint="End the migration that touched its table with registry.journal.immutable_tables.Immutable().",
            id="registry.E001",
        )
        for alias in databases or ()
        for name in list_missing_triggers(connections[alias])
    ]


class Immutable(Operation):
    """The last operation of each migration that creates or alters one of the tables."""

    reduces_to_sql = False
    reversible = True
    atomic = True

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        pass  # triggers aren't part of the models' state

    def database_forwards(
        self,
        _app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        _from_state: ProjectState,
        _to_state: ProjectState,
    ) -> None:
        install_triggers(schema_editor)

    def database_backwards(
        self,
        _app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        _from_state: ProjectState,
        _to_state: ProjectState,
    ) -> None:
        remove_triggers(schema_editor)

    def describe(self) -> str:
        return "Write the triggers that keep versions, events, decisions and what else is lasting as they are"


def _list_trigger_names(vendor: str, table: str) -> list[str]:
    actions = ["update", "delete", "truncate" if vendor == "postgresql" else "replace"]
    return [f"{table}_refuses_{action}" for action in actions]


def _list_kept_columns(connection: BaseDatabaseWrapper, table: str, tombstone: Tombstone) -> list[str]:
    """The columns that a redaction leaves as they are."""
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, table)
    return [column.name for column in columns if column.name not in tombstone.texts]


_POSTGRESQL_FUNCTION = f"""
CREATE OR REPLACE FUNCTION {_FUNCTION}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% keeps its rows for ever: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""


def _write_statements(vendor: str, table: str, tombstone: Tombstone | None, kept_columns: Sequence[str]) -> list[str]:
    update, delete, third = _list_trigger_names(vendor, table)
    drop = [f"DROP TRIGGER IF EXISTS {name}" for name in (update, delete, third)]
    if vendor == "postgresql":
        guard, functions = _FUNCTION, []
        if tombstone:
            guard = f"{table}_redacts_only"
            functions = [_write_postgresql_guard(guard, tombstone, kept_columns)]
        return [
            *functions,
            *(f"{statement} ON {table}" for statement in drop),
            f"CREATE TRIGGER {update} BEFORE UPDATE ON {table} FOR EACH ROW EXECUTE FUNCTION {guard}()",
            f"CREATE TRIGGER {delete} BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {_FUNCTION}()",
            f"CREATE TRIGGER {third} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {_FUNCTION}()",
        ]
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} keeps its rows for ever'); END"
    key = TABLES[table]
    condition = f"EXISTS (SELECT 1 FROM {table} AS old WHERE old.{key} = NEW.{key})"  # noqa: S608  # constant names
    unless = f"WHEN NOT ({_write_condition(tombstone, kept_columns, 'IS')}) " if tombstone else ""
    return [
        *drop,
        f"CREATE TRIGGER {update} BEFORE UPDATE ON {table} {unless}{refuse}",
        f"CREATE TRIGGER {delete} BEFORE DELETE ON {table} {refuse}",
        # INSERT OR REPLACE deletes without calling the trigger above.
        f"CREATE TRIGGER {third} BEFORE INSERT ON {table} WHEN {condition} {refuse}",
    ]


def _write_condition(tombstone: Tombstone, kept_columns: Sequence[str], same: str) -> str:
    """The condition of an allowed update: the tombstone's texts, all else unchanged, and an existing redaction."""
    parts = [f"NEW.{column} = '{text}'" for column, text in tombstone.texts.items()]
    parts += [f'NEW."{column}" {same} OLD."{column}"' for column in kept_columns]
    column = tombstone.version
    redaction = f"SELECT 1 FROM {_REDACTIONS} AS r WHERE r.version_id = OLD.{column}"  # noqa: S608  # constant
    return " AND ".join([*parts, f"EXISTS ({redaction})"])


def _write_postgresql_guard(name: str, tombstone: Tombstone, kept_columns: Sequence[str]) -> str:
    return f"""
CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF {_write_condition(tombstone, kept_columns, "IS NOT DISTINCT FROM")} THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% keeps its rows for ever: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$
"""
