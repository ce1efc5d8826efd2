"""Redactions: versions whose text was taken away for good. What is left is that they were, when, by whom and why."""

from django.db import models

from registry.models.people import User
from registry.models.versions import Version

__all__ = ["Redaction"]


class Redaction(models.Model):
    """The tombstone of one version. While a row stands here, and only then, the database lets the version's text go."""

    version = models.OneToOneField(Version, on_delete=models.PROTECT, related_name="redaction")
    reason = models.TextField()
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"redaction of {self.version_id}"
