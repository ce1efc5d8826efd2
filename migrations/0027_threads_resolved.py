"""The rule that all threads of a request are resolved before it is published."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0026_standards")]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="threads_resolved",
            field=models.BooleanField(
                default=False, help_text="whether every thread of a request must be resolved before it is published"
            ),
        ),
    ]
