"""Invitations into namespaces."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROLES = ["reader", "author", "reviewer", "admin"]


class Migration(migrations.Migration):
    dependencies = [("registry", "0027_threads_resolved")]

    operations = [
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.CharField(
                        help_text="what the journal names it by", max_length=8, primary_key=True, serialize=False
                    ),
                ),
                ("role", models.CharField(choices=[(role, role) for role in ROLES], max_length=16)),
                (
                    "email",
                    models.EmailField(
                        blank=True,
                        help_text="where the link was sent, empty where it was handed on by hand",
                        max_length=254,
                    ),
                ),
                ("secret_sha256", models.CharField(help_text="of the secret in the link", max_length=64)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                (
                    "ended_at",
                    models.DateTimeField(help_text="when an admin took it back, or a new link replaced it", null=True),
                ),
                (
                    "accepted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="invitations",
                        to="registry.namespace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("role__in", ROLES)), name="invitation_role_known")
                ],
            },
        ),
    ]
