"""Roles in folders, and what a member is at most anywhere in the namespace."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.state import StateApps


def write_highest_roles(apps: StateApps, _schema_editor: object) -> None:
    """Every role until now is one in the whole namespace."""
    apps.get_model("registry", "Membership").objects.update(highest_role=models.F("role"))


class Migration(migrations.Migration):
    dependencies = [("registry", "0058_conversation")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="folder_roles",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text='where it is more than the role in the namespace: {"refunds": "reviewer"}',
            ),
        ),
        migrations.AddField(
            model_name="membership",
            name="highest_role",
            field=models.CharField(
                choices=[("reader", "reader"), ("author", "author"), ("reviewer", "reviewer"), ("admin", "admin")],
                default="reader",
                help_text="of the role in the namespace and those in its folders",
                max_length=16,
            ),
        ),
        migrations.RunPython(write_highest_roles, migrations.RunPython.noop),
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
