"""Tables of webhooks and of their delivery log.

They are not in the journal: an address may contain a secret, and the events themselves record what was sent.
"""

import json
from urllib.parse import urlsplit

from django.db import models

from registry.accounts.models import User
from registry.core.encryption import unseal
from registry.namespaces.models import Namespace

__all__ = ["Attempt", "Delivery", "Webhook", "WebhookSecret"]


class Webhook(models.Model):
    """A webhook: an outside address that gets a namespace's events, or some kinds of them.

    The address of a Slack or Teams channel is itself a secret, as anyone who has it can post there: it is sealed, and
    `url` contains only its scheme and host.
    """

    STANDARD = "standard"
    SLACK = "slack"
    TEAMS = "teams"
    RECEIVERS = (STANDARD, SLACK, TEAMS)

    id = models.CharField(max_length=8, primary_key=True)
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="webhooks")
    receiver = models.CharField(
        max_length=8, choices=[(receiver, receiver) for receiver in RECEIVERS], default=STANDARD
    )
    url = models.CharField(max_length=2000)
    sealed_url = models.TextField(default="", blank=True, help_text="the whole address where it is a secret")
    kinds = models.TextField(default="[]", help_text="JSON list of the kinds of events it hears of; empty: all")
    template = models.CharField(max_length=200, default="", blank=True, help_text="pattern of paths; empty: all")
    cursor = models.BigIntegerField(help_text="the number of the last event that was looked at for it")
    paused_at = models.DateTimeField(null=True)
    pause_reason = models.CharField(max_length=300, default="", blank=True)
    claimed_until = models.DateTimeField(null=True, help_text="until then one worker alone sends for it")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(receiver__in=("standard", "slack", "teams")), name="webhook_receiver_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id} of {self.namespace.name}"

    @property
    def is_chat(self) -> bool:
        """Whether the messages go to a chat, and so are not signed."""
        return self.receiver != self.STANDARD

    @property
    def address(self) -> str:
        """The whole address. Raises Conflict if it was sealed under another secret key."""
        return unseal(self.sealed_url) if self.sealed_url else self.url

    @property
    def host(self) -> str:
        """The host of the address: the only part that may be shown and journaled."""
        return urlsplit(self.url).hostname or ""

    @property
    def subscribed_kinds(self) -> list[str]:
        """The kinds of events that are sent; empty for all."""
        return list(json.loads(self.kinds))


class WebhookSecret(models.Model):
    """A secret that deliveries are signed with, sealed; after a rotation two are valid for a while."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="secrets")
    sealed = models.TextField(help_text="readable with the instance's secret key only")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"a secret of {self.webhook_id}"


class Delivery(models.Model):
    """One message for one webhook. `event` is null for a test message."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    STATES = (PENDING, DELIVERED, FAILED)

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.BigIntegerField(null=True)
    message = models.CharField(max_length=40, unique=True, help_text="the id that receivers tell repeats by")
    kind = models.CharField(max_length=40)
    body = models.TextField(help_text="the JSON text that is signed and sent")
    state = models.CharField(max_length=9, choices=[(state, state) for state in STATES], default=PENDING)
    attempts_made = models.PositiveSmallIntegerField(default=0, help_text="since it was last asked for")
    due_at = models.DateTimeField()
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "event"], name="delivery_once"),
            models.CheckConstraint(
                condition=models.Q(state__in=("pending", "delivered", "failed")), name="delivery_state_known"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "due_at"], name="delivery_due"),
            models.Index(fields=["webhook", "state", "finished_at"], name="delivery_by_state"),
        ]

    def __str__(self) -> str:
        return self.message


class Attempt(models.Model):
    """One attempt to deliver: the response, or the error."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True, help_text="the answer's HTTP status; null: none came")
    milliseconds = models.PositiveIntegerField()
    said = models.TextField(default="", help_text="the beginning of the answer, or why there was none")

    def __str__(self) -> str:
        return f"{self.delivery_id}: {self.status or self.said}"
