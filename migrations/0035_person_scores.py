"""Scores by people, and those that gates counted."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0034_idempotency"),
    ]

    operations = [
        migrations.AddField(
            model_name="attachment",
            name="scores_needed",
            field=models.PositiveIntegerField(
                default=20, help_text="scores by people that a gate on them is decided from"
            ),
        ),
        migrations.CreateModel(
            name="CountedScores",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("evaluation", models.CharField(help_text="the name of the attached evaluation", max_length=64)),
                ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the request and its evaluation")),
                (
                    "run",
                    models.PositiveBigIntegerField(
                        help_text="the number of the run, which a restore does not bring back"
                    ),
                ),
                ("rows_digest", models.CharField(max_length=71)),
                ("model_digest", models.CharField(max_length=71)),
                ("digest", models.CharField(help_text="sha256:… over the text", max_length=71)),
                ("text", models.TextField(help_text="canonical JSON: [[row's index, username, score]]")),
                ("created_at", models.DateTimeField()),
                (
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="counted_scores",
                        to="registry.changerequest",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        help_text="the head then",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "counted scores",
                "constraints": [
                    models.UniqueConstraint(fields=("change", "evaluation", "number"), name="counted_scores_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="PersonScore",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("index", models.PositiveIntegerField(help_text="the row's place in the dataset, from 0")),
                (
                    "score",
                    models.CharField(
                        choices=[
                            ("bad", "bad"),
                            ("good", "good"),
                            ("1", "1"),
                            ("2", "2"),
                            ("3", "3"),
                            ("4", "4"),
                            ("5", "5"),
                        ],
                        max_length=4,
                    ),
                ),
                ("comment", models.TextField(blank=True, default="")),
                (
                    "by_key",
                    models.BooleanField(default=False, help_text="given through a key, so that no gate counts it"),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="person_scores", to="registry.run"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("run", "index", "person"), name="person_score_once")],
            },
        ),
        Immutable(),
    ]
