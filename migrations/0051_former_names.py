"""Former names of templates, and which of them a fetch asked for."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0050_named_drafts")]

    operations = [
        migrations.CreateModel(
            name="FormerName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(
                        help_text="with the namespace: support/refunds/reply", max_length=520, unique=True
                    ),
                ),
                ("renamed_at", models.DateTimeField()),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="former_names",
                        to="registry.template",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="template",
            name="renamed_at",
            field=models.DateTimeField(help_text="last; null: it has no former name", null=True),
        ),
        migrations.RemoveConstraint(model_name="fetch", name="fetch_once_a_day"),
        migrations.AddField(
            model_name="fetch",
            name="former_name",
            field=models.CharField(
                blank=True, default="", help_text="the former name it was asked by, or empty", max_length=520
            ),
        ),
        migrations.AddConstraint(
            model_name="fetch",
            constraint=models.UniqueConstraint(
                fields=("version", "day", "key", "ref", "former_name"), name="fetch_once_a_day"
            ),
        ),
    ]
