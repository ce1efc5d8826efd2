"""The rollout that a change plans at its proposal."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0063_part_in_editor")]

    operations = [
        migrations.AddField(
            model_name="changerequest",
            name="planned_rollout",
            field=models.JSONField(
                help_text="steps and stop_rule of the rollout that publishing starts; null: it moves the label",
                null=True,
            ),
        ),
    ]
