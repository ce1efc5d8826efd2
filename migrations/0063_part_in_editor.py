"""The part that somebody edits, beside who has a template open in the editor."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0062_indexes_of_few")]

    operations = [
        migrations.AddField(
            model_name="editorpresence",
            name="part",
            field=models.CharField(
                blank=True, db_default="", default="", help_text="the part with the cursor", max_length=200
            ),
        ),
    ]
