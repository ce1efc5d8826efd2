"""Improvements that models propose, and runs of texts that are no versions."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0059_folder_roles"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="draft_bundle",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="canonical JSON: that text with all it needs; empty once it was redacted",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="is_draft",
            field=models.BooleanField(
                db_default=False, default=False, help_text="whether a text is asked that is no version"
            ),
        ),
        migrations.CreateModel(
            name="Improvement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "model",
                    models.CharField(
                        help_text="the name of the connection, or the operator's of the model", max_length=64
                    ),
                ),
                ("model_digest", models.CharField(help_text="over what it is: its address and id", max_length=71)),
                ("guidance", models.TextField(blank=True, default="", help_text="the author's own words")),
                ("shown_rows", models.JSONField(default=list, help_text="indexes of the rows that the model is shown")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("asking", "asking"),
                            ("measuring", "measuring"),
                            ("failed", "failed"),
                            ("stopped", "stopped"),
                            ("taken", "taken"),
                            ("dismissed", "dismissed"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("calls", models.PositiveSmallIntegerField(default=0, help_text="how often the model was asked")),
                ("reply", models.TextField(blank=True, default="", help_text="the last one")),
                (
                    "problems_text",
                    models.TextField(default="[]", help_text="JSON: why the last reply could not be used"),
                ),
                ("document", models.TextField(blank=True, default="", help_text="the proposed text")),
                (
                    "bundle",
                    models.TextField(blank=True, default="", help_text="canonical JSON: that text with all it needs"),
                ),
                ("explanation", models.TextField(blank=True, default="")),
                (
                    "input_changes_text",
                    models.TextField(default="[]", help_text="JSON: how the inputs change, in the model's words"),
                ),
                (
                    "prompt_tokens",
                    models.PositiveIntegerField(default=0, help_text="of all calls, as they count as spent"),
                ),
                ("completion_tokens", models.PositiveIntegerField(default=0)),
                (
                    "cost",
                    models.DecimalField(
                        decimal_places=6, help_text="of the calls; null: no price", max_digits=14, null=True
                    ),
                ),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("error", models.TextField(blank=True, default="", help_text="why it failed")),
                (
                    "draft_name",
                    models.CharField(
                        blank=True, default="", help_text="the draft that it was taken into", max_length=60
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "measurement",
                    models.OneToOneField(
                        help_text="the figures after",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="measured_improvement",
                        to="registry.run",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="improvements",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        help_text="the template that asks the model",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        help_text="whose rows failed: the figures before",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="improvements",
                        to="registry.run",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["person", "run", "-id"], name="improvement_by_person")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ("queued", "asking", "measuring", "failed", "stopped", "taken", "dismissed"))
                        ),
                        name="improvement_state_known",
                    )
                ],
            },
        ),
    ]
