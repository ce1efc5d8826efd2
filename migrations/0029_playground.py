"""Runs of the playground with their columns, and the rule that they are not stored."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("registry", "0028_invitations"),
    ]

    operations = [
        migrations.AddField(
            model_name="namespace",
            name="discard_playground_texts",
            field=models.BooleanField(
                default=False,
                help_text="whether prompts and replies of the playground are forgotten when a reply is over",
            ),
        ),
        migrations.CreateModel(
            name="PlaygroundRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="of the template, which need not exist yet", max_length=520)),
                (
                    "sample",
                    models.CharField(
                        blank=True, default="", help_text="whose values the inputs began as", max_length=200
                    ),
                ),
                ("inputs", models.TextField(help_text="JSON: values by input")),
                ("created_at", models.DateTimeField()),
                (
                    "namespace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground_runs",
                        to="registry.namespace",
                    ),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="playground_runs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlaygroundColumn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveSmallIntegerField()),
                ("source", models.CharField(help_text="draft, a label, or a version's number", max_length=80)),
                ("bundle", models.TextField(help_text="canonical JSON: what was rendered, of a draft too")),
                (
                    "model",
                    models.CharField(
                        help_text="the name of the connection, or the operator's of the model", max_length=64
                    ),
                ),
                ("settings", models.JSONField(default=dict, help_text="what replaces the document's settings")),
                ("prompt", models.TextField(help_text="JSON: messages, tools, settings, digest")),
                ("reply", models.TextField(blank=True, default="", help_text="the text")),
                ("tool_calls", models.TextField(blank=True, default="[]", help_text="JSON: [{name, arguments}]")),
                ("output", models.TextField(blank=True, default="", help_text="JSON: the reply field by field")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("ready", "ready"),
                            ("running", "running"),
                            ("done", "done"),
                            ("stopped", "stopped"),
                            ("failed", "failed"),
                        ],
                        default="ready",
                        max_length=7,
                    ),
                ),
                ("finish_reason", models.CharField(blank=True, default="", max_length=40)),
                ("problem", models.TextField(blank=True, default="", help_text="what went wrong, in words")),
                ("retry_after", models.FloatField(help_text="seconds until asking again may help", null=True)),
                (
                    "rendered_tokens",
                    models.PositiveIntegerField(help_text="of the prompt, as the registry counts them", null=True),
                ),
                (
                    "longest_reply",
                    models.PositiveIntegerField(help_text="tokens that the reply may take, for the estimate"),
                ),
                (
                    "prompt_tokens",
                    models.PositiveIntegerField(help_text="that count as spent; the provider's at the end", null=True),
                ),
                ("completion_tokens", models.PositiveIntegerField(null=True)),
                (
                    "prompt_price",
                    models.DecimalField(decimal_places=6, help_text="of a million tokens", max_digits=14, null=True),
                ),
                ("completion_price", models.DecimalField(decimal_places=6, max_digits=14, null=True)),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("milliseconds", models.PositiveIntegerField(null=True)),
                ("first_token_milliseconds", models.PositiveIntegerField(null=True)),
                ("is_charged", models.BooleanField(default=False, help_text="whether its tokens count as spending")),
                ("is_stop_asked", models.BooleanField(default=False)),
                ("is_emptied", models.BooleanField(default=False, help_text="whether its texts were taken away")),
                (
                    "sent_at",
                    models.DateTimeField(help_text="when the call was sent; its tokens count from then on", null=True),
                ),
                (
                    "heartbeat_at",
                    models.DateTimeField(help_text="a running column silent for long has lost its process", null=True),
                ),
                (
                    "version",
                    models.ForeignKey(
                        help_text="null for a draft",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="registry.version",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="columns", to="registry.playgroundrun"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="playgroundrun",
            index=models.Index(fields=["person", "name", "-id"], name="playground_run_by_person"),
        ),
        migrations.AddIndex(
            model_name="playgroundcolumn",
            index=models.Index(fields=["state", "heartbeat_at"], name="playground_column_by_state"),
        ),
        migrations.AddConstraint(
            model_name="playgroundcolumn",
            constraint=models.UniqueConstraint(fields=("run", "position"), name="playground_column_once"),
        ),
        migrations.AddConstraint(
            model_name="playgroundcolumn",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ("ready", "running", "done", "stopped", "failed"))),
                name="playground_column_state_known",
            ),
        ),
    ]
