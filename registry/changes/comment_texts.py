"""The texts of comments as they read now, with the earlier ones that their writers replaced."""

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
    """Words that were replaced, and when they were written."""

    text: str
    at: datetime


@dataclass(frozen=True)
class CommentText:
    """What a comment says now; nothing if its writer deleted it. earlier: what it said before, oldest first.

    changed_at: when it was edited last, or deleted; None if neither happened.
    """

    text: str
    earlier: tuple[EarlierText, ...] = ()
    changed_at: datetime | None = None
    is_deleted: bool = False


@dataclass(frozen=True)
class ReadComment:
    """A comment with what it says now."""

    comment: Comment
    said: CommentText

    @property
    def suggestion(self) -> str | None:
        """The suggested lines; none of a deleted comment."""
        return None if self.said.is_deleted else self.comment.suggestion


NO_TEXT = CommentText("")


class Revision(Protocol):
    """A later text of a comment, or its deletion; of a change's comment or of a release's."""

    text: str
    is_deleted: bool
    created_at: datetime


def read_comment_text(first: str, at: datetime, revisions: Sequence[Revision]) -> CommentText:
    """What a comment says after its revisions, oldest first. first, at: the words it was written with, and when."""
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
        """Of the comment with this number in the thread, or of the decision with it in thread 0. first, at: the words
        that it was written with, and when.
        """
        return read_comment_text(first, at, self._revisions.get((thread, comment), ()))
