"""Tables of usage: daily counts of fetches and client reports, and the scores of replies."""

from django.db import models

from registry.accounts.models import Key
from registry.templates.models import Version

__all__ = ["Fetch", "Outcome", "OutcomeTotal", "Report"]


class Fetch(models.Model):
    """How often a key fetched a version by one ref on one day (UTC)."""

    key = models.ForeignKey(Key, on_delete=models.CASCADE, related_name="fetches", db_index=False)
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="fetches")
    ref = models.CharField(max_length=80, help_text="as the caller wrote it: a label, a number, sha256:…")
    former_name = models.CharField(
        max_length=520, default="", blank=True, help_text="the former name it was asked by, or empty"
    )
    day = models.DateField()
    count = models.PositiveBigIntegerField()
    last_at = models.DateTimeField(help_text="to the few seconds between two writes")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "day", "key", "ref", "former_name"], name="fetch_once_a_day")
        ]
        indexes = [
            models.Index(fields=["day"], name="fetch_by_day"),
            models.Index(fields=["key", "day"], name="fetch_by_key"),
        ]

    def __str__(self) -> str:
        return f"{self.count} of {self.version_id} by {self.key_id} on {self.day}"


class Report(models.Model):
    """The reports of one key's clients on one version on one day, summed. Never contains input values."""

    key = models.ForeignKey(Key, on_delete=models.CASCADE, related_name="reports")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="reports")
    day = models.DateField()
    renders = models.PositiveBigIntegerField(default=0, help_text="that succeeded")
    cut = models.PositiveBigIntegerField(default=0, help_text="of these, how many lost text to the token limit")
    failures = models.TextField(default="{}", help_text="JSON: problem code or error class to how often")
    tokens = models.TextField(
        default="{}", help_text="JSON: tokens, rounded up to two figures, to how many prompts had them"
    )
    inputs = models.TextField(default="{}", help_text="JSON: name of an input to how many renderings were given it")
    last_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "day", "key"], name="report_once_a_day")]
        indexes = [models.Index(fields=["day"], name="report_by_day")]

    def __str__(self) -> str:
        return f"{self.renders} of {self.version_id} by {self.key_id} on {self.day}"


class OutcomeTotal(models.Model):
    """The scores of one version's replies on one day (UTC) under one name, summed."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="outcome_totals")
    name = models.CharField(max_length=60, help_text="of the score: `helpful`")
    by_person = models.BooleanField(help_text="reported by somebody signed in, not by a service with its key")
    day = models.DateField()
    count = models.PositiveBigIntegerField(default=0)
    total = models.FloatField(default=0.0, help_text="sum of the values")
    squares = models.FloatField(default=0.0, help_text="sum of the squared values")
    graded = models.PositiveBigIntegerField(default=0, help_text="how many values are neither 0 nor 1")
    last_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["version", "name", "by_person", "day"], name="outcome_total_once_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.count} of {self.name} for {self.version_id} on {self.day}"


class Outcome(models.Model):
    """One score with a trace id or a bucket, kept for a while: a trace id counts once, and distinct buckets are
    counted.

    Its part in the totals stays when the row is deleted. It never contains the text of a reply.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="outcomes")
    name = models.CharField(max_length=60)
    by_person = models.BooleanField()
    trace_id = models.CharField(max_length=100, help_text="the caller's, or empty")
    bucket = models.CharField(max_length=32, help_text="the start of the SHA-256 of the caller's bucket, or empty")
    value = models.FloatField()
    day = models.DateField(help_text="whose total the value is in")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["version", "name", "by_person", "trace_id"],
                condition=~models.Q(trace_id=""),
                name="outcome_once_a_trace",
            )
        ]
        indexes = [models.Index(fields=["day"], name="outcome_by_day")]

    def __str__(self) -> str:
        return f"{self.name} {self.value} for {self.version_id}"
