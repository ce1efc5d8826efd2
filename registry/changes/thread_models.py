"""Threads of a change request with their comments, and unsent remarks."""

from collections.abc import Collection

from django.db import models

from registry.accounts.models import User
from registry.changes.models import ChangeRequest
from registry.templates.models import Version

__all__ = ["Comment", "CommentRevision", "Remark", "Thread", "count_open_threads"]


class Thread(models.Model):
    """A discussion about lines of a request. Lines are 1-based; for rendered ones, within one part of a sample."""

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
        return f"thread {self.number} of change {self.change_id}"  # no text: for the shell


class Comment(models.Model):
    """A person's comment in a thread, optionally with replacement lines. Never changed: later edits by its author are
    `CommentRevision` rows.
    """

    thread = models.ForeignKey(Thread, on_delete=models.PROTECT, related_name="comments")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the thread")
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    key = models.ForeignKey("registry.Key", on_delete=models.PROTECT, related_name="+", null=True)
    text = models.TextField(default="", blank=True)
    suggestion = models.TextField(  # noqa: DJ001  # an empty suggestion removes the lines
        null=True, help_text="new text of the lines, null where nothing is suggested"
    )
    created_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["thread", "number"], name="comment_number_once")]

    def __str__(self) -> str:
        return f"comment {self.number} in {self.thread_id}"


class CommentRevision(models.Model):
    """A later text of a comment, or of a decision's comment, by its author; or its deletion. Never changed."""

    change = models.ForeignKey(ChangeRequest, on_delete=models.PROTECT, related_name="revisions")
    thread = models.PositiveIntegerField(help_text="its number, 0 for the words of a decision")
    comment = models.PositiveIntegerField(help_text="its number in the thread, or that of the decision")
    number = models.PositiveIntegerField(help_text="1, 2, 3 … within the comment")
    text = models.TextField(default="", blank=True)
    is_deleted = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["change", "thread", "comment", "number"], name="comment_revision_once")
        ]

    def __str__(self) -> str:
        return f"revision {self.number} of comment {self.comment} in change {self.change_id}"  # no text: for the shell


class Remark(models.Model):
    """A comment kept until its author sends the review: on lines, like a new thread, or in an existing thread."""

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
    suggestion = models.TextField(  # noqa: DJ001  # an empty suggestion removes the lines
        null=True, help_text="new text of the lines, null where nothing is suggested"
    )
    updated_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["change", "person"], name="remark_of_person")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(line__gte=1, end_line__gte=models.F("line")), name="remark_lines_in_order"
            )
        ]

    def __str__(self) -> str:
        return f"remark {self.pk} on change {self.change_id}"  # no text: for the shell


def count_open_threads(change_ids: Collection[int]) -> dict[int, int]:
    """Count the unresolved threads of each of these requests; requests without any are left out."""
    rows = Thread.objects.filter(change__in=change_ids, resolved_at=None).values_list("change")
    return dict(rows.annotate(count=models.Count("pk")))
