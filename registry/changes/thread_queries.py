"""Threads of a request, with where their lines stand in the version it proposes now."""

from dataclasses import dataclass

from registry.changes.line_anchors import Anchors
from registry.changes.models import ChangeRequest, Comment, Thread

__all__ = ["PlacedThread", "list_threads"]


@dataclass(frozen=True)
class PlacedThread:
    """A thread with its comments. `line` and `end_line` are in the head, None where what it is about was changed since."""

    thread: Thread
    comments: tuple[Comment, ...]
    line: int | None
    end_line: int | None

    @property
    def is_outdated(self) -> bool:
        """Whether its lines are not in the head any more."""
        return self.line is None

    @property
    def is_resolved(self) -> bool:
        """Whether it was closed."""
        return self.thread.resolved_at is not None


def list_threads(change: ChangeRequest) -> list[PlacedThread]:
    """All threads of the request in the order they were opened; two queries however many there are."""
    rows = Thread.objects.filter(change=change).select_related("version", "resolved_by").order_by("number")
    found = rows.prefetch_related("comments__person")
    known: dict[int, Anchors] = {}
    return [_placed(change, thread, known) for thread in found]


def _placed(change: ChangeRequest, thread: Thread, known: dict[int, Anchors]) -> PlacedThread:
    """`known` has the anchors of each version that a thread was opened on, so that it is compared once."""
    comments = tuple(sorted(thread.comments.all(), key=lambda comment: comment.number))
    if thread.version.digest == change.version.digest:
        return PlacedThread(thread, comments, thread.line, thread.end_line)
    lines = None
    if thread.side == Thread.SOURCE:
        if thread.version_id not in known:
            known[thread.version_id] = Anchors(thread.version.remaining, change.version.remaining)
        lines = known[thread.version_id].find(thread.line, thread.end_line)
    return PlacedThread(thread, comments, *(lines or (None, None)))
