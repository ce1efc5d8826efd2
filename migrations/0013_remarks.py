import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0012_keys_approved_only"),
    ]

    operations = [
        migrations.CreateModel(
            name="Remark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("side", models.CharField(choices=[("source", "source"), ("rendered", "rendered")], max_length=8)),
                ("line", models.PositiveIntegerField()),
                ("end_line", models.PositiveIntegerField(help_text="the last line meant, included")),
                ("sample", models.CharField(blank=True, default="", help_text="of a rendered line", max_length=200)),
                (
                    "part",
                    models.PositiveIntegerField(default=0, help_text="of a rendered line: the part's index, from 0"),
                ),
                ("quote", models.TextField(help_text="the lines as they were")),
                ("text", models.TextField(blank=True, default="")),
                (
                    "suggestion",
                    models.TextField(help_text="new text of the lines, null where nothing is suggested", null=True),
                ),
                ("updated_at", models.DateTimeField()),
                (
                    "change",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="remarks", to="registry.changerequest"
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="remarks", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        help_text="of a reply",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="registry.thread",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        help_text="what was looked at",
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["change", "person"], name="remark_of_person")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("end_line__gte", models.F("line")), ("line__gte", 1)),
                        name="remark_lines_in_order",
                    )
                ],
            },
        ),
    ]
