"""The dataset whose row a run of the playground tried."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0051_former_names")]

    operations = [
        migrations.AddField(
            model_name="playgroundrun",
            name="dataset",
            field=models.CharField(
                blank=True,
                default="",
                help_text="whose row the inputs are; sample is the row's name then",
                max_length=520,
            ),
        ),
    ]
