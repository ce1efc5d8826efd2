"""Drafts count their writes, and discarded ones can be restored for a while."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0024_search")]

    operations = [
        migrations.RemoveConstraint(model_name="draft", name="draft_once"),
        migrations.AddField(model_name="draft", name="revision", field=models.PositiveIntegerField(default=1)),
        migrations.AddField(model_name="draft", name="discarded_at", field=models.DateTimeField(null=True)),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                fields=["person", "namespace", "path"],
                condition=models.Q(discarded_at=None),
                name="draft_once_unless_discarded",
            ),
        ),
    ]
