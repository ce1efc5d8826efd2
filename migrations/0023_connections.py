"""Connections to models, the spending caps of a namespace, and what was spent."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0022_checklist_closed_at"),
    ]

    operations = [
        migrations.CreateModel(
            name="SpendingCap",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "person_day",
                    models.DecimalField(
                        decimal_places=6,
                        help_text="of one person in a day (UTC); null: no cap",
                        max_digits=14,
                        null=True,
                    ),
                ),
                (
                    "namespace_month",
                    models.DecimalField(
                        decimal_places=6, help_text="of all in a month (UTC); null: no cap", max_digits=14, null=True
                    ),
                ),
                ("currency", models.CharField(default="USD", max_length=3)),
                (
                    "namespace",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="spending_cap",
                        to="registry.namespace",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Connection",
            fields=[
                ("id", models.CharField(max_length=8, primary_key=True, serialize=False)),
                (
                    "name",
                    models.CharField(help_text="what people choose it by; one of each in a namespace", max_length=64),
                ),
                (
                    "protocol",
                    models.CharField(
                        choices=[("openai", "openai"), ("responses", "responses"), ("anthropic", "anthropic")],
                        max_length=9,
                    ),
                ),
                ("base_url", models.CharField(help_text="up to and without the protocol's own path", max_length=2000)),
                ("model", models.CharField(help_text="the provider's id of the model", max_length=200)),
                (
                    "sealed_key",
                    models.TextField(default="", help_text="readable with the instance's secret key only; empty: none"),
                ),
                (
                    "has_key",
                    models.BooleanField(
                        default=False, help_text="whether it needs a key; true with none after a restore"
                    ),
                ),
                (
                    "prompt_price",
                    models.DecimalField(
                        decimal_places=6, help_text="of a million tokens; null: not known", max_digits=14, null=True
                    ),
                ),
                (
                    "completion_price",
                    models.DecimalField(
                        decimal_places=6, help_text="of a million tokens; null: not known", max_digits=14, null=True
                    ),
                ),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("timeout", models.PositiveSmallIntegerField(default=60, help_text="seconds a try")),
                (
                    "concurrency",
                    models.PositiveSmallIntegerField(default=4, help_text="calls at once of one evaluation run"),
                ),
                (
                    "per_second",
                    models.FloatField(help_text="most calls a second of one process; null: no limit", null=True),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="connections", to="registry.namespace"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("namespace", "name"), name="connection_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(("protocol__in", ("openai", "responses", "anthropic"))),
                        name="connection_protocol_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Spending",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "model",
                    models.CharField(
                        help_text="the name of the connection, or the operator's of the model", max_length=64
                    ),
                ),
                ("day", models.DateField(help_text="in UTC")),
                ("currency", models.CharField(max_length=3)),
                ("calls", models.PositiveIntegerField(default=0)),
                ("prompt_tokens", models.PositiveBigIntegerField(default=0)),
                ("completion_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.DecimalField(decimal_places=6, default=0, max_digits=14)),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="spending", to="registry.namespace"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "spending",
                "indexes": [models.Index(fields=["namespace", "day"], name="spending_by_day")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("namespace", "person", "model", "day", "currency"), name="spending_once"
                    )
                ],
            },
        ),
    ]
