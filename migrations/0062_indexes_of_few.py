"""Indexes of the few among many: changes published in an emergency and never approved, and archived templates."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0061_runs_by_night")]

    operations = [
        migrations.AddIndex(
            model_name="changerequest",
            index=models.Index(condition=models.Q(unreviewed=True), fields=["number"], name="change_unreviewed"),
        ),
        migrations.AddIndex(
            model_name="searchentry",
            index=models.Index(fields=["is_archived", "name"], name="search_entry_by_name"),
        ),
    ]
