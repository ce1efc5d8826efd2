"""What is live and fails its evaluation."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0041_rollouts"),
    ]

    operations = [
        migrations.CreateModel(
            name="LiveFailure",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("evaluation", models.CharField(help_text="the name of the attached evaluation", max_length=64)),
                ("label", models.CharField(help_text="the label that served the version", max_length=64)),
                (
                    "run",
                    models.PositiveBigIntegerField(
                        help_text="the number of the run, which a restore does not bring back"
                    ),
                ),
                ("findings", models.JSONField(default=list, help_text='["squad_f1 >= 0.8: 0.41"]')),
                ("since", models.DateTimeField()),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="live_failures",
                        to="registry.template",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("template", "evaluation"), name="live_failure_once")],
            },
        ),
    ]
