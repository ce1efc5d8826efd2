"""Evaluations of change requests whose rows a judge reads."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0044_key_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="attachment",
            name="judge",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="judging_evaluations",
                to="registry.version",
            ),
        ),
        migrations.AddField(
            model_name="attachment",
            name="judge_model",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.AddField(
            model_name="attachment",
            name="judge_paths",
            field=models.JSONField(default=dict, help_text="where in a row the judge finds what it reads"),
        ),
    ]
