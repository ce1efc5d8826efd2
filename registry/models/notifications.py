"""Notifications: what somebody should know or is waited for. Read and forgotten; part of no journal."""

from django.db import models

from registry.models.changes import ChangeRequest
from registry.models.keys import Key
from registry.models.people import User
from registry.models.templates import Template

__all__ = ["EMERGENCY", "Notification"]

# The kind of what tells those who may approve of an emergency: it goes out by mail whatever they wish to hear of.
EMERGENCY = "emergency"


class Notification(models.Model):
    """One sentence for one person, about a request, a template, or a key that acts for them."""

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
