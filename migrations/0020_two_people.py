"""What versions took in, the rule about suggestions, and what closed requests were decided on."""

import django.db.models.deletion
from django.db import migrations, models

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [("registry", "0019_close_emergencies")]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="suggesters_may_approve",
            field=models.BooleanField(
                default=False, help_text="whether a person may approve a change that contains their suggestion"
            ),
        ),
        migrations.AddField(
            model_name="changerequest",
            name="decided",
            field=models.JSONField(
                help_text="what it was decided on, as registry.changes.checks.DecisionRecord has it", null=True
            ),
        ),
        migrations.CreateModel(
            name="Contribution",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "comment",
                    models.ForeignKey(
                        help_text="the suggestion that was applied",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.comment",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        help_text="the version that was merged",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="contributions",
                        to="registry.version",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(comment__isnull=False, source__isnull=True)
                        | models.Q(comment__isnull=True, source__isnull=False),
                        name="contribution_of_one_kind",
                    )
                ],
            },
        ),
        Immutable(),
    ]
