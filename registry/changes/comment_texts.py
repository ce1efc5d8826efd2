"""The current texts of comments, with the earlier ones that their authors replaced."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from registry.changes.models import ChangeRequest
from registry.changes.thread_models import Comment, CommentRevision

__all__ = ["NO_TEXT", "CommentText", "CommentTexts", "EarlierText", "ReadComment", "Revision", "read_comment_text"]


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
    said: CommentText

    @property
    def suggestion(self) -> str | None:
        """The suggested lines; None for a deleted comment."""
        return None if self.said.is_deleted else self.comment.suggestion


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
    said = [EarlierText(first, at), *(EarlierText(row.text, row.created_at) for row in revisions)]
    return CommentText(last.text, tuple(said[:-1]), last.created_at)


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
