"""Releases: change requests of several templates that are published together."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from registry.journal.immutable_tables import Immutable


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0029_playground"),
    ]

    operations = [
        migrations.CreateModel(
            name="Release",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("label", models.CharField(max_length=36)),
                ("title", models.CharField(max_length=200)),
                ("description", models.TextField(blank=True, default="")),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "open"), ("published", "published"), ("withdrawn", "withdrawn")],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "rolled_back_at",
                    models.DateTimeField(help_text="when labels were rolled back together last", null=True),
                ),
                (
                    "key",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                    ),
                ),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="registry.namespace"
                    ),
                ),
                (
                    "opened_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="changerequest",
            name="release",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="members", to="registry.release"
            ),
        ),
        migrations.CreateModel(
            name="ReleaseComment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the release")),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "key",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "release",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="registry.release"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="release",
            index=models.Index(fields=["namespace", "-number"], name="release_by_namespace"),
        ),
        migrations.AddConstraint(
            model_name="release",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("open", "published", "withdrawn"))), name="release_state_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="releasecomment",
            constraint=models.UniqueConstraint(fields=("release", "number"), name="release_comment_number_once"),
        ),
        Immutable(),
    ]
