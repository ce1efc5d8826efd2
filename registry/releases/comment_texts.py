"""The current texts of a release's comments, with the earlier ones that their authors replaced."""

from collections import defaultdict

from registry.changes.thread_queries import CommentText, read_comment_text
from registry.releases.models import Release, ReleaseCommentRevision

__all__ = ["read_comment_texts"]


def read_comment_texts(release: Release) -> dict[int, CommentText]:
    """Map the number of each comment of the release to its current text; two queries."""
    revisions: defaultdict[int, list[ReleaseCommentRevision]] = defaultdict(list)
    for row in ReleaseCommentRevision.objects.filter(release=release).order_by("number"):
        revisions[row.comment].append(row)
    comments = release.comments.values_list("number", "text", "created_at")
    return {number: read_comment_text(text, at, revisions.get(number, ())) for number, text, at in comments}
