from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0038_webhook_receivers"),
    ]

    operations = [
        migrations.AddField(
            model_name="watch",
            name="topics",
            field=models.CharField(
                blank=True,
                default="",
                help_text="with all: what of it, separated by commas; empty: everything",
                max_length=60,
            ),
        ),
    ]
