"""Nightly runs of what is live."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0039_watch_topics"),
    ]

    operations = [
        migrations.AddField(
            model_name="attachment",
            name="nightly",
            field=models.BooleanField(default=False, help_text="whether what is live is measured every night"),
        ),
        migrations.AddField(
            model_name="run",
            name="evaluation",
            field=models.CharField(
                blank=True, default="", help_text="the name of the evaluation that a nightly run is of", max_length=64
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="night",
            field=models.DateField(help_text="the day (UTC) that a nightly run is for; null for all others", null=True),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("template", "evaluation", "night"), name="run_once_a_night"),
        ),
    ]
