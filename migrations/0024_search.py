"""What lists and search read: an entry for each template, counts, and the full-text index of each engine."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from migrations._additions import add_search_index, remove_search_index
from registry.templates.search_entries import rebuild_entries


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
        migrations.RunPython(add_search_index, remove_search_index),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
