"""The rule that people without two-step sign-in can only read."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0045_judged_evaluations"),
    ]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="two_step_required",
            field=models.BooleanField(default=False, help_text="whether people without two-step sign-in can only read"),
        ),
    ]
