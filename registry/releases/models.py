"""Releases, and comments on a release as a whole. The members are change requests: `ChangeRequest.release`."""

from datetime import datetime

from django.db import models

from registry.accounts.models import User
from registry.namespaces.models import Namespace

__all__ = ["Release", "ReleaseComment", "ReleaseCommentRevision"]


class Release(models.Model):
    """Change requests for one label of templates of one namespace, published together or not at all."""

    OPEN = "open"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    STATES = (OPEN, PUBLISHED, WITHDRAWN)

    number = models.PositiveIntegerField(primary_key=True)
    namespace = models.ForeignKey(Namespace, on_delete=models.PROTECT, related_name="releases")
    label = models.CharField(max_length=36)
    title = models.CharField(max_length=200)
    description = models.TextField(default="", blank=True)
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=OPEN)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    goes_live_at = models.DateTimeField(null=True, help_text="when the worker publishes it")
    scheduled_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    schedule_key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    rolled_back_at = models.DateTimeField(null=True, help_text="when labels were rolled back together last")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("open", "published", "withdrawn")), name="release_state_known"
            )
        ]
        indexes = [
            models.Index(fields=["namespace", "-number"], name="release_by_namespace"),
            models.Index(fields=["state", "-number"], name="release_by_state"),
        ]

    def __str__(self) -> str:
        return f"release {self.number}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be published."""
        return self.state == self.OPEN

    @property
    def scheduled_at(self) -> datetime | None:
        """When the worker publishes it; None if it isn't scheduled, or is closed, however it was published."""
        return self.goes_live_at if self.is_open else None


class ReleaseComment(models.Model):
    """A person's comment on a release as a whole, as first written. Never changed."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="comments")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the release")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    text = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["release", "number"], name="release_comment_number_once")]

    def __str__(self) -> str:
        return f"comment {self.number} on release {self.release_id}"  # no text: for the shell


class ReleaseCommentRevision(models.Model):
    """A later text of a comment on a release, by its author; or its deletion. Never changed."""

    release = models.ForeignKey(Release, on_delete=models.PROTECT, related_name="comment_revisions")
    comment = models.PositiveIntegerField(help_text="its number within the release")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")
    text = models.TextField(default="", blank=True)
    is_deleted = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "comment", "number"], name="release_comment_revision_once")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of comment {self.comment} on release {self.release_id}"
