"""Each person's pair of labels on Environments is kept with their account, so that every browser has it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0053_groups")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="promotion_source",
            field=models.CharField(
                blank=True,
                default="",
                help_text="the label that Environments promotes from; empty: not chosen",
                max_length=36,
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="promotion_target",
            field=models.CharField(
                blank=True,
                default="",
                help_text="the label that Environments promotes to; empty: not chosen",
                max_length=36,
            ),
        ),
    ]
