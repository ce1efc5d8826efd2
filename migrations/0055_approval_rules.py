"""Approvals that changes of some labels and folders need, also from groups."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0054_promotion_pair")]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="approval_rules",
            field=models.JSONField(
                default=list,
                help_text='[{"label": "production", "folder": "refunds", "approvals": 2, "groups": ["legal"]}]',
            ),
        ),
    ]
