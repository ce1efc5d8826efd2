"""The texts of a release's comments as they read now, with the earlier ones that their writers replaced."""

from collections import defaultdict

from registry.changes.comment_texts import CommentText, read_comment_text
from registry.releases.models import Release, ReleaseCommentRevision

__all__ = ["read_comment_texts"]


def read_comment_texts(release: Release) -> dict[int, CommentText]:
    """What each comment of the release says now, by its number; two queries."""
    revisions: defaultdict[int, list[ReleaseCommentRevision]] = defaultdict(list)
    for row in ReleaseCommentRevision.objects.filter(release=release).order_by("number"):
        revisions[row.comment].append(row)
    comments = release.comments.values_list("number", "text", "created_at")
    return {number: read_comment_text(text, at, revisions.get(number, ())) for number, text, at in comments}
