"""Time zones of people, and addresses that nobody confirmed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0030_releases"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="time_zone",
            field=models.CharField(blank=True, default="", help_text="an IANA name; empty: UTC", max_length=64),
        ),
        migrations.AddField(
            model_name="user",
            name="is_address_unproven",
            field=models.BooleanField(
                default=False, help_text="whether the address was typed by its person and never confirmed by mail"
            ),
        ),
    ]
