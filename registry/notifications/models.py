"""Tables of notifications, and of watches: what people want mail about."""

from django.db import models

from registry.accounts.models import Key, User
from registry.changes.models import ChangeRequest
from registry.namespaces.models import Namespace
from registry.templates.models import Template

__all__ = ["EMERGENCY", "MENTION", "RELEASE_DECISION", "TWO_STEP_REMINDER", "UNUSED_KEY", "Notification", "Watch"]


# The kind of emergency notifications to possible approvers, which are mailed regardless of their watches.
EMERGENCY = "emergency"
RELEASE_DECISION = "release.decided"  # the kind of notifications about a decision on several templates of a release
MENTION = "mention"  # the kind of notifications about mentions in a conversation
UNUSED_KEY = "unused-key"  # the kind of notifications about unused keys
TWO_STEP_REMINDER = "two-step-reminder"  # the kind of reminders to turn on two-step sign-in


class Notification(models.Model):
    """One sentence for one person, about a request, a template, a key that acts for them, or their own sign-in."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=40, help_text="the kind of the event it comes from")
    sentence = models.TextField()
    is_waiting = models.BooleanField(default=False, help_text="whether the person is expected to act")
    template = models.ForeignKey(Template, on_delete=models.CASCADE, related_name="+", null=True, help_text="or a key")
    change = models.ForeignKey(ChangeRequest, on_delete=models.CASCADE, related_name="+", null=True)
    key = models.ForeignKey(Key, on_delete=models.CASCADE, related_name="+", null=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True)
    mailed_at = models.DateTimeField(null=True, help_text="when it went out by mail, or was found to need none")

    class Meta:
        indexes = [
            models.Index(fields=["person", "read_at", "-id"], name="notification_unread"),
            models.Index(fields=["id"], condition=models.Q(mailed_at=None), name="notification_unmailed"),
        ]

    def __str__(self) -> str:
        return self.sentence


class Watch(models.Model):
    """A person's mail level for a namespace, for paths in it, or (without one) for everywhere. The most specific one
    applies.
    """

    ALL = "all"
    MINE = "mine"
    NONE = "none"
    LEVELS = (ALL, MINE, NONE)
    PUBLISHED = "published"
    PROPOSED = "proposed"
    COMMENTS = "comments"
    SAVED = "saved"
    TOPICS = (PUBLISHED, PROPOSED, COMMENTS, SAVED)

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="watches")
    namespace = models.ForeignKey(Namespace, on_delete=models.CASCADE, related_name="+", null=True)
    template = models.CharField(max_length=200, default="", blank=True, help_text="pattern of paths; empty: all")
    level = models.CharField(max_length=4, choices=[(level, level) for level in LEVELS])
    topics = models.CharField(
        max_length=60, default="", blank=True, help_text="with all: what of it, separated by commas; empty: everything"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["person", "namespace", "template"], name="watch_once"),
            models.UniqueConstraint(
                fields=["person", "template"], condition=models.Q(namespace=None), name="watch_once_everywhere"
            ),
            models.CheckConstraint(condition=models.Q(level__in=("all", "mine", "none")), name="watch_level_known"),
        ]
        verbose_name_plural = "watches"

    def __str__(self) -> str:
        return f"{self.person.username}: {self.level}"

    @property
    def topic_list(self) -> list[str]:
        """The topics of `all`; empty for everything."""
        return self.topics.split(",") if self.topics else []
