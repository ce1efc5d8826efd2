"""Decisions: what a reviewer said to one label and one digest."""

from django.db import models

from registry.models.changes import ChangeRequest
from registry.models.people import User
from registry.models.versions import Version

__all__ = ["Decision"]


class Decision(models.Model):
    """One person's yes, no or remark in one round of a request. Never changed, never deleted."""

    APPROVE = "approve"
    REQUEST_CHANGES = "request_changes"
    COMMENT = "comment"
    ACKNOWLEDGE = "acknowledge"  # a break of the contract, seen and accepted
    DECISIONS = (APPROVE, REQUEST_CHANGES, COMMENT, ACKNOWLEDGE)

    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the request")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    decision = models.CharField(max_length=16, choices=[(decision, decision) for decision in DECISIONS])
    label = models.CharField(max_length=36)
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+")
    digest = models.CharField(max_length=71)
    round = models.PositiveIntegerField()
    text = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["change", "number"], name="decision_number_once"),
            models.CheckConstraint(
                condition=models.Q(decision__in=("approve", "request_changes", "comment", "acknowledge")),
                name="decision_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(decision__in=("approve", "acknowledge")) | models.Q(key__isnull=True),
                name="decision_key_never_approves",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.decision} in change {self.change_id}"
