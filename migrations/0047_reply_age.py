"""Replies that are kept are deleted by age."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0046_two_step_required"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="reply",
            index=models.Index(fields=["created_at"], name="reply_by_age"),
        ),
    ]
