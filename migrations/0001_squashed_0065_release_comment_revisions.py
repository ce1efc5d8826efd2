"""The tables of an empty database as the migrations that it replaces leave them, made at once: a seventh of the time.

A database that has some of those goes on with the rest of them. `tests/registry/test_schema.py` holds both ways equal.
"""

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from migrations import _additions
from registry.journal.immutable_tables import Immutable

_REPLACED = [
    "0001_initial",
    "0002_immutable",
    "0003_reviews",
    "0004_immutable_reviews",
    "0005_emergencies",
    "0006_inclusions",
    "0007_key_limits",
    "0008_fetches",
    "0009_evaluations",
    "0010_webhooks",
    "0011_redactions",
    "0012_keys_approved_only",
    "0013_remarks",
    "0014_reports",
    "0015_shared_cache",
    "0016_judged_runs",
    "0017_held_by_approval",
    "0018_notifications_of_keys",
    "0019_close_emergencies",
    "0020_two_people",
    "0021_derive_contributors",
    "0022_checklist_closed_at",
    "0023_connections",
    "0024_search",
    "0025_draft_revisions",
    "0026_standards",
    "0027_threads_resolved",
    "0028_invitations",
    "0029_playground",
    "0030_releases",
    "0031_own_account",
    "0032_outcomes",
    "0033_freezes",
    "0034_idempotency",
    "0035_person_scores",
    "0036_schedules",
    "0038_webhook_receivers",
    "0039_watch_topics",
    "0040_nightly_runs",
    "0041_rollouts",
    "0042_live_failures",
    "0043_bookmarks",
    "0044_key_addresses",
    "0045_judged_evaluations",
    "0046_two_step_required",
    "0047_reply_age",
    "0048_flat_lists",
    "0049_person_language",
    "0050_named_drafts",
    "0051_former_names",
    "0052_playground_rows",
    "0053_groups",
    "0054_promotion_pair",
    "0055_approval_rules",
    "0056_dataset_archive",
    "0057_decisions_taken_back",
    "0058_conversation",
    "0059_folder_roles",
    "0060_improvements",
    "0061_runs_by_night",
    "0062_indexes_of_few",
    "0063_part_in_editor",
    "0064_planned_rollouts",
    "0065_release_comment_revisions",
]
_MODELS = [
    migrations.CreateModel(
        name="Event",
        fields=[
            ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
            ("kind", models.CharField(max_length=40)),
            ("at", models.BigIntegerField(help_text="microseconds since 1970 UTC")),
            ("person", models.CharField(max_length=150)),
            ("key", models.CharField(blank=True, default="", max_length=16)),
            ("namespace", models.CharField(blank=True, default="", max_length=64)),
            ("template", models.CharField(blank=True, default="", max_length=520)),
            ("version", models.PositiveIntegerField(null=True)),
            ("change", models.PositiveIntegerField(null=True)),
            ("text", models.TextField(help_text="canonical JSON of the whole event, with the hash of the one before")),
            ("hash", models.CharField(help_text="sha256:… over the text", max_length=71, unique=True)),
        ],
        options={
            "indexes": [
                models.Index(fields=["namespace", "-number"], name="event_by_namespace"),
                models.Index(fields=["template", "kind", "version"], name="event_by_template"),
                models.Index(fields=["change", "number"], name="event_by_change"),
                models.Index(fields=["namespace", "kind", "-number"], name="event_by_kind"),
                models.Index(fields=["namespace", "person", "-number"], name="event_by_person"),
                models.Index(fields=["namespace", "-at", "-number"], name="event_by_time"),
                models.Index(fields=["namespace", "key", "-number"], name="event_by_key"),
            ]
        },
    ),
    migrations.CreateModel(
        name="Job",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("kind", models.CharField(max_length=40)),
            ("subject", models.CharField(blank=True, default="", max_length=300)),
            ("payload", models.TextField(default="{}", help_text="canonical JSON, ids and digests only")),
            (
                "state",
                models.CharField(
                    choices=[("queued", "queued"), ("running", "running"), ("done", "done"), ("failed", "failed")],
                    default="queued",
                    max_length=8,
                ),
            ),
            ("attempts", models.PositiveSmallIntegerField(default=0)),
            ("done", models.PositiveIntegerField(default=0, help_text="steps done, for a progress bar")),
            ("total", models.PositiveIntegerField(default=0, help_text="steps in all, 0 when unknown")),
            ("error", models.TextField(blank=True, default="")),
            ("created_at", models.DateTimeField()),
            ("started_at", models.DateTimeField(null=True)),
            (
                "heartbeat_at",
                models.DateTimeField(help_text="a running job silent for long is queued again", null=True),
            ),
            ("finished_at", models.DateTimeField(null=True)),
        ],
        options={
            "indexes": [
                models.Index(fields=["state", "created_at"], name="job_by_state"),
                models.Index(fields=["kind", "-id"], name="job_by_kind"),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("queued", "running", "done", "failed"))), name="job_state_known"
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state", "queued")), fields=("kind", "subject"), name="job_queued_once"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Namespace",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("name", models.CharField(max_length=64, unique=True)),
            (
                "protected_labels",
                models.JSONField(default=list, help_text="names of labels moved by approved requests only"),
            ),
            ("approvals", models.PositiveSmallIntegerField(default=1, help_text="approvals a request needs")),
            (
                "self_approval",
                models.BooleanField(default=False, help_text="whether one's own request may be approved"),
            ),
            (
                "suggesters_may_approve",
                models.BooleanField(
                    default=False, help_text="whether a person may approve a change that contains their suggestion"
                ),
            ),
            (
                "threads_resolved",
                models.BooleanField(
                    default=False, help_text="whether every thread of a request must be resolved before it is published"
                ),
            ),
            (
                "two_step_required",
                models.BooleanField(default=False, help_text="whether people without two-step sign-in can only read"),
            ),
            ("required_checks", models.JSONField(default=list, help_text="names of checks that must pass")),
            (
                "compatibility",
                models.CharField(choices=[("none", "none"), ("backward", "backward")], default="none", max_length=16),
            ),
            (
                "approval_rules",
                models.JSONField(
                    default=list,
                    help_text='[{"label": "production", "folder": "refunds", "approvals": 2, "groups": ["legal"]}]',
                ),
            ),
            ("owners", models.JSONField(default=list, help_text='[{"pattern": "refunds/*", "people": ["reviewer"]}]')),
            ("break_glass", models.BooleanField(default=False, help_text="whether an emergency publish is possible")),
            (
                "keys_approved_only",
                models.BooleanField(
                    default=True,
                    help_text="whether keys that only read get approved versions only, where a label is protected",
                ),
            ),
            (
                "discard_playground_texts",
                models.BooleanField(
                    default=False,
                    help_text="whether prompts and replies of the playground are forgotten when a reply is over",
                ),
            ),
            (
                "standards",
                models.JSONField(
                    default=dict,
                    help_text='what documents must meet when they are saved: {"samples": {"severity": "warning"}}',
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.CheckConstraint(condition=models.Q(("approvals__lte", 20)), name="namespace_approvals_sane"),
                models.CheckConstraint(
                    condition=models.Q(("compatibility__in", ("none", "backward"))),
                    name="namespace_compatibility_known",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="User",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("password", models.CharField(max_length=128, verbose_name="password")),
            ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
            (
                "is_superuser",
                models.BooleanField(
                    default=False,
                    help_text="Designates that this user has all permissions without explicitly assigning them.",
                    verbose_name="superuser status",
                ),
            ),
            (
                "username",
                models.CharField(
                    error_messages={"unique": "A user with that username already exists."},
                    help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                    max_length=150,
                    unique=True,
                    validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                    verbose_name="username",
                ),
            ),
            ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
            ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
            ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
            (
                "is_staff",
                models.BooleanField(
                    default=False,
                    help_text="Designates whether the user can log into this admin site.",
                    verbose_name="staff status",
                ),
            ),
            (
                "is_active",
                models.BooleanField(
                    default=True,
                    help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                    verbose_name="active",
                ),
            ),
            ("date_joined", models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined")),
            (
                "checklist_closed_at",
                models.DateTimeField(help_text="when the first steps on the home page were closed", null=True),
            ),
            (
                "time_zone",
                models.CharField(blank=True, default="", help_text="an IANA name; empty: UTC", max_length=64),
            ),
            (
                "language",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="of pages and mails: a code such as de; empty: as the browser asks",
                    max_length=8,
                ),
            ),
            (
                "promotion_source",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="the label that Environments promotes from; empty: not chosen",
                    max_length=36,
                ),
            ),
            (
                "promotion_target",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="the label that Environments promotes to; empty: not chosen",
                    max_length=36,
                ),
            ),
            (
                "is_address_unproven",
                models.BooleanField(
                    default=False, help_text="whether the address was typed by its person and never confirmed by mail"
                ),
            ),
            (
                "groups",
                models.ManyToManyField(
                    blank=True,
                    help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.group",
                    verbose_name="groups",
                ),
            ),
            (
                "user_permissions",
                models.ManyToManyField(
                    blank=True,
                    help_text="Specific permissions for this user.",
                    related_name="user_set",
                    related_query_name="user",
                    to="auth.permission",
                    verbose_name="user permissions",
                ),
            ),
        ],
        options={"verbose_name": "user", "verbose_name_plural": "users", "abstract": False},
        managers=[("objects", django.contrib.auth.models.UserManager())],
    ),
    migrations.CreateModel(
        name="Key",
        fields=[
            (
                "id",
                models.CharField(
                    help_text="the public part of pb_<id>_<secret>", max_length=8, primary_key=True, serialize=False
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="keys", to="registry.namespace"
                ),
            ),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="keys", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("name", models.CharField(max_length=100)),
            (
                "scope",
                models.CharField(choices=[("read", "read"), ("write", "write"), ("chosen", "chosen")], max_length=8),
            ),
            (
                "verbs",
                models.JSONField(
                    blank=True, default=list, help_text="what a key of the scope chosen may, each by name"
                ),
            ),
            (
                "labels",
                models.JSONField(blank=True, default=list, help_text="the only labels it fetches and moves; none: all"),
            ),
            (
                "addresses",
                models.JSONField(
                    blank=True,
                    default=list,
                    help_text='the only networks it is used from: ["203.0.113.0/24"]; none: any',
                ),
            ),
            ("secret_sha256", models.CharField(max_length=64)),
            ("approved_only", models.BooleanField(help_text="null: as the namespace's rules say", null=True)),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField(null=True)),
            ("revoked_at", models.DateTimeField(null=True)),
            ("last_used_at", models.DateTimeField(null=True)),
            (
                "replaces",
                models.OneToOneField(
                    help_text="the key it was rotated from",
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="replaced_by",
                    to="registry.key",
                ),
            ),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("scope__in", ("read", "write", "chosen"))), name="key_scope_known"
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="Membership",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to="registry.namespace"
                ),
            ),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="memberships", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "role",
                models.CharField(
                    choices=[("reader", "reader"), ("author", "author"), ("reviewer", "reviewer"), ("admin", "admin")],
                    max_length=16,
                ),
            ),
            (
                "own_role",
                models.CharField(
                    blank=True,
                    db_default="",
                    default="",
                    help_text="given to the person; empty: by groups only",
                    max_length=16,
                ),
            ),
            (
                "folder_roles",
                models.JSONField(
                    blank=True,
                    db_default=models.Value({}, models.JSONField()),
                    default=dict,
                    help_text='where it is more than the role in the namespace: {"refunds": "reviewer"}',
                ),
            ),
            (
                "highest_folder_role",
                models.CharField(
                    blank=True,
                    choices=[("reader", "reader"), ("author", "author"), ("reviewer", "reviewer"), ("admin", "admin")],
                    db_default="",
                    default="",
                    help_text="the highest of folder_roles; empty where there are none",
                    max_length=16,
                ),
            ),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("namespace", "person"), name="membership_once"),
                models.CheckConstraint(
                    condition=models.Q(("role__in", ["reader", "author", "reviewer", "admin"])),
                    name="membership_role_known",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="Commit",
        fields=[
            (
                "event",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE,
                    primary_key=True,
                    related_name="commit",
                    serialize=False,
                    to="registry.event",
                ),
            ),
            ("sha", models.CharField(max_length=64)),
        ],
    ),
    migrations.CreateModel(
        name="Rendering",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("digest", models.CharField(help_text="of the bundle", max_length=71)),
            (
                "data",
                models.CharField(help_text="sha256:… over the canonical text of the sample's values", max_length=71),
            ),
            ("text", models.TextField(help_text="JSON: the renderer's prompt, or the problem it met")),
            ("is_problem", models.BooleanField()),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("digest", "data"), name="rendering_once")]},
    ),
    migrations.CreateModel(
        name="Reply",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "key",
                models.CharField(help_text="over the messages, the model and the settings", max_length=71, unique=True),
            ),
            ("text", models.TextField(help_text="JSON: text, counts of tokens, finish reason")),
            ("created_at", models.DateTimeField()),
        ],
        options={"indexes": [models.Index(fields=["created_at"], name="reply_by_age")]},
    ),
    migrations.CreateModel(
        name="Watch",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="watches", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.namespace"
                ),
            ),
            (
                "template",
                models.CharField(blank=True, default="", help_text="pattern of paths; empty: all", max_length=200),
            ),
            ("level", models.CharField(choices=[("all", "all"), ("mine", "mine"), ("none", "none")], max_length=4)),
            (
                "topics",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="with all: what of it, separated by commas; empty: everything",
                    max_length=60,
                ),
            ),
        ],
        options={
            "verbose_name_plural": "watches",
            "constraints": [
                models.UniqueConstraint(fields=("person", "namespace", "template"), name="watch_once"),
                models.UniqueConstraint(
                    condition=models.Q(("namespace", None)), fields=("person", "template"), name="watch_once_everywhere"
                ),
                models.CheckConstraint(
                    condition=models.Q(("level__in", ("all", "mine", "none"))), name="watch_level_known"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Webhook",
        fields=[
            ("id", models.CharField(max_length=8, primary_key=True, serialize=False)),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="webhooks", to="registry.namespace"
                ),
            ),
            (
                "receiver",
                models.CharField(
                    choices=[("standard", "standard"), ("slack", "slack"), ("teams", "teams")],
                    default="standard",
                    max_length=8,
                ),
            ),
            ("url", models.CharField(max_length=2000)),
            (
                "sealed_url",
                models.TextField(blank=True, default="", help_text="the whole address where it is a secret"),
            ),
            (
                "kinds",
                models.TextField(default="[]", help_text="JSON list of the kinds of events it hears of; empty: all"),
            ),
            (
                "template",
                models.CharField(blank=True, default="", help_text="pattern of paths; empty: all", max_length=200),
            ),
            ("cursor", models.BigIntegerField(help_text="the number of the last event that was looked at for it")),
            ("paused_at", models.DateTimeField(null=True)),
            ("pause_reason", models.CharField(blank=True, default="", max_length=300)),
            ("claimed_until", models.DateTimeField(help_text="until then one worker alone sends for it", null=True)),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("receiver__in", ("standard", "slack", "teams"))), name="webhook_receiver_known"
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="Delivery",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "webhook",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="registry.webhook"
                ),
            ),
            ("event", models.BigIntegerField(null=True)),
            (
                "message",
                models.CharField(help_text="the id that receivers tell repeats by", max_length=40, unique=True),
            ),
            ("kind", models.CharField(max_length=40)),
            ("body", models.TextField(help_text="the JSON text that is signed and sent")),
            (
                "state",
                models.CharField(
                    choices=[("pending", "pending"), ("delivered", "delivered"), ("failed", "failed")],
                    default="pending",
                    max_length=9,
                ),
            ),
            ("attempts_made", models.PositiveSmallIntegerField(default=0, help_text="since it was last asked for")),
            ("due_at", models.DateTimeField()),
            ("created_at", models.DateTimeField()),
            ("finished_at", models.DateTimeField(null=True)),
        ],
        options={
            "verbose_name_plural": "deliveries",
            "indexes": [models.Index(fields=["state", "due_at"], name="delivery_due")],
            "constraints": [
                models.UniqueConstraint(fields=("webhook", "event"), name="delivery_once"),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("pending", "delivered", "failed"))), name="delivery_state_known"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Attempt",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "delivery",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="registry.delivery"
                ),
            ),
            ("at", models.DateTimeField()),
            (
                "status",
                models.PositiveSmallIntegerField(help_text="the answer's HTTP status; null: none came", null=True),
            ),
            ("milliseconds", models.PositiveIntegerField()),
            ("said", models.TextField(default="", help_text="the beginning of the answer, or why there was none")),
        ],
    ),
    migrations.CreateModel(
        name="WebhookSecret",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "webhook",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="secrets", to="registry.webhook"
                ),
            ),
            ("sealed", models.TextField(help_text="readable with the instance's secret key only")),
            ("created_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField(null=True)),
        ],
    ),
    migrations.CreateModel(
        name="Remote",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("name", models.CharField(max_length=40, unique=True)),
            ("url", models.CharField(help_text="https or ssh, without a password", max_length=2000)),
            ("user", models.CharField(blank=True, default="", help_text="who signs in over https", max_length=200)),
            (
                "token_file",
                models.CharField(blank=True, default="", help_text="holds the password or token", max_length=1000),
            ),
            ("key_file", models.CharField(blank=True, default="", help_text="an ssh private key", max_length=1000)),
            (
                "known_hosts",
                models.CharField(blank=True, default="", help_text="ssh host keys to believe", max_length=1000),
            ),
            ("added_at", models.DateTimeField()),
            ("pushed", models.PositiveBigIntegerField(default=0, help_text="the last event that it holds")),
            ("pushed_at", models.DateTimeField(null=True)),
            ("failures", models.PositiveIntegerField(default=0, help_text="tries in a row that failed")),
            (
                "error",
                models.TextField(blank=True, default="", help_text="why the last try failed, empty after a good one"),
            ),
            (
                "diverged",
                models.BooleanField(default=False, help_text="it holds what the mirror doesn't; never pushed over"),
            ),
            ("retry_at", models.DateTimeField(help_text="not tried again before", null=True)),
        ],
    ),
    migrations.CreateModel(
        name="SpendingCap",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.PROTECT, related_name="spending_cap", to="registry.namespace"
                ),
            ),
            (
                "person_day",
                models.DecimalField(
                    decimal_places=6, help_text="of one person in a day (UTC); null: no cap", max_digits=14, null=True
                ),
            ),
            (
                "namespace_month",
                models.DecimalField(
                    decimal_places=6, help_text="of all in a month (UTC); null: no cap", max_digits=14, null=True
                ),
            ),
            ("currency", models.CharField(default="USD", max_length=3)),
        ],
    ),
    migrations.CreateModel(
        name="Connection",
        fields=[
            ("id", models.CharField(max_length=8, primary_key=True, serialize=False)),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="connections", to="registry.namespace"
                ),
            ),
            ("name", models.CharField(help_text="what people choose it by; one of each in a namespace", max_length=64)),
            (
                "protocol",
                models.CharField(
                    choices=[("openai", "openai"), ("responses", "responses"), ("anthropic", "anthropic")], max_length=9
                ),
            ),
            ("base_url", models.CharField(help_text="up to and without the protocol's own path", max_length=2000)),
            ("model", models.CharField(help_text="the provider's id of the model", max_length=200)),
            (
                "sealed_key",
                models.TextField(default="", help_text="readable with the instance's secret key only; empty: none"),
            ),
            (
                "has_key",
                models.BooleanField(default=False, help_text="whether it needs a key; true with none after a restore"),
            ),
            (
                "prompt_price",
                models.DecimalField(
                    decimal_places=6, help_text="of a million tokens; null: not known", max_digits=14, null=True
                ),
            ),
            (
                "completion_price",
                models.DecimalField(
                    decimal_places=6, help_text="of a million tokens; null: not known", max_digits=14, null=True
                ),
            ),
            ("currency", models.CharField(default="USD", max_length=3)),
            ("timeout", models.PositiveSmallIntegerField(default=60, help_text="seconds a try")),
            (
                "concurrency",
                models.PositiveSmallIntegerField(default=4, help_text="calls at once of one evaluation run"),
            ),
            (
                "per_second",
                models.FloatField(help_text="most calls a second of one process; null: no limit", null=True),
            ),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("namespace", "name"), name="connection_name_once"),
                models.CheckConstraint(
                    condition=models.Q(("protocol__in", ("openai", "responses", "anthropic"))),
                    name="connection_protocol_known",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="Spending",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="spending", to="registry.namespace"
                ),
            ),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "model",
                models.CharField(help_text="the name of the connection, or the operator's of the model", max_length=64),
            ),
            ("day", models.DateField(help_text="in UTC")),
            ("currency", models.CharField(max_length=3)),
            ("calls", models.PositiveIntegerField(default=0)),
            ("prompt_tokens", models.PositiveBigIntegerField(default=0)),
            ("completion_tokens", models.PositiveBigIntegerField(default=0)),
            ("cost", models.DecimalField(decimal_places=6, default=0, max_digits=14)),
        ],
        options={
            "verbose_name_plural": "spending",
            "indexes": [models.Index(fields=["namespace", "day"], name="spending_by_day")],
            "constraints": [
                models.UniqueConstraint(
                    fields=("namespace", "person", "model", "day", "currency"), name="spending_once"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="SearchCount",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.namespace"
                ),
            ),
            ("kind", models.CharField(max_length=16)),
            ("value", models.CharField(max_length=520)),
            (
                "parent",
                models.CharField(blank=True, default="", help_text="of a folder: the folder it is in", max_length=520),
            ),
            ("count", models.IntegerField()),
        ],
        options={
            "indexes": [
                models.Index(fields=["kind", "parent"], name="search_count_by_parent"),
                models.Index(fields=["kind", "value"], name="search_count_by_value"),
            ],
            "constraints": [models.UniqueConstraint(fields=("namespace", "kind", "value"), name="search_count_once")],
        },
    ),
    migrations.CreateModel(
        name="Invitation",
        fields=[
            (
                "id",
                models.CharField(
                    help_text="what the journal names it by", max_length=8, primary_key=True, serialize=False
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="invitations", to="registry.namespace"
                ),
            ),
            (
                "role",
                models.CharField(
                    choices=[("reader", "reader"), ("author", "author"), ("reviewer", "reviewer"), ("admin", "admin")],
                    max_length=16,
                ),
            ),
            (
                "email",
                models.EmailField(
                    blank=True,
                    help_text="where the link was sent, empty where it was handed on by hand",
                    max_length=254,
                ),
            ),
            ("secret_sha256", models.CharField(help_text="of the secret in the link", max_length=64)),
            (
                "invited_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("expires_at", models.DateTimeField()),
            ("accepted_at", models.DateTimeField(null=True)),
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
                "ended_at",
                models.DateTimeField(help_text="when an admin took it back, or a new link replaced it", null=True),
            ),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("role__in", ["reader", "author", "reviewer", "admin"])),
                    name="invitation_role_known",
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="PlaygroundRun",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="playground_runs",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="playground_runs", to="registry.namespace"
                ),
            ),
            ("name", models.CharField(help_text="of the template, which need not exist yet", max_length=520)),
            (
                "sample",
                models.CharField(blank=True, default="", help_text="whose values the inputs began as", max_length=200),
            ),
            (
                "dataset",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="whose row the inputs are; sample is the row's name then",
                    max_length=520,
                ),
            ),
            ("inputs", models.TextField(help_text="JSON: values by input")),
            ("created_at", models.DateTimeField()),
        ],
        options={"indexes": [models.Index(fields=["person", "name", "-id"], name="playground_run_by_person")]},
    ),
    migrations.CreateModel(
        name="Release",
        fields=[
            ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="releases", to="registry.namespace"
                ),
            ),
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
            (
                "opened_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
            ("closed_at", models.DateTimeField(null=True)),
            ("goes_live_at", models.DateTimeField(help_text="when the worker publishes it", null=True)),
            (
                "scheduled_by",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "schedule_key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("rolled_back_at", models.DateTimeField(help_text="when labels were rolled back together last", null=True)),
        ],
        options={
            "indexes": [models.Index(fields=["namespace", "-number"], name="release_by_namespace")],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("open", "published", "withdrawn"))), name="release_state_known"
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="ReleaseComment",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "release",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="registry.release"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the release")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("text", models.TextField()),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [models.UniqueConstraint(fields=("release", "number"), name="release_comment_number_once")]
        },
    ),
    migrations.CreateModel(
        name="Freeze",
        fields=[
            ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="freezes", to="registry.namespace"
                ),
            ),
            ("starts_at", models.DateTimeField(help_text="of a freeze that happens once", null=True)),
            ("ends_at", models.DateTimeField(null=True)),
            (
                "week_start",
                models.PositiveSmallIntegerField(help_text="of a weekly one: minutes since Monday 00:00", null=True),
            ),
            ("week_end", models.PositiveSmallIntegerField(null=True)),
            (
                "time_zone",
                models.CharField(blank=True, default="", help_text="of a weekly one: an IANA name", max_length=64),
            ),
            ("reason", models.TextField()),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("removed_at", models.DateTimeField(null=True)),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(
                            ("ends_at__gt", models.F("starts_at")),
                            ("starts_at__isnull", False),
                            ("week_end__isnull", True),
                            ("week_start__isnull", True),
                        ),
                        models.Q(
                            ("ends_at__isnull", True),
                            ("starts_at__isnull", True),
                            ("week_end__lt", 10080),
                            ("week_start__lt", 10080),
                        ),
                        _connector="OR",
                    ),
                    name="freeze_once_or_weekly",
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="StoredAnswer",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            ("caller", models.CharField(max_length=60)),
            ("idempotency_key", models.CharField(max_length=255)),
            ("fingerprint", models.CharField(max_length=64)),
            (
                "sealed",
                models.TextField(
                    default="", help_text="status, headers and body, sealed; empty until there is an answer"
                ),
            ),
            ("created_at", models.DateTimeField(db_index=True)),
        ],
        options={
            "constraints": [models.UniqueConstraint(fields=("caller", "idempotency_key"), name="stored_answer_once")]
        },
    ),
    migrations.CreateModel(
        name="SavedView",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="saved_views", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("name", models.CharField(max_length=60)),
            ("folder", models.CharField(blank=True, default="", help_text="empty: all templates", max_length=520)),
            (
                "query",
                models.CharField(help_text="the query of the address, without its question mark", max_length=1000),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("person", "name"), name="saved_view_once")]},
    ),
    migrations.CreateModel(
        name="Group",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="groups", to="registry.namespace"
                ),
            ),
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
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("namespace", "name"), name="group_once"),
                models.CheckConstraint(
                    condition=models.Q(("role__in", ["", "reader", "author", "reviewer", "admin"])),
                    name="group_role_known",
                ),
            ]
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
        options={"constraints": [models.UniqueConstraint(fields=("group", "person"), name="group_member_once")]},
    ),
    migrations.CreateModel(
        name="FolderRole",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="folder_roles", to="registry.namespace"
                ),
            ),
            ("folder", models.CharField(help_text="inside the namespace, as in refunds/europe", max_length=460)),
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
            ("role", models.CharField(choices=[("author", "author"), ("reviewer", "reviewer")], max_length=16)),
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
            ]
        },
    ),
    migrations.CreateModel(
        name="ReleaseCommentRevision",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "release",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="comment_revisions", to="registry.release"
                ),
            ),
            ("comment", models.PositiveIntegerField(help_text="its number within the release")),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")),
            ("text", models.TextField(blank=True, default="")),
            ("is_deleted", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("release", "comment", "number"), name="release_comment_revision_once")
            ]
        },
    ),
    migrations.CreateModel(
        name="Template",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="templates", to="registry.namespace"
                ),
            ),
            (
                "name",
                models.CharField(help_text="with the namespace: support/refunds/reply", max_length=520, unique=True),
            ),
            ("description", models.TextField(blank=True, default="")),
            ("format", models.CharField(default="parts", max_length=16)),
            (
                "copied_from",
                models.CharField(blank=True, default="", help_text="name@number of the origin", max_length=600),
            ),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
            ("archived_at", models.DateTimeField(null=True)),
            ("renamed_at", models.DateTimeField(help_text="last; null: it has no former name", null=True)),
        ],
        options={"indexes": [models.Index(fields=["namespace", "name"], name="template_by_namespace")]},
    ),
    migrations.CreateModel(
        name="SampleSet",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="sample_sets", to="registry.template"
                ),
            ),
            ("number", models.PositiveIntegerField()),
            ("digest", models.CharField(help_text="sha256:… over the text", max_length=71)),
            ("text", models.TextField(help_text='canonical JSON: {"sample name": {"input": value}}')),
            (
                "author",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [models.UniqueConstraint(fields=("template", "number"), name="sample_set_number_once")]
        },
    ),
    migrations.CreateModel(
        name="Tag",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="tags", to="registry.template"
                ),
            ),
            ("name", models.CharField(max_length=64)),
        ],
        options={
            "indexes": [models.Index(fields=["name"], name="tag_by_name")],
            "constraints": [models.UniqueConstraint(fields=("template", "name"), name="tag_once")],
        },
    ),
    migrations.CreateModel(
        name="Version",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="registry.template"
                ),
            ),
            ("number", models.PositiveIntegerField()),
            ("digest", models.CharField(help_text="sha256:… over the bundle", max_length=71)),
            ("bundle", models.TextField(help_text="canonical JSON of engine, document, fragments and profile")),
            ("settings", models.TextField(default="{}", help_text="canonical JSON of the document's settings")),
            ("problems", models.TextField(default="[]", help_text="canonical JSON: warnings and notes found at save")),
            (
                "base",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="successors",
                    to="registry.version",
                ),
            ),
            (
                "author",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("message", models.TextField(blank=True, default="")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "indexes": [models.Index(fields=["template", "digest"], name="version_by_digest")],
            "constraints": [
                models.UniqueConstraint(fields=("template", "number"), name="version_number_once"),
                models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="version_number_from_one"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Draft",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="registry.namespace"
                ),
            ),
            ("path", models.CharField(blank=True, default="", max_length=460)),
            ("name", models.CharField(blank=True, default="", help_text="empty for the first draft", max_length=60)),
            ("document", models.TextField()),
            (
                "samples",
                models.TextField(
                    blank=True, default="", help_text="as the editor shows them, maybe not yet well-formed"
                ),
            ),
            (
                "base",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                ),
            ),
            ("message", models.TextField(blank=True, default="")),
            ("updated_at", models.DateTimeField()),
            ("revision", models.PositiveIntegerField(default=1)),
            ("discarded_at", models.DateTimeField(null=True)),
            ("share_token", models.CharField(blank=True, default="", help_text="the end of its link", max_length=43)),
            ("shared_at", models.DateTimeField(null=True)),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("discarded_at", None)),
                    fields=("person", "namespace", "path", "name"),
                    name="draft_once_unless_discarded",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("share_token", ""), _negated=True),
                    fields=("share_token",),
                    name="draft_share_token_once",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="ChangeRequest",
        fields=[
            ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="changes", to="registry.template"
                ),
            ),
            ("label", models.CharField(max_length=36)),
            (
                "version",
                models.ForeignKey(
                    help_text="the head",
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="changes",
                    to="registry.version",
                ),
            ),
            ("round", models.PositiveIntegerField(default=1)),
            (
                "state",
                models.CharField(
                    choices=[
                        ("open", "open"),
                        ("approved", "approved"),
                        ("published", "published"),
                        ("withdrawn", "withdrawn"),
                    ],
                    default="open",
                    max_length=16,
                ),
            ),
            (
                "unreviewed",
                models.BooleanField(default=False, help_text="published in an emergency, approvals still missing"),
            ),
            (
                "emergency_closed_at",
                models.DateTimeField(
                    help_text="when an emergency that is served no longer was closed without an approval", null=True
                ),
            ),
            ("message", models.TextField(blank=True, default="")),
            (
                "opened_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            (
                "release",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="members",
                    to="registry.release",
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
            ("closed_at", models.DateTimeField(null=True)),
            ("goes_live_at", models.DateTimeField(help_text="when the worker publishes it", null=True)),
            (
                "planned_rollout",
                models.JSONField(
                    help_text="steps and stop_rule of the rollout that publishing starts; null: it moves the label",
                    null=True,
                ),
            ),
            (
                "scheduled_by",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "schedule_key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            (
                "asked",
                models.JSONField(
                    blank=True,
                    db_default=models.Value({}, models.JSONField()),
                    default=dict,
                    help_text="username of a reviewer to by (a username) and at",
                ),
            ),
            (
                "decided",
                models.JSONField(
                    help_text="what it was decided on, as registry.changes.checks.DecisionRecord has it", null=True
                ),
            ),
        ],
        options={
            "indexes": [
                models.Index(fields=["state", "-number"], name="change_by_state"),
                models.Index(fields=["template", "label"], name="change_by_label"),
                models.Index(
                    condition=models.Q(("goes_live_at__isnull", False)),
                    fields=["goes_live_at"],
                    name="change_scheduled",
                ),
                models.Index(
                    condition=models.Q(("emergency_closed_at", None), ("unreviewed", True)),
                    fields=["-number"],
                    name="change_in_emergency",
                ),
                models.Index(condition=models.Q(("unreviewed", True)), fields=["number"], name="change_unreviewed"),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("open", "approved", "published", "withdrawn"))),
                    name="change_state_known",
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ("open", "approved"))),
                    fields=("template", "label", "version"),
                    name="change_once_while_open",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Decision",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="decisions", to="registry.changerequest"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the request")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            (
                "decision",
                models.CharField(
                    choices=[
                        ("approve", "approve"),
                        ("request_changes", "request_changes"),
                        ("comment", "comment"),
                        ("acknowledge", "acknowledge"),
                        ("take_back", "take_back"),
                    ],
                    max_length=16,
                ),
            ),
            ("label", models.CharField(max_length=36)),
            (
                "version",
                models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"),
            ),
            ("digest", models.CharField(max_length=71)),
            ("round", models.PositiveIntegerField()),
            ("text", models.TextField(blank=True, default="")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("change", "number"), name="decision_number_once"),
                models.CheckConstraint(
                    condition=models.Q(
                        ("decision__in", ("approve", "request_changes", "comment", "acknowledge", "take_back"))
                    ),
                    name="decision_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("decision__in", ("approve", "acknowledge", "take_back")), _negated=True),
                        ("key__isnull", True),
                        _connector="OR",
                    ),
                    name="decision_key_never_approves",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="LabelMove",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="label_moves", to="registry.template"
                ),
            ),
            ("label", models.CharField(max_length=36)),
            (
                "before",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                ),
            ),
            (
                "after",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"
                ),
            ),
            (
                "how",
                models.CharField(
                    choices=[
                        ("moved", "moved"),
                        ("published", "published"),
                        ("rolled_back", "rolled_back"),
                        ("removed", "removed"),
                        ("broke_glass", "broke_glass"),
                    ],
                    max_length=16,
                ),
            ),
            (
                "protected",
                models.BooleanField(default=False, help_text="whether the label was protected when it moved"),
            ),
            ("reason", models.TextField(blank=True, default="")),
            (
                "change",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="label_moves",
                    to="registry.changerequest",
                ),
            ),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "indexes": [
                models.Index(fields=["template", "label", "-id"], name="label_move_history"),
                models.Index(
                    condition=models.Q(("protected", True)), fields=["-created_at"], name="label_move_protected"
                ),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("change__isnull", False), ("how", "published")),
                        models.Q(("change__isnull", False), ("how", "broke_glass")),
                        ("how__in", ("moved", "rolled_back", "removed")),
                        _connector="OR",
                    ),
                    name="label_move_published_by_change",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="Notification",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="notifications",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("kind", models.CharField(help_text="the kind of the event it comes from", max_length=40)),
            ("sentence", models.TextField()),
            ("is_waiting", models.BooleanField(default=False, help_text="whether the person is expected to act")),
            (
                "template",
                models.ForeignKey(
                    help_text="or a key",
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="registry.template",
                ),
            ),
            (
                "change",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="+",
                    to="registry.changerequest",
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.key"
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("read_at", models.DateTimeField(null=True)),
            (
                "mailed_at",
                models.DateTimeField(help_text="when it went out by mail, or was found to need none", null=True),
            ),
        ],
        options={
            "indexes": [
                models.Index(fields=["person", "read_at", "-id"], name="notification_unread"),
                models.Index(condition=models.Q(("mailed_at", None)), fields=["id"], name="notification_unmailed"),
            ]
        },
    ),
    migrations.CreateModel(
        name="Thread",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="threads", to="registry.changerequest"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the request")),
            (
                "version",
                models.ForeignKey(
                    help_text="what was looked at",
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.version",
                ),
            ),
            ("side", models.CharField(choices=[("source", "source"), ("rendered", "rendered")], max_length=8)),
            ("line", models.PositiveIntegerField()),
            ("end_line", models.PositiveIntegerField(help_text="the last line meant, included")),
            ("sample", models.CharField(blank=True, default="", help_text="of a rendered line", max_length=200)),
            ("part", models.PositiveIntegerField(default=0, help_text="of a rendered line: the part's index, from 0")),
            ("quote", models.TextField(help_text="the lines as they were")),
            ("resolved_at", models.DateTimeField(null=True)),
            (
                "resolved_by",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("change", "number"), name="thread_number_once"),
                models.CheckConstraint(
                    condition=models.Q(("end_line__gte", models.F("line")), ("line__gte", 1)),
                    name="thread_lines_in_order",
                ),
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("sample", ""), ("side", "source")), ("side", "rendered"), _connector="OR"
                    ),
                    name="thread_side_known",
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="Comment",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "thread",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="registry.thread"
                ),
            ),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the thread")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("text", models.TextField(blank=True, default="")),
            (
                "suggestion",
                models.TextField(help_text="new text of the lines, null where nothing is suggested", null=True),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("thread", "number"), name="comment_number_once")]},
    ),
    migrations.CreateModel(
        name="Verdict",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="verdicts", to="registry.template"
                ),
            ),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="verdicts", to="registry.version"
                ),
            ),
            ("check_name", models.CharField(max_length=32)),
            (
                "key",
                models.CharField(
                    help_text="sha256:… over the check's name and all digests it looked at", max_length=71
                ),
            ),
            ("outcome", models.CharField(choices=[("passed", "passed"), ("failed", "failed")], max_length=8)),
            ("summary", models.TextField(help_text="one sentence")),
            ("details", models.TextField(default="[]", help_text="canonical JSON: what was found, item by item")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("key",), name="verdict_once"),
                models.CheckConstraint(
                    condition=models.Q(("outcome__in", ("passed", "failed"))), name="verdict_outcome_known"
                ),
            ]
        },
    ),
    migrations.CreateModel(
        name="Inclusion",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="inclusions", to="registry.template"
                ),
            ),
            ("fragment", models.CharField(help_text="the name of the template that is included", max_length=520)),
            ("ref", models.CharField(help_text="as written: name@number or name@sha256:…", max_length=600)),
        ],
        options={
            "indexes": [models.Index(fields=["fragment"], name="inclusion_by_fragment")],
            "constraints": [models.UniqueConstraint(fields=("template", "ref"), name="inclusion_once")],
        },
    ),
    migrations.CreateModel(
        name="Fetch",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "key",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="fetches", to="registry.key"
                ),
            ),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="fetches", to="registry.version"
                ),
            ),
            ("ref", models.CharField(help_text="as the caller wrote it: a label, a number, sha256:…", max_length=80)),
            (
                "former_name",
                models.CharField(
                    blank=True, default="", help_text="the former name it was asked by, or empty", max_length=520
                ),
            ),
            ("day", models.DateField()),
            ("count", models.PositiveBigIntegerField()),
            ("last_at", models.DateTimeField(help_text="to the few seconds between two writes")),
        ],
        options={
            "indexes": [models.Index(fields=["day"], name="fetch_by_day")],
            "constraints": [
                models.UniqueConstraint(fields=("version", "day", "key", "ref", "former_name"), name="fetch_once_a_day")
            ],
        },
    ),
    migrations.CreateModel(
        name="Redaction",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "version",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.PROTECT, related_name="redaction", to="registry.version"
                ),
            ),
            ("reason", models.TextField()),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="Remark",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="remarks", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="remarks", to="registry.changerequest"
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
            ("side", models.CharField(choices=[("source", "source"), ("rendered", "rendered")], max_length=8)),
            ("line", models.PositiveIntegerField()),
            ("end_line", models.PositiveIntegerField(help_text="the last line meant, included")),
            ("sample", models.CharField(blank=True, default="", help_text="of a rendered line", max_length=200)),
            ("part", models.PositiveIntegerField(default=0, help_text="of a rendered line: the part's index, from 0")),
            ("quote", models.TextField(help_text="the lines as they were")),
            ("text", models.TextField(blank=True, default="")),
            (
                "suggestion",
                models.TextField(help_text="new text of the lines, null where nothing is suggested", null=True),
            ),
            ("updated_at", models.DateTimeField()),
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
    migrations.CreateModel(
        name="Report",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "key",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="registry.key"
                ),
            ),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="reports", to="registry.version"
                ),
            ),
            ("day", models.DateField()),
            ("renders", models.PositiveBigIntegerField(default=0, help_text="that succeeded")),
            (
                "cut",
                models.PositiveBigIntegerField(default=0, help_text="of these, how many lost text to the token limit"),
            ),
            ("failures", models.TextField(default="{}", help_text="JSON: problem code or error class to how often")),
            (
                "tokens",
                models.TextField(
                    default="{}", help_text="JSON: tokens, rounded up to two figures, to how many prompts had them"
                ),
            ),
            (
                "inputs",
                models.TextField(default="{}", help_text="JSON: name of an input to how many renderings were given it"),
            ),
            ("last_at", models.DateTimeField()),
        ],
        options={
            "indexes": [models.Index(fields=["day"], name="report_by_day")],
            "constraints": [models.UniqueConstraint(fields=("version", "day", "key"), name="report_once_a_day")],
        },
    ),
    migrations.CreateModel(
        name="Contribution",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="contributions", to="registry.version"
                ),
            ),
            (
                "comment",
                models.ForeignKey(
                    help_text="the suggestion that was applied",
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.comment",
                ),
            ),
            (
                "source",
                models.ForeignKey(
                    help_text="the version that was merged",
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.version",
                ),
            ),
        ],
        options={
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        models.Q(("comment__isnull", False), ("source__isnull", True)),
                        models.Q(("comment__isnull", True), ("source__isnull", False)),
                        _connector="OR",
                    ),
                    name="contribution_of_one_kind",
                )
            ]
        },
    ),
    migrations.CreateModel(
        name="SearchEntry",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.OneToOneField(
                    on_delete=django.db.models.deletion.CASCADE, related_name="search_entry", to="registry.template"
                ),
            ),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.namespace"
                ),
            ),
            ("name", models.CharField(help_text="the template's; sorted by code point", max_length=520, unique=True)),
            ("is_archived", models.BooleanField(default=False)),
            ("facts", models.TextField(help_text="JSON: the values to filter by, a list for each kind")),
            ("facets", models.TextField(help_text="the same values as search terms, separated by spaces")),
            (
                "words",
                models.TextField(help_text="the search terms of the name and the latest text, separated by spaces"),
            ),
        ],
        options={
            "indexes": [models.Index(fields=["is_archived", "name"], name="search_entry_by_name")],
            "constraints": [
                models.UniqueConstraint(fields=("namespace", "is_archived", "name"), name="search_entry_by_namespace")
            ],
        },
    ),
    migrations.CreateModel(
        name="PlaygroundColumn",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "run",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="columns", to="registry.playgroundrun"
                ),
            ),
            ("position", models.PositiveSmallIntegerField()),
            ("source", models.CharField(help_text="draft, a label, or a version's number", max_length=80)),
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
            ("bundle", models.TextField(help_text="canonical JSON: what was rendered, of a draft too")),
            (
                "model",
                models.CharField(help_text="the name of the connection, or the operator's of the model", max_length=64),
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
        ],
        options={
            "indexes": [models.Index(fields=["state", "heartbeat_at"], name="playground_column_by_state")],
            "constraints": [
                models.UniqueConstraint(fields=("run", "position"), name="playground_column_once"),
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("ready", "running", "done", "stopped", "failed"))),
                    name="playground_column_state_known",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Outcome",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="outcomes", to="registry.version"
                ),
            ),
            ("name", models.CharField(max_length=60)),
            ("by_person", models.BooleanField()),
            ("trace_id", models.CharField(help_text="the caller's, or empty", max_length=100)),
            (
                "bucket",
                models.CharField(help_text="the start of the SHA-256 of the caller's bucket, or empty", max_length=32),
            ),
            ("value", models.FloatField()),
            ("day", models.DateField(help_text="whose total the value is in")),
        ],
        options={
            "indexes": [models.Index(fields=["day"], name="outcome_by_day")],
            "constraints": [
                models.UniqueConstraint(
                    condition=models.Q(("trace_id", ""), _negated=True),
                    fields=("version", "name", "by_person", "trace_id"),
                    name="outcome_once_a_trace",
                )
            ],
        },
    ),
    migrations.CreateModel(
        name="OutcomeTotal",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="outcome_totals", to="registry.version"
                ),
            ),
            ("name", models.CharField(help_text="of the score: `helpful`", max_length=60)),
            (
                "by_person",
                models.BooleanField(help_text="reported by somebody signed in, not by a service with its key"),
            ),
            ("day", models.DateField()),
            ("count", models.PositiveBigIntegerField(default=0)),
            ("total", models.FloatField(default=0.0, help_text="sum of the values")),
            ("squares", models.FloatField(default=0.0, help_text="sum of the squared values")),
            ("graded", models.PositiveBigIntegerField(default=0, help_text="how many values are neither 0 nor 1")),
            ("last_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("version", "name", "by_person", "day"), name="outcome_total_once_a_day")
            ]
        },
    ),
    migrations.CreateModel(
        name="CountedScores",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="counted_scores",
                    to="registry.changerequest",
                ),
            ),
            ("evaluation", models.CharField(help_text="the name of the attached evaluation", max_length=64)),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the request and its evaluation")),
            (
                "version",
                models.ForeignKey(
                    help_text="the head then",
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.version",
                ),
            ),
            (
                "run",
                models.PositiveBigIntegerField(help_text="the number of the run, which a restore does not bring back"),
            ),
            ("rows_digest", models.CharField(max_length=71)),
            ("model_digest", models.CharField(max_length=71)),
            ("digest", models.CharField(help_text="sha256:… over the text", max_length=71)),
            ("text", models.TextField(help_text="canonical JSON: [[row's index, username, score]]")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "verbose_name_plural": "counted scores",
            "constraints": [
                models.UniqueConstraint(fields=("change", "evaluation", "number"), name="counted_scores_once")
            ],
        },
    ),
    migrations.CreateModel(
        name="Rollout",
        fields=[
            ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="rollouts", to="registry.template"
                ),
            ),
            ("label", models.CharField(max_length=36)),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="rollouts", to="registry.changerequest"
                ),
            ),
            (
                "stable",
                models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"),
            ),
            (
                "candidate",
                models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"),
            ),
            ("salt", models.CharField(max_length=32)),
            ("steps", models.JSONField(help_text='[{"share": 500, "hours": 24}, …]; hours null: goes on by hand')),
            ("step", models.PositiveIntegerField(default=0, help_text="index of the step that is served now")),
            ("share", models.PositiveIntegerField()),
            (
                "stop_rule",
                models.JSONField(help_text="metric, replies, below, worse_than_stable; null: no rule", null=True),
            ),
            (
                "state",
                models.CharField(
                    choices=[
                        ("running", "running"),
                        ("paused", "paused"),
                        ("stopped", "stopped"),
                        ("finished", "finished"),
                    ],
                    default="running",
                    max_length=16,
                ),
            ),
            (
                "next_at",
                models.DateTimeField(help_text="when the next step is due; null: by hand, paused or ended", null=True),
            ),
            ("reason", models.TextField(blank=True, default="", help_text="why it was paused or stopped")),
            ("figures", models.JSONField(help_text="the scores of both sides when it was stopped", null=True)),
            (
                "started_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
            ("ended_at", models.DateTimeField(null=True)),
        ],
        options={
            "indexes": [models.Index(fields=["state", "next_at"], name="rollout_by_due_time")],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("running", "paused", "stopped", "finished"))),
                    name="rollout_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("share__gte", 1), ("share__lt", 10000)), name="rollout_share_is_a_part"
                ),
                models.UniqueConstraint(
                    condition=models.Q(("state__in", ("running", "paused"))),
                    fields=("template", "label"),
                    name="rollout_once_a_label",
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="Label",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="registry.template"
                ),
            ),
            ("name", models.CharField(max_length=36)),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="registry.version"
                ),
            ),
            ("moved_at", models.DateTimeField()),
            (
                "rollout",
                models.OneToOneField(
                    help_text="while it is divided",
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.rollout",
                ),
            ),
        ],
        options={
            "indexes": [models.Index(fields=["name"], name="label_by_name")],
            "constraints": [
                models.UniqueConstraint(fields=("template", "name"), name="label_once"),
                models.CheckConstraint(
                    condition=models.Q(("name", "latest"), _negated=True), name="label_latest_moves_by_itself"
                ),
            ],
        },
    ),
    migrations.CreateModel(
        name="LiveFailure",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="live_failures", to="registry.template"
                ),
            ),
            (
                "version",
                models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.version"),
            ),
            ("evaluation", models.CharField(help_text="the name of the attached evaluation", max_length=64)),
            ("label", models.CharField(help_text="the label that served the version", max_length=64)),
            (
                "run",
                models.PositiveBigIntegerField(help_text="the number of the run, which a restore does not bring back"),
            ),
            ("findings", models.JSONField(default=list, help_text='["squad_f1 >= 0.8: 0.41"]')),
            ("since", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("template", "evaluation"), name="live_failure_once")]},
    ),
    migrations.CreateModel(
        name="Favourite",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="favourites", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="+", to="registry.template"
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("person", "template"), name="favourite_once")]},
    ),
    migrations.CreateModel(
        name="EditorPresence",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
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
            ("tab", models.CharField(help_text="a random number that the page made", max_length=32)),
            (
                "part",
                models.CharField(
                    blank=True, db_default="", default="", help_text="the part with the cursor", max_length=200
                ),
            ),
            ("seen_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("person", "tab"), name="editor_presence_once")]},
    ),
    migrations.CreateModel(
        name="FormerName",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "name",
                models.CharField(help_text="with the namespace: support/refunds/reply", max_length=520, unique=True),
            ),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="former_names", to="registry.template"
                ),
            ),
            ("renamed_at", models.DateTimeField()),
        ],
    ),
    migrations.CreateModel(
        name="CommentRevision",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "change",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="revisions", to="registry.changerequest"
                ),
            ),
            ("thread", models.PositiveIntegerField(help_text="its number, 0 for the words of a decision")),
            ("comment", models.PositiveIntegerField(help_text="its number in the thread, or that of the decision")),
            ("number", models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")),
            ("text", models.TextField(blank=True, default="")),
            ("is_deleted", models.BooleanField(default=False)),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "constraints": [
                models.UniqueConstraint(fields=("change", "thread", "comment", "number"), name="comment_revision_once")
            ]
        },
    ),
    migrations.CreateModel(
        name="Dataset",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="datasets", to="registry.namespace"
                ),
            ),
            (
                "name",
                models.CharField(
                    help_text="with the namespace: support/refunds/questions", max_length=520, unique=True
                ),
            ),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
            (
                "archived_at",
                models.DateTimeField(help_text="since when it is in no list; null for all others", null=True),
            ),
        ],
        options={"indexes": [models.Index(fields=["namespace", "name"], name="dataset_by_namespace")]},
    ),
    migrations.CreateModel(
        name="DatasetVersion",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "dataset",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="registry.dataset"
                ),
            ),
            ("number", models.PositiveIntegerField()),
            (
                "digest",
                models.CharField(
                    help_text="sha256:… over the text; the digest that evaluation.Dataset has", max_length=71
                ),
            ),
            ("text", models.TextField(help_text="a row a line, each as canonical JSON: {expected, id, inputs}")),
            ("count", models.PositiveIntegerField(help_text="how many rows")),
            (
                "base",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="successors",
                    to="registry.datasetversion",
                ),
            ),
            (
                "author",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "key",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="registry.key"
                ),
            ),
            ("message", models.TextField(blank=True, default="")),
            ("created_at", models.DateTimeField()),
        ],
        options={
            "indexes": [models.Index(fields=["dataset", "digest"], name="dataset_version_by_digest")],
            "constraints": [
                models.UniqueConstraint(fields=("dataset", "number"), name="dataset_version_number_once"),
                models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="dataset_version_from_one"),
            ],
        },
    ),
    migrations.CreateModel(
        name="Run",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "template",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="registry.template"
                ),
            ),
            (
                "version",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="registry.version"
                ),
            ),
            (
                "dataset_version",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="runs",
                    to="registry.datasetversion",
                ),
            ),
            (
                "samples",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="registry.sampleset"
                ),
            ),
            (
                "is_draft",
                models.BooleanField(
                    db_default=False, default=False, help_text="whether a text is asked that is no version"
                ),
            ),
            (
                "draft_bundle",
                models.TextField(
                    blank=True,
                    db_default="",
                    default="",
                    help_text="canonical JSON: that text with all it needs; empty once it was redacted",
                ),
            ),
            (
                "rows_digest",
                models.CharField(help_text="of the rows: runs with the same one can be compared", max_length=71),
            ),
            ("model", models.CharField(help_text="the name the operator gave it", max_length=64)),
            (
                "model_digest",
                models.CharField(help_text="over what it is: its address and id, or its replies", max_length=71),
            ),
            ("key", models.CharField(help_text="over the version's digest, the rows' and the model's", max_length=71)),
            ("metrics", models.JSONField(default=list, help_text="names of the metrics that are computed at the end")),
            (
                "judge",
                models.ForeignKey(
                    null=True, on_delete=django.db.models.deletion.PROTECT, related_name="judged", to="registry.version"
                ),
            ),
            ("judge_model", models.CharField(blank=True, default="", max_length=64)),
            ("judge_model_digest", models.CharField(blank=True, default="", max_length=71)),
            ("judge_paths", models.JSONField(default=dict, help_text="where in a row the judge finds what it reads")),
            (
                "state",
                models.CharField(
                    choices=[
                        ("queued", "queued"),
                        ("running", "running"),
                        ("done", "done"),
                        ("failed", "failed"),
                        ("cancelled", "cancelled"),
                    ],
                    default="queued",
                    max_length=9,
                ),
            ),
            ("total", models.PositiveIntegerField()),
            ("done", models.PositiveIntegerField(default=0)),
            ("failed", models.PositiveIntegerField(default=0)),
            ("cached", models.PositiveIntegerField(default=0, help_text="rows whose replies were known before")),
            ("prompt_tokens", models.PositiveBigIntegerField(default=0, help_text="as the provider counted them")),
            ("completion_tokens", models.PositiveBigIntegerField(default=0)),
            (
                "cost",
                models.DecimalField(decimal_places=6, help_text="null while it isn't known", max_digits=14, null=True),
            ),
            ("currency", models.CharField(blank=True, default="", max_length=3)),
            ("scores_text", models.TextField(default="{}", help_text="JSON: {metric: {target: score}}")),
            ("error", models.TextField(blank=True, default="")),
            (
                "change",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="runs",
                    to="registry.changerequest",
                ),
            ),
            (
                "evaluation",
                models.CharField(
                    blank=True,
                    default="",
                    help_text="the name of the evaluation that a nightly run is of",
                    max_length=64,
                ),
            ),
            (
                "night",
                models.DateField(help_text="the day (UTC) that a nightly run is for; null for all others", null=True),
            ),
            (
                "started_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
            ("started_at", models.DateTimeField(null=True)),
            ("finished_at", models.DateTimeField(null=True)),
        ],
        options={
            "indexes": [
                models.Index(fields=["template", "-id"], name="run_by_template"),
                models.Index(fields=["key", "state"], name="run_by_key"),
                models.Index(fields=["rows_digest", "state"], name="run_by_rows"),
                models.Index(fields=["state", "-id"], name="run_by_state"),
                models.Index(
                    condition=models.Q(("night__isnull", False)), fields=["-night", "template"], name="run_by_night"
                ),
            ],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(("state__in", ("queued", "running", "done", "failed", "cancelled"))),
                    name="run_state_known",
                ),
                models.CheckConstraint(
                    condition=models.Q(("dataset_version__isnull", True), ("samples__isnull", True), _connector="XOR"),
                    name="run_rows_from_one_place",
                ),
                models.UniqueConstraint(fields=("template", "evaluation", "night"), name="run_once_a_night"),
            ],
        },
    ),
    migrations.CreateModel(
        name="RunRow",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "run",
                models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="rows", to="registry.run"),
            ),
            ("index", models.PositiveIntegerField(help_text="the row's place in the dataset, from 0")),
            ("result", models.TextField(help_text="JSON: actual, problem, faults, prompts")),
            ("is_failed", models.BooleanField()),
            ("is_cached", models.BooleanField(default=False)),
            ("prompt_tokens", models.PositiveIntegerField(null=True)),
            ("completion_tokens", models.PositiveIntegerField(null=True)),
            ("cost", models.DecimalField(decimal_places=6, max_digits=14, null=True)),
            ("milliseconds", models.PositiveIntegerField(default=0, help_text="that the model took")),
            ("scores_text", models.TextField(default="{}", help_text='JSON: {"metric target": score}')),
            (
                "judgement_text",
                models.TextField(blank=True, default="", help_text="JSON: what the judge said, with its evidence"),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("run", "index"), name="run_row_once")]},
    ),
    migrations.CreateModel(
        name="Attachment",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "namespace",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="attachments", to="registry.namespace"
                ),
            ),
            ("name", models.CharField(help_text="a slug, once in the namespace", max_length=64)),
            ("pattern", models.CharField(help_text="over paths inside the namespace: refunds/*", max_length=200)),
            (
                "dataset",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="attachments", to="registry.dataset"
                ),
            ),
            ("dataset_version", models.PositiveIntegerField(help_text="a number, or null for the latest", null=True)),
            ("model", models.CharField(help_text="the name of a model that the operator lists", max_length=64)),
            ("gates", models.JSONField(default=list, help_text='["squad_f1 >= 0.8", "squad_f1 - 0.02"]')),
            ("metrics", models.JSONField(default=list, help_text="metrics that are shown beside those of the gates")),
            (
                "scores_needed",
                models.PositiveIntegerField(
                    default=20, help_text="scores by people that a gate on them is decided from"
                ),
            ),
            ("nightly", models.BooleanField(default=False, help_text="whether what is live is measured every night")),
            (
                "judge",
                models.ForeignKey(
                    null=True,
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="judging_evaluations",
                    to="registry.version",
                ),
            ),
            ("judge_model", models.CharField(blank=True, default="", max_length=64)),
            ("judge_paths", models.JSONField(default=dict, help_text="where in a row the judge finds what it reads")),
            (
                "created_by",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            ("created_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("namespace", "name"), name="attachment_once")]},
    ),
    migrations.CreateModel(
        name="PersonScore",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "run",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE, related_name="person_scores", to="registry.run"
                ),
            ),
            ("index", models.PositiveIntegerField(help_text="the row's place in the dataset, from 0")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                ),
            ),
            (
                "score",
                models.CharField(
                    choices=[
                        ("bad", "bad"),
                        ("good", "good"),
                        ("1", "1"),
                        ("2", "2"),
                        ("3", "3"),
                        ("4", "4"),
                        ("5", "5"),
                    ],
                    max_length=4,
                ),
            ),
            ("comment", models.TextField(blank=True, default="")),
            ("by_key", models.BooleanField(default=False, help_text="given through a key, so that no gate counts it")),
            ("created_at", models.DateTimeField()),
            ("updated_at", models.DateTimeField()),
        ],
        options={"constraints": [models.UniqueConstraint(fields=("run", "index", "person"), name="person_score_once")]},
    ),
    migrations.CreateModel(
        name="Improvement",
        fields=[
            ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
            (
                "person",
                models.ForeignKey(
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="improvements",
                    to=settings.AUTH_USER_MODEL,
                ),
            ),
            (
                "run",
                models.ForeignKey(
                    help_text="whose rows failed: the figures before",
                    on_delete=django.db.models.deletion.CASCADE,
                    related_name="improvements",
                    to="registry.run",
                ),
            ),
            (
                "measurement",
                models.OneToOneField(
                    help_text="the figures after",
                    null=True,
                    on_delete=django.db.models.deletion.SET_NULL,
                    related_name="measured_improvement",
                    to="registry.run",
                ),
            ),
            (
                "prompt",
                models.ForeignKey(
                    help_text="the template that asks the model",
                    on_delete=django.db.models.deletion.PROTECT,
                    related_name="+",
                    to="registry.version",
                ),
            ),
            (
                "model",
                models.CharField(help_text="the name of the connection, or the operator's of the model", max_length=64),
            ),
            ("model_digest", models.CharField(help_text="over what it is: its address and id", max_length=71)),
            ("guidance", models.TextField(blank=True, default="", help_text="the author's own words")),
            ("shown_rows", models.JSONField(default=list, help_text="indexes of the rows that the model is shown")),
            (
                "state",
                models.CharField(
                    choices=[
                        ("queued", "queued"),
                        ("asking", "asking"),
                        ("measuring", "measuring"),
                        ("failed", "failed"),
                        ("stopped", "stopped"),
                        ("taken", "taken"),
                        ("dismissed", "dismissed"),
                    ],
                    default="queued",
                    max_length=9,
                ),
            ),
            ("calls", models.PositiveSmallIntegerField(default=0, help_text="how often the model was asked")),
            ("reply", models.TextField(blank=True, default="", help_text="the last one")),
            ("problems_text", models.TextField(default="[]", help_text="JSON: why the last reply could not be used")),
            ("document", models.TextField(blank=True, default="", help_text="the proposed text")),
            (
                "bundle",
                models.TextField(blank=True, default="", help_text="canonical JSON: that text with all it needs"),
            ),
            ("explanation", models.TextField(blank=True, default="")),
            (
                "input_changes_text",
                models.TextField(default="[]", help_text="JSON: how the inputs change, in the model's words"),
            ),
            ("prompt_tokens", models.PositiveIntegerField(default=0, help_text="of all calls, as they count as spent")),
            ("completion_tokens", models.PositiveIntegerField(default=0)),
            (
                "cost",
                models.DecimalField(
                    decimal_places=6, help_text="of the calls; null: no price", max_digits=14, null=True
                ),
            ),
            ("currency", models.CharField(blank=True, default="", max_length=3)),
            ("error", models.TextField(blank=True, default="", help_text="why it failed")),
            (
                "draft_name",
                models.CharField(blank=True, default="", help_text="the draft that it was taken into", max_length=60),
            ),
            ("created_at", models.DateTimeField()),
            ("ended_at", models.DateTimeField(null=True)),
        ],
        options={
            "indexes": [models.Index(fields=["person", "run", "-id"], name="improvement_by_person")],
            "constraints": [
                models.CheckConstraint(
                    condition=models.Q(
                        ("state__in", ("queued", "asking", "measuring", "failed", "stopped", "taken", "dismissed"))
                    ),
                    name="improvement_state_known",
                )
            ],
        },
    ),
]


class Migration(migrations.Migration):
    replaces = [("registry", name) for name in _REPLACED]

    initial = True

    dependencies = [("auth", "0012_alter_user_first_name_max_length")]

    operations = [
        _additions.CreateModels(_MODELS),
        migrations.AddField(
            model_name="Template",
            name="latest",
            field=models.ForeignKey(
                help_text="null only while it is made",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.version",
            ),
        ),
        migrations.AddField(
            model_name="Dataset",
            name="latest",
            field=models.ForeignKey(
                help_text="null only while it is made",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="registry.datasetversion",
            ),
        ),
        migrations.RunPython(_additions.add_search_index, _additions.remove_search_index),
        migrations.RunPython(_additions.add_cache_table, _additions.remove_cache_table),
        Immutable(),
    ]
