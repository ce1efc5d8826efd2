"""Rollouts: approved changes that go live for a growing share of callers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0040_nightly_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="Rollout",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("label", models.CharField(max_length=36)),
                ("salt", models.CharField(max_length=32)),
                ("steps", models.JSONField(help_text='[{"share": 500, "hours": 24}, …]; hours null: goes on by hand')),
                ("step", models.PositiveIntegerField(default=0, help_text="index of the step that is served now")),
                ("share", models.PositiveIntegerField()),
                (
                    "stop_rule",
                    models.JSONField(help_text="metric, replies, below, worse_than_stable; null: no rule", null=True),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("paused", "paused"),
                            ("stopped", "stopped"),
                            ("finished", "finished"),
                        ],
                        default="running",
                        max_length=16,
                    ),
                ),
                (
                    "next_at",
                    models.DateTimeField(
                        help_text="when the next step is due; null: by hand, paused or ended", null=True
                    ),
                ),
                ("reason", models.TextField(blank=True, default="", help_text="why it was paused or stopped")),
                ("figures", models.JSONField(help_text="the scores of both sides when it was stopped", null=True)),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "candidate",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                    ),
                ),
                (
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rollouts",
                        to="registry.changerequest",
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                    ),
                ),
                (
                    "stable",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rollouts", to="registry.template"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="label",
            name="rollout",
            field=models.OneToOneField(
                help_text="while it is divided",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.rollout",
            ),
        ),
        migrations.AddIndex(
            model_name="rollout",
            index=models.Index(fields=["state", "next_at"], name="rollout_by_due_time"),
        ),
        migrations.AddConstraint(
            model_name="rollout",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("running", "paused", "stopped", "finished"))),
                name="rollout_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="rollout",
            constraint=models.CheckConstraint(
                condition=models.Q(("share__gte", 1), ("share__lt", 10000)), name="rollout_share_is_a_part"
            ),
        ),
        migrations.AddConstraint(
            model_name="rollout",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ("running", "paused"))),
                fields=("template", "label"),
                name="rollout_once_a_label",
            ),
        ),
    ]
