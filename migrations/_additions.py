"""What the migrations add beside single models: the full-text index, the cache's table, and many models at once."""

from collections.abc import Sequence

from django.apps.registry import Apps
from django.core.management import call_command
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.models import CreateModel
from django.db.migrations.state import ProjectState

__all__ = ["CreateModels", "add_cache_table", "add_search_index", "remove_cache_table", "remove_search_index"]

_CACHE_TABLE = "promptuary_cache"
_FTS = "registry_searchentry_fts"
_DELETE = f"INSERT INTO {_FTS}({_FTS}, rowid, facets, words) VALUES ('delete', OLD.id, OLD.facets, OLD.words);"
_INSERT = f"INSERT INTO {_FTS}(rowid, facets, words) VALUES (NEW.id, NEW.facets, NEW.words);"
_SQLITE = [
    # The terms come ready made, so `prefix` and the tokenizer have little to do: see registry.templates.search_terms.
    f"CREATE VIRTUAL TABLE {_FTS} USING fts5(facets, words, content='registry_searchentry', content_rowid='id', "
    "detail='none', columnsize=0, tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\", "
    "prefix='1 2 3 4 5 6 7 8 9 10')",
    f"CREATE TRIGGER registry_searchentry_added AFTER INSERT ON registry_searchentry BEGIN {_INSERT} END",
    f"CREATE TRIGGER registry_searchentry_removed AFTER DELETE ON registry_searchentry BEGIN {_DELETE} END",
    "CREATE TRIGGER registry_searchentry_changed AFTER UPDATE OF facets, words ON registry_searchentry "
    f"BEGIN {_DELETE} {_INSERT} END",
]
_POSTGRESQL = [
    'ALTER TABLE registry_searchentry ALTER COLUMN name TYPE varchar(520) COLLATE "C"',
    "ALTER TABLE registry_searchentry ADD COLUMN vector tsvector GENERATED ALWAYS AS "
    "(array_to_tsvector(string_to_array(facets || ' ' || words, ' '))) STORED",
    "CREATE INDEX registry_searchentry_vector ON registry_searchentry USING gin (vector)",
]


def add_search_index(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the full-text index over the table of search entries."""
    for statement in _SQLITE if schema_editor.connection.vendor == "sqlite" else _POSTGRESQL:
        schema_editor.execute(statement, params=None)


def remove_search_index(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take it away; on PostgreSQL it goes with its table."""
    if schema_editor.connection.vendor == "sqlite":
        for occasion in ("added", "removed", "changed"):
            schema_editor.execute(f"DROP TRIGGER registry_searchentry_{occasion}", params=None)
        schema_editor.execute(f"DROP TABLE {_FTS}", params=None)


def add_cache_table(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the table of the shared cache: failed sign-ins and used codes, on which all processes have to agree."""
    call_command("createcachetable", _CACHE_TABLE, database=schema_editor.connection.alias, verbosity=0)


def remove_cache_table(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take it away."""
    schema_editor.execute(f"DROP TABLE IF EXISTS {_CACHE_TABLE}")


class CreateModels(Operation):
    """Make the tables of several models that refer to each other.

    operations: a `CreateModel` each, after those of the models that it refers to. As operations of the migration itself
    they take 3.7 s for 67 models, here 0.6: Django renders the models around a new one again with each of them.
    """

    reversible = True

    def __init__(self, operations: Sequence[CreateModel]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # a cached property: the models as they are rendered
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        for operation in reversed(self.operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Create {len(self.operations)} models"
