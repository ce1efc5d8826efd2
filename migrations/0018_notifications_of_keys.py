import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """A notification may be about a key that acts for the person, and then about no template."""

    dependencies = [
        ("registry", "0017_held_by_approval"),
    ]

    operations = [
        migrations.AddField(
            model_name="notification",
            name="key",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.key"
            ),
        ),
        migrations.AlterField(
            model_name="notification",
            name="template",
            field=models.ForeignKey(
                help_text="or a key",
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="registry.template",
            ),
        ),
    ]
