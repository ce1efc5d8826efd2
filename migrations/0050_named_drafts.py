"""Several drafts of one template, all but the first with a name, which can be shared by link; and who is in the editor."""

import django.db.models.deletion
from django.conf import settings
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
        migrations.AddField(
            model_name="draft",
            name="share_token",
            field=models.CharField(blank=True, default="", help_text="the end of its link", max_length=43),
        ),
        migrations.AddField(model_name="draft", name="shared_at", field=models.DateTimeField(null=True)),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                fields=["person", "namespace", "path", "name"],
                condition=models.Q(discarded_at=None),
                name="draft_once_unless_discarded",
            ),
        ),
        migrations.AddConstraint(
            model_name="draft",
            constraint=models.UniqueConstraint(
                fields=["share_token"], condition=~models.Q(share_token=""), name="draft_share_token_once"
            ),
        ),
        migrations.CreateModel(
            name="EditorPresence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("tab", models.CharField(help_text="a random number that the page made", max_length=32)),
                ("seen_at", models.DateTimeField()),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "template",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.template"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("person", "tab"), name="editor_presence_once")],
            },
        ),
    ]
