"""Scores of replies, and how many renderings lost text to the token limit."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0031_own_account"),
    ]

    operations = [
        migrations.AddField(
            model_name="report",
            name="cut",
            field=models.PositiveBigIntegerField(
                default=0, help_text="of these, how many lost text to the token limit"
            ),
        ),
        migrations.CreateModel(
            name="Outcome",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("by_person", models.BooleanField()),
                ("trace_id", models.CharField(help_text="the caller's, or empty", max_length=100)),
                (
                    "bucket",
                    models.CharField(
                        help_text="the start of the SHA-256 of the caller's bucket, or empty", max_length=32
                    ),
                ),
                ("value", models.FloatField()),
                ("day", models.DateField(help_text="whose total the value is in")),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="outcomes", to="registry.version"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["day"], name="outcome_by_day")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("trace_id", ""), _negated=True),
                        fields=("version", "name", "by_person", "trace_id"),
                        name="outcome_once_a_trace",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="OutcomeTotal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="of the score: `helpful`", max_length=60)),
                (
                    "by_person",
                    models.BooleanField(help_text="reported by somebody signed in, not by a service with its key"),
                ),
                ("day", models.DateField()),
                ("count", models.PositiveBigIntegerField(default=0)),
                ("total", models.FloatField(default=0.0, help_text="sum of the values")),
                ("squares", models.FloatField(default=0.0, help_text="sum of the squared values")),
                ("graded", models.PositiveBigIntegerField(default=0, help_text="how many values are neither 0 nor 1")),
                ("last_at", models.DateTimeField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="outcome_totals",
                        to="registry.version",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "name", "by_person", "day"), name="outcome_total_once_a_day"
                    )
                ],
            },
        ),
    ]
