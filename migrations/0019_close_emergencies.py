"""When an emergency that its label no longer serves was closed without an approval."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0018_notifications_of_keys")]

    operations = [
        migrations.AddField(
            model_name="changerequest",
            name="emergency_closed_at",
            field=models.DateTimeField(
                null=True, help_text="when an emergency that is served no longer was closed without an approval"
            ),
        ),
    ]
