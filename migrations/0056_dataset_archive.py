"""Since when a dataset is archived."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0055_approval_rules")]

    operations = [
        migrations.AddField(
            model_name="dataset",
            name="archived_at",
            field=models.DateTimeField(help_text="since when it is in no list; null for all others", null=True),
        ),
    ]
