"""The networks that a key may be used from."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0043_bookmarks"),
    ]

    operations = [
        migrations.AddField(
            model_name="key",
            name="addresses",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text='the only networks it is used from: ["203.0.113.0/24"]; none: any',
            ),
        ),
    ]
