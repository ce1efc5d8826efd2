"""A digest over the inputs and expectations of a dataset's version, which runs over different versions are compared by.

It is worked out here for the versions there are, not when it is first asked for: these rows never change, so a read
can't fill it in, and a run's comparable runs are looked for by it. Hashing takes about as long as reading the texts.
"""

import json

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from promptuary.evaluation.datasets import Row, digest_contents
from registry.journal.immutable_tables import Immutable, remove_triggers

_BATCH = 20  # versions that are held in memory at once, of up to 8 MiB each


def let_change(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take the table's triggers away, which `Immutable` writes again."""
    remove_triggers(schema_editor, ["registry_datasetversion"])


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give each version its digest."""
    versions = apps.get_model("registry", "DatasetVersion").objects.using(schema_editor.connection.alias)
    last = 0
    while batch := list(versions.filter(pk__gt=last).order_by("pk").values_list("pk", "text")[:_BATCH]):
        for number, text in batch:
            rows = (Row.from_dict(json.loads(line)) for line in text.split("\n") if line)
            versions.filter(pk=number).update(content_digest=digest_contents(rows))
        last = batch[-1][0]


class Migration(migrations.Migration):
    dependencies = [("registry", "0065_release_comment_revisions")]

    operations = [
        migrations.RunPython(let_change, migrations.RunPython.noop),
        migrations.AddField(
            model_name="datasetversion",
            name="content_digest",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="sha256:… over inputs and expectations alone; empty where an earlier release wrote the version",
                max_length=71,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="datasetversion",
            index=models.Index(fields=["content_digest", "digest"], name="dataset_version_by_content"),
        ),
        migrations.AlterField(
            model_name="run",
            name="rows_digest",
            field=models.CharField(help_text="of the rows, with their names and tags", max_length=71),
        ),
        Immutable(),
    ]
