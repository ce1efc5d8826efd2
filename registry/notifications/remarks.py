"""The comment that a notification is about: in a thread, with a decision, or on a release."""

from dataclasses import dataclass

from registry.changes.models import Decision
from registry.changes.thread_models import Comment
from registry.changes.thread_queries import CommentTexts
from registry.notifications.models import Notification
from registry.releases.comment_texts import read_comment_texts
from registry.releases.models import ReleaseComment

__all__ = ["Remark", "find_remark"]


@dataclass(frozen=True)
class Remark:
    """text: Markdown, in its current version. release: the number of the release; None for a comment on a change."""

    text: str
    release: int | None = None


def find_remark(row: Notification) -> Remark | None:
    """Find the comment that the notification is about by its time; None if there isn't one, or it was deleted.

    Notifications have the time of their comment, so later edits and deletions are respected.
    """
    if row.change is None:
        return None
    at = row.created_at
    release = ReleaseComment.objects.filter(release=row.change.release_id, created_at=at).first()
    if release is not None:
        text = read_comment_texts(release.release)[release.number].text
        return Remark(text, release.release.number)
    texts = CommentTexts(row.change)
    decision = Decision.objects.filter(change=row.change, created_at=at).first()
    comment = Comment.objects.filter(thread__change=row.change, created_at=at).select_related("thread").first()
    text = ""
    if decision is not None:
        text = texts.find(0, decision.number, decision.text, at).text
    elif comment is not None:
        text = texts.find(comment.thread.number, comment.number, comment.text, at).text
    return Remark(text) if text else None
