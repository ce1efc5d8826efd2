"""What the documents of a namespace must meet when they are saved."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0025_draft_revisions")]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="standards",
            field=models.JSONField(
                default=dict,
                help_text='what documents must meet when they are saved: {"samples": {"severity": "warning"}}',
            ),
        ),
    ]
