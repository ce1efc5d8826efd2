"""Threads: discussion pinned to lines of a document or of what it renders to."""

from django.db import models

from registry.models.changes import ChangeRequest
from registry.models.people import User
from registry.models.versions import Version

__all__ = ["Comment", "Thread"]


class Thread(models.Model):
    """A place in a request that people talk about. Lines are 1-based; a rendered one is a line of one part of a sample."""

    SOURCE = "source"
    RENDERED = "rendered"
    SIDES = (SOURCE, RENDERED)

    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="threads")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the request")
    version = models.ForeignKey(Version, on_delete=models.PROTECT, related_name="+", help_text="what was looked at")
    side = models.CharField(max_length=8, choices=[(side, side) for side in SIDES])
    line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField(help_text="the last line meant, included")
    sample = models.CharField(max_length=200, default="", blank=True, help_text="of a rendered line")
    part = models.PositiveIntegerField(default=0, help_text="of a rendered line: the part's index, from 0")
    quote = models.TextField(help_text="the lines as they were")
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["change", "number"], name="thread_number_once"),
            models.CheckConstraint(
                condition=models.Q(line__gte=1, end_line__gte=models.F("line")), name="thread_lines_in_order"
            ),
            models.CheckConstraint(
                condition=models.Q(side="source", sample="") | models.Q(side="rendered"), name="thread_side_known"
            ),
        ]

    def __str__(self) -> str:
        return f"thread {self.number} of change {self.change_id}"


class Comment(models.Model):
    """What one person said in a thread, maybe with lines to put in place of those it is about. Never changed."""

    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, related_name="comments")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the thread")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    text = models.TextField(default="", blank=True)
    suggestion = models.TextField(null=True, help_text="new text of the lines, null where nothing is suggested")  # noqa: DJ001  # an empty suggestion removes the lines
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "number"], name="comment_number_once")]

    def __str__(self) -> str:
        return f"comment {self.number} in {self.thread_id}"
