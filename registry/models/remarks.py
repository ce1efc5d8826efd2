"""Remarks: what a reviewer means to say on lines of a request and has not sent yet. Seen by nobody else."""

from django.db import models

from registry.models.changes import ChangeRequest
from registry.models.people import User
from registry.models.threads import Thread
from registry.models.versions import Version

__all__ = ["Remark"]


class Remark(models.Model):
    """A comment kept until its writer sends the review: on lines as a thread would be, or in a thread there is."""

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="remarks")
    change = models.ForeignKey(ChangeRequest, on_delete=models.CASCADE, related_name="remarks")
    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="+", null=True, help_text="of a reply")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", help_text="what was looked at")
    side = models.CharField(max_length=8, choices=[(side, side) for side in Thread.SIDES])
    line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField(help_text="the last line meant, included")
    sample = models.CharField(max_length=200, default="", blank=True, help_text="of a rendered line")
    part = models.PositiveIntegerField(default=0, help_text="of a rendered line: the part's index, from 0")
    quote = models.TextField(help_text="the lines as they were")
    text = models.TextField(default="", blank=True)
    suggestion = models.TextField(null=True, help_text="new text of the lines, null where nothing is suggested")  # noqa: DJ001  # an empty suggestion removes the lines
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["change", "person"], name="remark_of_person")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(line__gte=1, end_line__gte=models.F("line")), name="remark_lines_in_order"
            )
        ]

    def __str__(self) -> str:
        return f"remark {self.pk} on change {self.change_id}"
