"""Later texts of comments on releases, and their deletion."""

import django.db.models.deletion
from django.db import migrations, models

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [("registry", "0064_planned_rollouts")]

    operations = [
        migrations.CreateModel(
            name="ReleaseCommentRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("comment", models.PositiveIntegerField(help_text="its number within the release")),
                ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")),
                ("text", models.TextField(blank=True, default="")),
                ("is_deleted", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="comment_revisions",
                        to="registry.release",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("release", "comment", "number"), name="release_comment_revision_once"
                    )
                ],
            },
        ),
        Immutable(),
    ]
