"""Threads of a change request: discussion on lines of a document, or of its rendering."""

from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.changes.places import Place, quote_lines
from registry.changes.rendered_suggestions import place_suggestion
from registry.changes.review_events import CommentAdded, ThreadResolved
from registry.changes.thread_models import Comment, Thread
from registry.core.errors import Invalid, NotFound
from registry.core.input_checks import DOCUMENT_BYTES, check_text
from registry.journal import log
from registry.journal.event import compute_digest
from registry.namespaces.verbs import Verb
from registry.templates.models import Version

__all__ = ["Place", "check_comment", "create_thread", "open_thread", "reply_to_thread", "resolve_thread"]


def open_thread(*, actor: Actor, number: int, place: Place, text: str, suggestion: str | None = None) -> Thread:
    """Start a thread in the request with a first comment. A suggestion is replacement text for the lines.

    A suggestion on rendered lines is mapped, with its thread, to the document lines they come from. Raises Invalid if
    the version has no such lines, or if a rendered line can't be changed through the document's own text.
    """
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    place, suggestion = place_suggestion(actor, change, place, suggestion)
    check_comment(text, suggestion, place.side)
    version, quoted = quote_lines(actor, change, place)
    with transaction.atomic():
        log.lock()
        change = change_queries.find_change(actor, Verb.COMMENT, number)
        return create_thread(actor, change, place, version=version, quoted=quoted, text=text, suggestion=suggestion)


def create_thread(  # the place, and the suggested text
    actor: Actor,
    change: ChangeRequest,
    place: Place,
    *,
    version: Version,
    quoted: str,
    text: str,
    suggestion: str | None,
) -> Thread:
    """Create a thread whose lines and text were checked before; for services, under the journal's lock."""
    at = log.now()
    thread = Thread.objects.create(
        change=change,
        number=(Thread.objects.filter(change=change).aggregate(last=Max("number"))["last"] or 0) + 1,
        version=version,
        side=place.side,
        line=place.line,
        end_line=place.last_line,
        sample=place.sample,
        part=place.part,
        quote=quoted,
        created_at=at,
    )
    _add(actor, thread, text, suggestion, at)
    return thread


def reply_to_thread(*, actor: Actor, number: int, thread: int, text: str, suggestion: str | None = None) -> Comment:
    """Reply to a thread; a resolved thread is reopened."""
    with transaction.atomic():
        log.lock()
        thread_row = _find(actor, number, thread)
        check_comment(text, suggestion, thread_row.side)
        if thread_row.resolved_at is not None:
            thread_row.resolved_at, thread_row.resolved_by = None, None
            thread_row.save(update_fields=["resolved_at", "resolved_by"])
        return _add(actor, thread_row, text, suggestion, log.now())


def resolve_thread(*, actor: Actor, number: int, thread: int, resolved: bool = True) -> Thread:
    """Resolve or reopen a thread."""
    with transaction.atomic():
        log.lock()
        thread_row = _find(actor, number, thread)
        if (thread_row.resolved_at is not None) == resolved:
            return thread_row
        at = log.now()
        thread_row.resolved_at, thread_row.resolved_by = (at, actor.person) if resolved else (None, None)
        thread_row.save(update_fields=["resolved_at", "resolved_by"])
        template = thread_row.change.template
        event = ThreadResolved(change=number, template=template.name, thread=thread, resolved=resolved)
        log.append(actor, event, namespace=template.namespace, at=at)
    return thread_row


def _add(actor: Actor, thread: Thread, text: str, suggestion: str | None, at: datetime) -> Comment:
    change = thread.change
    comment = Comment.objects.create(
        thread=thread,
        number=(thread.comments.aggregate(last=Max("number"))["last"] or 0) + 1,
        person=actor.person,
        key=actor.key,
        text=text.strip(),
        suggestion=suggestion,
        created_at=at,
    )
    ChangeRequest.objects.filter(pk=change.pk).update(updated_at=at)
    event = CommentAdded(
        change=change.number,
        thread=thread.number,
        comment=comment.number,
        template=change.template.name,
        version=thread.version.number,
        digest=thread.version.digest,
        side=thread.side,
        line=thread.line,
        end_line=thread.end_line,
        sample=thread.sample,
        part=thread.part,
        quote=compute_digest(thread.quote),
        text=compute_digest(comment.text) if comment.text else None,
        suggestion=compute_digest(suggestion) if suggestion is not None else None,
    )
    log.append(actor, event, namespace=change.template.namespace, at=at, subject=comment)
    return comment


def check_comment(text: str, suggestion: str | None, side: str) -> None:
    """Raise Invalid if this text can't be a comment on this side."""
    if side not in Thread.SIDES:
        raise Invalid(fields={"side": gettext("one of {names}.").format(names=", ".join(Thread.SIDES))})
    words = check_text("text", text).strip()
    if suggestion is not None:
        check_text("suggestion", suggestion, DOCUMENT_BYTES)
        if side != Thread.SOURCE:
            raise Invalid(fields={"suggestion": gettext("suggest it on the rendered line itself, not as a reply.")})
    elif not words:
        raise Invalid(fields={"text": gettext("write a comment, or suggest other lines.")})


def _find(actor: Actor, number: int, thread: int) -> Thread:
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    row = Thread.objects.select_related("version").filter(change=change, number=thread).first()
    if row is None:
        raise NotFound(gettext("Change {number} has no thread {thread}.").format(number=number, thread=thread))
    row.change = change
    return row
