"""Who was asked for a review of a change, and later texts of comments."""

import django.db.models.deletion
from django.db import migrations, models

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [("registry", "0057_decisions_taken_back")]

    operations = [
        migrations.AddField(
            model_name="changerequest",
            name="asked",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="username of a reviewer to by (a username) and at",
            ),
        ),
        migrations.CreateModel(
            name="CommentRevision",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("thread", models.PositiveIntegerField(help_text="its number, 0 for the words of a decision")),
                ("comment", models.PositiveIntegerField(help_text="its number in the thread, or that of the decision")),
                ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")),
                ("text", models.TextField(blank=True, default="")),
                ("is_deleted", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField()),
                (
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="revisions",
                        to="registry.changerequest",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("change", "thread", "comment", "number"), name="comment_revision_once"
                    )
                ],
            },
        ),
        Immutable(),
    ]
