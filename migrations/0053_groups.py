"""Groups of people, and the role that a person has of their own beside those of their groups."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.migrations.state import StateApps


def keep_own_roles(apps: StateApps, _schema_editor: object) -> None:
    """Every role until now was given to its person."""
    apps.get_model("registry", "Membership").objects.update(own_role=models.F("role"))


class Migration(migrations.Migration):
    dependencies = [("registry", "0052_playground_rows")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="own_role",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                help_text="given to the person; empty: by groups only",
                max_length=16,
            ),
        ),
        migrations.RunPython(keep_own_roles, migrations.RunPython.noop),
        migrations.CreateModel(
            name="Group",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "name",
                    models.CharField(help_text="a slug that never changes; rules name the group by it", max_length=64),
                ),
                ("title", models.CharField(help_text="what people read: Legal", max_length=80)),
                (
                    "role",
                    models.CharField(
                        blank=True, default="", help_text="what each of its people is; empty: none", max_length=16
                    ),
                ),
                ("created_at", models.DateTimeField()),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="groups", to="registry.namespace"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("namespace", "name"), name="group_once"),
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ["", "reader", "author", "reviewer", "admin"])),
                        name="group_role_known",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupMember",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "group",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="members", to="registry.group"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="group_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("group", "person"), name="group_member_once")],
            },
        ),
    ]
