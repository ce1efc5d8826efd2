"""Change requests: the proposal that a protected label point to a version."""

from django.db import models

from registry.models.people import User
from registry.models.templates import Template
from registry.models.versions import Version

__all__ = ["ChangeRequest"]


class ChangeRequest(models.Model):
    """One proposal. `round` rises with each new head, and decisions count in their own round only."""

    OPEN = "open"
    APPROVED = "approved"
    PUBLISHED = "published"
    WITHDRAWN = "withdrawn"
    STATES = (OPEN, APPROVED, PUBLISHED, WITHDRAWN)

    number = models.PositiveIntegerField(primary_key=True)
    template = models.ForeignKey(Template, on_delete=models.PROTECT, related_name="changes")
    label = models.CharField(max_length=36)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="changes", help_text="the head")
    round = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=16, choices=[(state, state) for state in STATES], default=OPEN)
    unreviewed = models.BooleanField(default=False, help_text="published in an emergency, approvals still missing")
    emergency_closed_at = models.DateTimeField(
        null=True, help_text="when an emergency that is served no longer was closed without an approval"
    )
    message = models.TextField(default="", blank=True)
    opened_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    decided = models.JSONField(null=True, help_text="what it was decided on, as registry.review.decided keeps it")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=("open", "approved", "published", "withdrawn")), name="change_state_known"
            ),
            models.UniqueConstraint(
                fields=["template", "label", "version"],
                condition=models.Q(state__in=("open", "approved")),
                name="change_once_while_open",
            ),
        ]
        indexes = [
            models.Index(fields=["state", "-number"], name="change_by_state"),
            models.Index(fields=["template", "label"], name="change_by_label"),
        ]

    def __str__(self) -> str:
        return f"change {self.number}"

    @property
    def is_open(self) -> bool:
        """Whether decisions and publishing are still possible."""
        return self.state in (self.OPEN, self.APPROVED)

    @property
    def takes_decisions(self) -> bool:
        """Whether approvals still count: while it is pending, and after an emergency until it is reviewed."""
        return self.is_open or self.needs_approval

    @property
    def needs_approval(self) -> bool:
        """Whether it was published in an emergency that is neither approved nor closed. `unreviewed` stays for ever on one
        that was closed: nobody approved those bytes."""
        return self.unreviewed and self.emergency_closed_at is None
