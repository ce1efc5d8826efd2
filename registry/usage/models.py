"""Tables of usage: counts a day of fetches and of what clients report. No decision depends on a single count."""

from django.db import models

from registry.accounts.models import Key
from registry.templates.models import Version

__all__ = ["Fetch", "Report"]


class Fetch(models.Model):
    """How often a key got a version by one ref on one day (UTC)."""

    key = models.ForeignKey(Key, on_delete=models.CASCADE, related_name="fetches")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="fetches")
    ref = models.CharField(max_length=80, help_text="as the caller wrote it: a label, a number, sha256:…")
    day = models.DateField()
    count = models.PositiveBigIntegerField()
    last_at = models.DateTimeField(help_text="to the few seconds between two writes")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "day", "key", "ref"], name="fetch_once_a_day")]
        indexes = [models.Index(fields=["day"], name="fetch_by_day")]

    def __str__(self) -> str:
        return f"{self.count} of {self.version_id} by {self.key_id} on {self.day}"


class Report(models.Model):
    """What the clients with one key said of one version on one day, added up. Never a value that anybody sent."""

    key = models.ForeignKey(Key, on_delete=models.CASCADE, related_name="reports")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="reports")
    day = models.DateField()
    renders = models.PositiveBigIntegerField(default=0, help_text="that succeeded")
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
