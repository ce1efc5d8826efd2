"""The journal's rows, and the mirror's commit for each."""

from django.db import models

__all__ = ["Commit", "Event"]


class Event(models.Model):
    """One lasting decision. `text` is hashed; the other columns repeat parts of it for queries.

    There are no foreign keys: an event stays readable whatever happens to the rows it is about.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    kind = models.CharField(max_length=40)
    at = models.BigIntegerField(help_text="microseconds since 1970 UTC")
    person = models.CharField(max_length=150)
    key = models.CharField(max_length=16, default="", blank=True)
    namespace = models.CharField(max_length=64, default="", blank=True)
    template = models.CharField(max_length=520, default="", blank=True)
    version = models.PositiveIntegerField(null=True)
    change = models.PositiveIntegerField(null=True)
    text = models.TextField(help_text="canonical JSON of the whole event, with the hash of the one before")
    hash = models.CharField(max_length=71, unique=True, help_text="sha256:… over the text")

    class Meta:
        indexes = [
            models.Index(fields=["namespace", "-number"], name="event_by_namespace"),
            models.Index(fields=["template", "kind", "version"], name="event_by_template"),
            models.Index(fields=["change", "number"], name="event_by_change"),
            models.Index(fields=["namespace", "kind", "-number"], name="event_by_kind"),
            models.Index(fields=["namespace", "person", "-number"], name="event_by_person"),
            models.Index(fields=["namespace", "-at", "-number"], name="event_by_time"),
            models.Index(fields=["namespace", "key", "-number"], name="event_by_key"),
        ]

    def __str__(self) -> str:
        return f"event {self.number}: {self.kind}"


class Commit(models.Model):
    """A cache of the mirror's commits; where writing resumes is read from Git itself."""

    event = models.OneToOneField(Event, on_delete=models.CASCADE, primary_key=True, related_name="commit")
    sha = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.sha
