"""Connections to models, the caps on their cost, and what was spent."""

from django.db import models

from registry.accounts.models import User
from registry.namespaces.models import Namespace

__all__ = ["Connection", "Spending", "SpendingCap"]


class Connection(models.Model):
    """A model endpoint that a namespace's admins connected."""

    OPENAI = "openai"
    RESPONSES = "responses"
    ANTHROPIC = "anthropic"
    PROTOCOLS = (OPENAI, RESPONSES, ANTHROPIC)

    id = models.CharField(max_length=8, primary_key=True)
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="connections")
    name = models.CharField(max_length=64, help_text="what people choose it by; one of each in a namespace")
    protocol = models.CharField(max_length=9, choices=[(protocol, protocol) for protocol in PROTOCOLS])
    base_url = models.CharField(max_length=2000, help_text="up to and without the protocol's own path")
    model = models.CharField(max_length=200, help_text="the provider's id of the model")
    sealed_key = models.TextField(default="", help_text="readable with the instance's secret key only; empty: none")
    has_key = models.BooleanField(default=False, help_text="whether it needs a key; true with none after a restore")
    prompt_price = models.DecimalField(
        null=True, max_digits=14, decimal_places=6, help_text="of a million tokens; null: not known"
    )
    completion_price = models.DecimalField(
        null=True, max_digits=14, decimal_places=6, help_text="of a million tokens; null: not known"
    )
    currency = models.CharField(max_length=3, default="USD")
    timeout = models.PositiveSmallIntegerField(default=60, help_text="seconds a try")
    concurrency = models.PositiveSmallIntegerField(default=4, help_text="calls at once of one evaluation run")
    per_second = models.FloatField(null=True, help_text="most calls a second of one process; null: no limit")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["namespace", "name"], name="connection_name_once"),
            models.CheckConstraint(
                condition=models.Q(protocol__in=("openai", "responses", "anthropic")), name="connection_protocol_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.namespace.name}"

    @property
    def needs_key(self) -> bool:
        """Whether its key has to be entered again: a restore brings the connection back without it."""
        return self.has_key and not self.sealed_key


class SpendingCap(models.Model):
    """The caps on the cost of model calls in a namespace."""

    namespace = models.OneToOneField(Namespace, on_delete=models.PROTECT, related_name="spending_cap")
    person_day = models.DecimalField(
        null=True, max_digits=14, decimal_places=6, help_text="of one person in a day (UTC); null: no cap"
    )
    namespace_month = models.DecimalField(
        null=True, max_digits=14, decimal_places=6, help_text="of all in a month (UTC); null: no cap"
    )
    currency = models.CharField(max_length=3, default="USD")

    def __str__(self) -> str:
        return f"cap of {self.namespace.name}"


class Spending(models.Model):
    """The cost of one person's calls of one model in a day. Counted as replies arrive; not in the journal."""

    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="spending")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    model = models.CharField(max_length=64, help_text="the name of the connection, or the operator's of the model")
    day = models.DateField(help_text="in UTC")
    currency = models.CharField(max_length=3)
    calls = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveBigIntegerField(default=0)
    completion_tokens = models.PositiveBigIntegerField(default=0)
    cost = models.DecimalField(default=0, max_digits=14, decimal_places=6)

    class Meta:
        verbose_name_plural = "spending"
        constraints = [
            models.UniqueConstraint(fields=["namespace", "person", "model", "day", "currency"], name="spending_once")
        ]
        indexes = [models.Index(fields=["namespace", "day"], name="spending_by_day")]

    def __str__(self) -> str:
        return f"{self.cost} {self.currency} for {self.model} on {self.day}"
