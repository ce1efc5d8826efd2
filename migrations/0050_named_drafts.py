"""A person can have several drafts of one template, all but the first with a name."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0049_person_language")]

    operations = [
        migrations.RemoveConstraint(model_name="draft", name="draft_once_unless_discarded"),
        migrations.AddField(
            model_name="draft",
            name="name",
            field=models.CharField(blank=True, default="", help_text="empty for the first draft", max_length=60),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                fields=["person", "namespace", "path", "name"],
                condition=models.Q(discarded_at=None),
                name="draft_once_unless_discarded",
            ),
        ),
    ]
