"""Comments on a release as a whole: adding, editing and deleting, by the same rules as comments on changes.

The original text stays in place; each later one is a row of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.revisions import require_own_comment
from registry.core.errors import Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import compute_digest
from registry.namespaces.verbs import Verb
from registry.releases.comment_events import ReleaseCommentDeleted, ReleaseCommented, ReleaseCommentEdited
from registry.releases.models import Release, ReleaseComment, ReleaseCommentRevision
from registry.releases.queries import find_release, lock_release
from registry.releases.steps import step_fields

__all__ = [
    "EditedReleaseComment",
    "comment_on_release",
    "delete_release_comment",
    "edit_release_comment",
]


@dataclass(frozen=True)
class EditedReleaseComment:
    """The result of an edit, for notifications: the text before and after."""

    release: Release
    before: str
    after: str


def comment_on_release(*, actor: Actor, number: int, text: str) -> ReleaseComment:
    """Comment on the release as a whole, open or closed. Comments on lines belong to the threads of its changes."""
    words = _check_words(text)
    with transaction.atomic():
        release = lock_release(actor, Verb.COMMENT, number)
        at = log.now()
        comment = ReleaseComment.objects.create(
            release=release,
            number=(release.comments.aggregate(last=Max("number"))["last"] or 0) + 1,
            person=actor.person,
            key=actor.key,
            text=words,
            created_at=at,
        )
        release.updated_at = at
        release.save(update_fields=["updated_at"])
        event = ReleaseCommented(**step_fields(release), number=comment.number, text=compute_digest(comment.text))
        log.append(actor, event, namespace=release.namespace, at=at, subject=comment)
    return comment


def edit_release_comment(*, actor: Actor, number: int, comment: int, text: str) -> None:
    """Edit one's own comment; a no-op if the text is unchanged. Earlier texts stay readable.

    Closed releases can be commented on, so comments there can be edited. Raises NotAllowed for others' comments,
    Conflict for a deleted one, and Invalid for an empty text.
    """
    after = _check_words(text)
    with transaction.atomic():
        log.lock()
        release, row, revisions = _find(actor, number, comment)
        before = revisions[-1].text if revisions else row.text
        if after == before:
            return
        revision = _write(release, comment, revisions, after, is_deleted=False)
        event = ReleaseCommentEdited(
            **step_fields(release), comment=comment, revision=revision.number, text=compute_digest(after)
        )
        subject = EditedReleaseComment(release, before, after)
        log.append(actor, event, namespace=release.namespace, at=revision.created_at, subject=subject)


def delete_release_comment(*, actor: Actor, number: int, comment: int) -> None:
    """Delete one's own comment with its earlier texts. Its place stays.

    The journal and the mirror keep the texts. Raises NotAllowed for others' comments and Conflict for a deleted one.
    """
    with transaction.atomic():
        log.lock()
        release, _, revisions = _find(actor, number, comment)
        revision = _write(release, comment, revisions, "", is_deleted=True)
        event = ReleaseCommentDeleted(**step_fields(release), comment=comment, revision=revision.number)
        log.append(actor, event, namespace=release.namespace, at=revision.created_at)


def _check_words(text: str) -> str:
    """The text without surrounding whitespace. Raises Invalid if it is empty."""
    words = check_text("text", text).strip()
    if not words:
        raise Invalid(fields={"text": gettext("write something first.")})
    return words


def _find(actor: Actor, number: int, comment: int) -> tuple[Release, ReleaseComment, Sequence[ReleaseCommentRevision]]:
    release = find_release(actor, Verb.COMMENT, number)
    row = release.comments.filter(number=comment).select_related("person").first()
    if row is None:
        raise NotFound(gettext("Release {number} has no such comment.").format(number=number))
    revision_rows = ReleaseCommentRevision.objects.filter(release=release, comment=comment)
    revisions = list(revision_rows.order_by("number"))
    require_own_comment(actor, row.person, revisions)
    return release, row, revisions


def _write(
    release: Release, comment: int, revisions: Sequence[ReleaseCommentRevision], text: str, *, is_deleted: bool
) -> ReleaseCommentRevision:
    return ReleaseCommentRevision.objects.create(
        release=release,
        comment=comment,
        number=len(revisions) + 1,
        text=text,
        is_deleted=is_deleted,
        created_at=log.now(),
    )
