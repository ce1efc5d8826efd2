"""Roles in folders, and the highest that a member has in any."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("registry", "0058_conversation")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="folder_roles",
            field=models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text='where it is more than the role in the namespace: {"refunds": "reviewer"}',
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="highest_folder_role",
            field=models.CharField(
                blank=True,
                choices=[("reader", "reader"), ("author", "author"), ("reviewer", "reviewer"), ("admin", "admin")],
                db_default="",
                default="",
                help_text="the highest of folder_roles; empty where there are none",
                max_length=16,
            ),
        ),
        migrations.CreateModel(
            name="FolderRole",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("folder", models.CharField(help_text="inside the namespace, as in refunds/europe", max_length=460)),
                (
                    "role",
                    models.CharField(choices=[("author", "author"), ("reviewer", "reviewer")], max_length=16),
                ),
                (
                    "group",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="folder_roles",
                        to="registry.group",
                    ),
                ),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="folder_roles",
                        to="registry.namespace",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="folder_roles",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("person__isnull", False)),
                        fields=("namespace", "folder", "person"),
                        name="folder_role_of_person_once",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("group__isnull", False)),
                        fields=("namespace", "folder", "group"),
                        name="folder_role_of_group_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("group__isnull", True), ("person__isnull", False)),
                            models.Q(("group__isnull", False), ("person__isnull", True)),
                            _connector="OR",
                        ),
                        name="folder_role_of_one",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["author", "reviewer"])), name="folder_role_known"
                    ),
                ],
            },
        ),
    ]
