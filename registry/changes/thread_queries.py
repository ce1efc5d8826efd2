"""The threads of a change request as they read now: placed in its head, with the current texts of their comments."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from registry.accounts.actor import Actor
from registry.changes.line_anchors import Anchors
from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Comment, CommentRevision, Remark, Thread

__all__ = [
    "NO_TEXT",
    "CommentText",
    "CommentTexts",
    "EarlierText",
    "PlacedThread",
    "ReadComment",
    "Revision",
    "list_remarks",
    "list_threads",
    "read_comment_text",
]


@dataclass(frozen=True)
class EarlierText:
    """A replaced text, and when it was written."""

    text: str
    at: datetime


@dataclass(frozen=True)
class CommentText:
    """The current text of a comment, empty if its author deleted it. earlier: the replaced texts, oldest first.

    changed_at: time of the last edit or the deletion; None without either.
    """

    text: str
    earlier: tuple[EarlierText, ...] = ()
    changed_at: datetime | None = None
    is_deleted: bool = False


@dataclass(frozen=True)
class ReadComment:
    """A comment with its current text."""

    comment: Comment
    comment_text: CommentText

    @property
    def suggestion(self) -> str | None:
        """The suggested lines; None for a deleted comment."""
        return None if self.comment_text.is_deleted else self.comment.suggestion


NO_TEXT = CommentText("")


class Revision(Protocol):
    """A later text of a comment on a change or a release, or its deletion."""

    text: str
    is_deleted: bool
    created_at: datetime


def read_comment_text(first: str, at: datetime, revisions: Sequence[Revision]) -> CommentText:
    """Return a comment's text after its revisions (oldest first). first, at: its original text and time."""
    if not revisions:
        return CommentText(first)
    last = revisions[-1]
    if last.is_deleted:
        return CommentText("", changed_at=last.created_at, is_deleted=True)
    texts = [EarlierText(first, at), *(EarlierText(row.text, row.created_at) for row in revisions)]
    return CommentText(last.text, tuple(texts[:-1]), last.created_at)


class CommentTexts:
    """The texts of a request's comments; one query for all of them."""

    def __init__(self, change: ChangeRequest) -> None:
        revisions: defaultdict[tuple[int, int], list[CommentRevision]] = defaultdict(list)
        for row in CommentRevision.objects.filter(change=change).order_by("number"):
            revisions[row.thread, row.comment].append(row)
        self._revisions: Mapping[tuple[int, int], Sequence[CommentRevision]] = dict(revisions)

    def find(self, thread: int, comment: int, first: str, at: datetime) -> CommentText:
        """The current text of the comment with this number in the thread, or in thread 0 of the decision with that
        number. first, at: its original text and time.
        """
        return read_comment_text(first, at, self._revisions.get((thread, comment), ()))


@dataclass(frozen=True)
class PlacedThread:
    """A thread with its comments. `line` and `end_line` refer to the head; None if those lines were changed since."""

    thread: Thread
    comments: tuple[Comment, ...]
    line: int | None
    end_line: int | None
    texts: CommentTexts

    @property
    def is_outdated(self) -> bool:
        """Whether its lines are gone from the head."""
        return self.line is None

    @property
    def is_resolved(self) -> bool:
        """Whether it was resolved."""
        return self.thread.resolved_at is not None

    @property
    def read_comments(self) -> list[ReadComment]:
        """Its comments with their current texts."""
        place = self.thread.number
        return [ReadComment(it, self.texts.find(place, it.number, it.text, it.created_at)) for it in self.comments]


def list_threads(change: ChangeRequest, texts: CommentTexts | None = None) -> list[PlacedThread]:
    """All threads of the request in the order they were opened: three queries however many there are, one less if the
    request's texts are given.
    """
    texts = texts or CommentTexts(change)
    rows = Thread.objects.filter(change=change).select_related("version", "resolved_by").order_by("number")
    thread_rows = rows.prefetch_related("comments__person")
    anchors_by_version: dict[int, Anchors] = {}
    return [_place_thread(change, thread, anchors_by_version, texts) for thread in thread_rows]


def _place_thread(
    change: ChangeRequest, thread: Thread, anchors_by_version: dict[int, Anchors], texts: CommentTexts
) -> PlacedThread:
    """anchors_by_version: filled here, so that each version is compared once."""
    comments = tuple(sorted(thread.comments.all(), key=lambda comment: comment.number))
    if thread.version.digest == change.version.digest:
        return PlacedThread(thread, comments, thread.line, thread.end_line, texts)
    lines = None
    if thread.side == Thread.SOURCE:
        if thread.version_id not in anchors_by_version:
            anchors_by_version[thread.version_id] = Anchors(thread.version.remaining, change.version.remaining)
        lines = anchors_by_version[thread.version_id].find(thread.line, thread.end_line)
    line, end_line = lines or (None, None)
    return PlacedThread(thread, comments, line, end_line, texts)


def list_remarks(change: ChangeRequest, actor: Actor) -> list[Remark]:
    """List the remarks that the person keeps for their review, oldest first."""
    rows = Remark.objects.filter(change=change, person=actor.person)
    return list(rows.select_related("thread", "version").defer("version__bundle").order_by("pk"))
