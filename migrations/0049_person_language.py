"""A person chooses the language of their pages and mails."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0048_flat_lists"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(
                blank=True,
                default="",
                help_text="of pages and mails: a code such as de; empty: as the browser asks",
                max_length=8,
            ),
        ),
    ]
