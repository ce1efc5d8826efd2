"""What lists and search read: an entry for each template, counts, and the full-text index of each engine."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from registry.templates.search_entries import rebuild_entries

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


def add_index(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the full-text index."""
    for statement in _SQLITE if schema_editor.connection.vendor == "sqlite" else _POSTGRESQL:
        schema_editor.execute(statement, params=None)


def remove_index(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take it away; on PostgreSQL it goes with its table."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute(f"DROP TABLE {_FTS}", params=None)


def fill(apps: Apps, _schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Make the entries of the templates there are."""
    rebuild_entries(lambda name: apps.get_model("registry", name))


class Migration(migrations.Migration):
    dependencies = [("registry", "0023_connections")]

    operations = [
        migrations.RemoveField(model_name="template", name="words"),
        migrations.CreateModel(
            name="SearchCount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.namespace"
                    ),
                ),
                ("kind", models.CharField(max_length=16)),
                ("value", models.CharField(max_length=520)),
                (
                    "parent",
                    models.CharField(
                        blank=True, default="", help_text="of a folder: the folder it is in", max_length=520
                    ),
                ),
                ("count", models.IntegerField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["kind", "parent"], name="search_count_by_parent"),
                    models.Index(fields=["kind", "value"], name="search_count_by_value"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("namespace", "kind", "value"), name="search_count_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                # The short columns come first: SQLite reads a row up to the last column that it needs.
                (
                    "template",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="search_entry",
                        to="registry.template",
                    ),
                ),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.namespace"
                    ),
                ),
                (
                    "name",
                    models.CharField(help_text="the template's; sorted by code point", max_length=520, unique=True),
                ),
                ("is_archived", models.BooleanField(default=False)),
                ("facts", models.TextField(help_text="JSON: the values to filter by, a list for each kind")),
                ("facets", models.TextField(help_text="the same values as search terms, separated by spaces")),
                (
                    "words",
                    models.TextField(help_text="the search terms of the name and the latest text, separated by spaces"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("namespace", "is_archived", "name"), name="search_entry_by_namespace"
                    )
                ]
            },
        ),
        migrations.RunPython(add_index, remove_index),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
