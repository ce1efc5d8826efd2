"""Edits and deletions of comments by their authors: the current text, and the earlier ones.

A comment is identified by its thread and its number there; the comment of a decision by thread 0 and the decision's
number. The original text stays in place; each later one is a row of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import queries as change_queries
from registry.changes.conversation_events import CommentDeleted, CommentEdited
from registry.changes.decisions import check_decision
from registry.changes.models import ChangeRequest, Decision
from registry.changes.thread_models import Comment, CommentRevision
from registry.changes.thread_queries import Revision
from registry.changes.threads import check_comment
from registry.core.errors import Conflict, NotAllowed, NotFound
from registry.journal import log
from registry.journal.event import compute_digest
from registry.namespaces.verbs import Verb

__all__ = ["EditedComment", "delete_comment", "edit_comment", "require_own_comment"]


@dataclass(frozen=True)
class EditedComment:
    """The result of an edit, for notifications: the text before and after."""

    change: ChangeRequest
    before: str
    after: str


def edit_comment(*, actor: Actor, number: int, thread: int, comment: int, text: str) -> None:
    """Edit one's own comment; a no-op if the text is unchanged. Earlier texts stay readable.

    Closed requests can be commented on, so comments there can be edited. Raises NotAllowed for others' comments,
    Conflict for a deleted one, and Invalid if a comment without a suggestion would be empty.
    """
    with transaction.atomic():
        log.lock()
        change, row, revisions = _find(actor, number, thread, comment)
        if isinstance(row, Comment):
            check_comment(text, row.suggestion, row.thread.side)
        else:
            check_decision(row.decision, text)
        before, after = (revisions[-1].text if revisions else row.text), text.strip()
        if after == before:
            return
        revision = _write(change, thread, comment, revisions, after, is_deleted=False)
        event = CommentEdited(
            change=number,
            template=change.template.name,
            thread=thread,
            comment=comment,
            revision=revision.number,
            text=compute_digest(after) if after else None,
        )
        subject = EditedComment(change, before, after)
        log.append(actor, event, namespace=change.template.namespace, at=revision.created_at, subject=subject)


def delete_comment(*, actor: Actor, number: int, thread: int, comment: int) -> None:
    """Delete one's own comment with its suggestion and earlier texts. A decision itself is unchanged.

    The journal and the mirror keep the texts. Raises NotAllowed for others' comments and Conflict for a deleted one.
    """
    with transaction.atomic():
        log.lock()
        change, _, revisions = _find(actor, number, thread, comment)
        revision = _write(change, thread, comment, revisions, "", is_deleted=True)
        event = CommentDeleted(
            change=number, template=change.template.name, thread=thread, comment=comment, revision=revision.number
        )
        log.append(actor, event, namespace=change.template.namespace, at=revision.created_at)


def _find(
    actor: Actor, number: int, thread: int, comment: int
) -> tuple[ChangeRequest, Comment | Decision, Sequence[CommentRevision]]:
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    row: Comment | Decision | None
    if thread:
        comments = Comment.objects.filter(thread__change=change, thread__number=thread, number=comment)
        row = comments.select_related("thread", "person").first()
    else:
        row = Decision.objects.filter(change=change, number=comment).select_related("person").first()
    if row is None or (isinstance(row, Decision) and not row.text):
        raise NotFound(gettext("Change {number} has no such comment.").format(number=number))
    revision_rows = CommentRevision.objects.filter(change=change, thread=thread, comment=comment)
    revisions = list(revision_rows.order_by("number"))
    require_own_comment(actor, row.person, revisions)
    return change, row, revisions


def require_own_comment(actor: Actor, writer: User, revisions: Sequence[Revision]) -> None:
    """Raise NotAllowed if somebody else wrote the comment, and Conflict if it was deleted."""
    if writer.pk != actor.person.pk:
        raise NotAllowed(
            gettext("{person} wrote this comment; nobody else edits or deletes it.").format(person=writer.username)
        )
    if revisions and revisions[-1].is_deleted:
        raise Conflict(gettext("You deleted this comment."))


def _write(
    change: ChangeRequest,
    thread: int,
    comment: int,
    revisions: Sequence[CommentRevision],
    text: str,
    *,
    is_deleted: bool,
) -> CommentRevision:
    return CommentRevision.objects.create(
        change=change,
        thread=thread,
        comment=comment,
        number=len(revisions) + 1,
        text=text,
        is_deleted=is_deleted,
        created_at=log.now(),
    )
