"""Indexes for lists of few among many: open releases, rollouts of a month, undelivered messages, a key's fetches."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0067_folder_layout")]

    operations = [
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["webhook", "state", "finished_at"], name="delivery_by_state"),
        ),
        migrations.AddIndex(
            model_name="release",
            index=models.Index(fields=["state", "-number"], name="release_by_state"),
        ),
        migrations.AddIndex(
            model_name="rollout",
            index=models.Index(fields=["state", "ended_at"], name="rollout_by_end"),
        ),
        migrations.AddIndex(
            model_name="rollout",
            index=models.Index(fields=["created_at"], name="rollout_by_start"),
        ),
        migrations.AddIndex(
            model_name="fetch",
            index=models.Index(fields=["key", "day"], name="fetch_by_key"),
        ),
        migrations.AlterField(  # the index by key and day serves for it
            model_name="fetch",
            name="key",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="fetches",
                to="registry.key",
            ),
        ),
    ]
