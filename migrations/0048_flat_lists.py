"""Indexes of the lists that grow with the history: events, label moves, changes, jobs and runs."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0047_reply_age")]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["namespace", "kind", "-number"], name="event_by_kind"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["namespace", "person", "-number"], name="event_by_person"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["namespace", "-at", "-number"], name="event_by_time"),
        ),
        migrations.AddIndex(
            model_name="event",
            index=models.Index(fields=["namespace", "key", "-number"], name="event_by_key"),
        ),
        migrations.AddIndex(
            model_name="labelmove",
            index=models.Index(condition=models.Q(protected=True), fields=["-created_at"], name="label_move_protected"),
        ),
        migrations.AddIndex(
            model_name="changerequest",
            index=models.Index(
                condition=models.Q(unreviewed=True, emergency_closed_at=None),
                fields=["-number"],
                name="change_in_emergency",
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["kind", "-id"], name="job_by_kind"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["state", "-id"], name="run_by_state"),
        ),
    ]
