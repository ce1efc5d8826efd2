"""Threads of a change request: discussion on lines of a document, or of what it renders to."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import queries as change_queries
from registry.changes.line_anchors import take_lines
from registry.changes.models import ChangeRequest, Comment, Thread
from registry.changes.review_events import CommentAdded, ThreadResolved
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import DOCUMENT_BYTES, check_text
from registry.journal import log
from registry.journal.event import digest_of
from registry.namespaces.permissions import Verb
from registry.templates import sample_renderings, version_queries
from registry.templates.models import Version

__all__ = ["Place", "check_comment", "create_thread", "open_thread", "quote_lines", "reply_to_thread", "resolve_thread"]


@dataclass(frozen=True)
class Place:
    """Lines of a version, 1-based and included: of its document, or of one part of what a sample renders to."""

    version: int
    line: int
    end_line: int | None = None
    side: str = Thread.SOURCE
    sample: str = ""
    part: int = 0

    @property
    def last_line(self) -> int:
        """The last line meant."""
        return self.end_line if self.end_line is not None else self.line


def open_thread(*, actor: Actor, number: int, place: Place, text: str, suggestion: str | None = None) -> Thread:
    """Begin a thread in the request with a first comment; a suggestion is new text for the lines, on the source only.

    Invalid where the version has no such lines.
    """
    check_comment(text, suggestion, place.side)
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    version, quoted = quote_lines(actor, change, place)
    with transaction.atomic():
        log.lock()
        change = change_queries.find_change(actor, Verb.COMMENT, number)
        return create_thread(actor, change, place, version=version, quoted=quoted, text=text, suggestion=suggestion)


def create_thread(  # where it is about and what it says
    actor: Actor,
    change: ChangeRequest,
    place: Place,
    *,
    version: Version,
    quoted: str,
    text: str,
    suggestion: str | None,
) -> Thread:
    """Write a thread whose lines and words were checked before; for services, under the journal's lock."""
    at = log.now()
    thread = Thread.objects.create(
        change=change,
        number=(Thread.objects.filter(change=change).aggregate(most=Max("number"))["most"] or 0) + 1,
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
    """Add to a thread; a thread that was resolved is open again then."""
    with transaction.atomic():
        log.lock()
        found = _find(actor, number, thread)
        check_comment(text, suggestion, found.side)
        if found.resolved_at is not None:
            found.resolved_at, found.resolved_by = None, None
            found.save(update_fields=["resolved_at", "resolved_by"])
        return _add(actor, found, text, suggestion, log.now())


def resolve_thread(*, actor: Actor, number: int, thread: int, resolved: bool = True) -> Thread:
    """Close a thread, or open it again."""
    with transaction.atomic():
        log.lock()
        found = _find(actor, number, thread)
        if (found.resolved_at is not None) == resolved:
            return found
        at = log.now()
        found.resolved_at, found.resolved_by = (at, actor.person) if resolved else (None, None)
        found.save(update_fields=["resolved_at", "resolved_by"])
        template = found.change.template
        event = ThreadResolved(change=number, template=template.name, thread=thread, resolved=resolved)
        log.append(actor, event, namespace=template.namespace, at=at)
    return found


def _add(actor: Actor, thread: Thread, text: str, suggestion: str | None, at: datetime) -> Comment:
    change = thread.change
    comment = Comment.objects.create(
        thread=thread,
        number=(thread.comments.aggregate(most=Max("number"))["most"] or 0) + 1,
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
        quote=digest_of(thread.quote),
        text=digest_of(comment.text) if comment.text else None,
        suggestion=digest_of(suggestion) if suggestion is not None else None,
    )
    log.append(actor, event, namespace=change.template.namespace, at=at, subject=comment)
    return comment


def check_comment(text: str, suggestion: str | None, side: str) -> None:
    """Raise Invalid where these are no words for a comment on this side."""
    if side not in Thread.SIDES:
        raise Invalid(fields={"side": gettext("one of {names}.").format(names=", ".join(Thread.SIDES))})
    words = check_text("text", text).strip()
    if suggestion is not None:
        check_text("suggestion", suggestion, DOCUMENT_BYTES)
        if side != Thread.SOURCE:
            raise Invalid(
                fields={"suggestion": gettext("only lines of the document can be replaced, not what they render to.")}
            )
    elif not words:
        raise Invalid(fields={"text": gettext("say something, or suggest other lines.")})


def quote_lines(actor: Actor, change: ChangeRequest, place: Place) -> tuple[Version, str]:
    """The version of a place and its lines as they are there; Invalid where it has no such lines. Renders: before a
    transaction.
    """
    version = version_queries.get_version(actor, change.template.name, place.version)
    text = version.document if place.side == Thread.SOURCE else _rendered(change, version, place)
    lines = take_lines(text, place.line, place.last_line)
    if lines is None:
        raise Invalid(
            fields={
                "line": gettext("there are no lines {line} to {last_line} in version {version}.").format(
                    line=place.line, last_line=place.last_line, version=place.version
                )
            }
        )
    return version, lines


def _rendered(change: ChangeRequest, version: Version, place: Place) -> str:
    held = change.template.current_samples()
    samples = held.samples if held else {}
    if place.sample not in samples:
        raise Invalid(fields={"sample": gettext("there is no sample {value}.").format(value=f"{place.sample[:80]!r}")})
    outcome = sample_renderings.render_samples(version, {place.sample: samples[place.sample]})[place.sample]
    if outcome.prompt is None:
        raise Conflict(
            gettext("Version {version} does not render with the sample {sample}.").format(
                version=version.number, sample=place.sample
            )
        )
    parts = outcome.prompt["parts"]
    if not 0 <= place.part < len(parts) or not isinstance(parts[place.part]["content"], str):
        raise Invalid(fields={"part": gettext("there is no part {part} with text in it.").format(part=place.part)})
    return str(parts[place.part]["content"])


def _find(actor: Actor, number: int, thread: int) -> Thread:
    change = change_queries.find_change(actor, Verb.COMMENT, number)
    found = Thread.objects.select_related("version").filter(change=change, number=thread).first()
    if found is None:
        raise NotFound(gettext("Change request {number} has no thread {thread}.").format(number=number, thread=thread))
    found.change = change
    return found
