"""Who uses what: counts a day, written by the processes that answer fetches. No decision hangs on a single one."""

from django.db import models

from registry.models.keys import Key
from registry.models.versions import Version

__all__ = ["Fetch"]


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
