"""Queries about releases: single ones, lists, locking one for a write, and its timeline."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.changes.thread_queries import NO_TEXT, CommentText
from registry.core.errors import Conflict, NotFound
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.journal import log
from registry.journal.event import JournalEvent, from_microseconds, parse_event, to_microseconds
from registry.journal.models import Event
from registry.namespaces import path_permissions, permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.releases import comment_events, events, schedule_events
from registry.releases.comment_texts import read_comment_texts
from registry.releases.models import Release
from registry.templates.models import Template

__all__ = [
    "ReleaseMoment",
    "find_release",
    "find_removed_changes",
    "list_join_moments",
    "list_release_moments",
    "list_releases",
    "lock_release",
    "read_paths",
]

_RELATED = ("namespace", "opened_by")
_LIMIT = 500
_OF_SOME = (Verb.APPROVE, Verb.COMMENT, Verb.ROLL_BACK)
_KINDS = [
    step.kind
    for step in (
        events.ReleaseOpened,
        events.ReleaseChanged,
        events.ReleasePublished,
        events.ReleaseWithdrawn,
        events.ReleaseRolledBack,
        comment_events.ReleaseCommented,
        schedule_events.ReleaseScheduled,
        schedule_events.ReleaseUnscheduled,
    )
]


@dataclass(frozen=True)
class ReleaseMoment:
    """One step of a release or a comment on it. comment_text: the comment's, None for a step."""

    at: datetime
    person: str
    event: JournalEvent
    comment_text: CommentText = NO_TEXT


def find_release(actor: Actor, verb: Verb, number: int, namespace: str | None = None) -> Release:
    """The release, after checking the right to do this to it. Raises NotFound if it belongs to another namespace.

    Approving, commenting and rolling back need the right to at least one of its templates, and services check each
    template that they change; everything else needs it for all of them.
    """
    release = Release.objects.select_related(*_RELATED).filter(number=number).first()
    if release is None or (namespace is not None and release.namespace.name != namespace):
        raise _refuse_unknown(number)
    try:
        require = path_permissions.require_verb_at_any if verb in _OF_SOME else path_permissions.require_verb_at_all
        require(actor, verb, release.namespace, read_paths(release))
    except NotFound as error:
        raise _refuse_unknown(number) from error
    permissions.require_label(actor, release.label)
    return release


def lock_release(actor: Actor, verb: Verb, number: int) -> Release:
    """The release, locked until commit: it, its members and their labels can't change before that.

    The members' templates are locked in the order of their ids, to avoid deadlocks between two releases.
    """
    locked = _lock_members(number)
    log.lock()
    release = find_release(actor, verb, number)
    if locked != _find_template_ids(number):
        raise Conflict(
            gettext("Release {number} got other templates just now: look at it again.").format(number=number),
            release=number,
        )
    return release


def list_releases(
    actor: Actor,
    *,
    namespace: str | None = None,
    state: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Release]:
    """List releases that the actor may read and that match every filter, newest first. state: open, published,
    withdrawn.
    """
    limit = check_limit(limit)
    rows = Release.objects.filter(namespace__in=list_visible_namespaces(actor))
    if namespace:
        rows = rows.filter(namespace=permissions.find_namespace(actor, Verb.READ, namespace))
    if state:
        rows = rows.filter(state=state)
    if before := read_number(cursor):
        rows = rows.filter(number__lt=before)
    rows = rows.select_related(*_RELATED).order_by("-number")
    return cut_page(rows[: limit + 1], limit, lambda release: release.number)


def list_release_moments(release: Release) -> list[ReleaseMoment]:
    """List the steps of the release and its comments, oldest first, up to the newest five hundred."""
    since = Event.objects.filter(namespace=release.namespace.name, at__gte=to_microseconds(release.created_at))
    begin = since.order_by("at", "number").values_list("number", flat=True).first() or 0
    rows = Event.objects.filter(namespace=release.namespace.name, kind__in=_KINDS, number__gte=begin)
    texts = read_comment_texts(release)
    moments = []
    for row in rows.order_by("-number").iterator(chunk_size=_LIMIT):
        event = parse_event(row.kind, json.loads(row.text)["body"])
        if not isinstance(event, events.ReleaseStep) or event.release != release.number:
            continue
        text = texts.get(event.number, NO_TEXT) if isinstance(event, comment_events.ReleaseCommented) else NO_TEXT
        moments.append(ReleaseMoment(from_microseconds(row.at), row.person, event, text))
        if len(moments) == _LIMIT:
            break
    return moments[::-1]


def find_removed_changes(moments: Iterable[ReleaseMoment]) -> dict[int, datetime]:
    """Map the number of each request that was removed from the release, and didn't return, to the time of that."""
    removed: dict[int, datetime] = {}
    for moment in moments:
        if isinstance(moment.event, events.ReleaseChanged):
            removed |= dict.fromkeys(moment.event.removed, moment.at)
            for number in moment.event.added:
                removed.pop(number, None)
    return removed


def list_join_moments(change: ChangeRequest) -> list[ReleaseMoment]:
    """List the steps by which the request joined releases or was removed from them, oldest first; one query.

    The release that a request was proposed with is none of them.
    """
    kinds, since = [events.ReleaseOpened.kind, events.ReleaseChanged.kind], to_microseconds(change.created_at)
    rows = Event.objects.filter(namespace=change.template.namespace.name, kind__in=kinds, at__gt=since)
    if change.closed_at is not None:
        rows = rows.filter(at__lte=to_microseconds(change.closed_at))
    moments = []
    for row in rows.order_by("-number")[:_LIMIT]:
        if str(change.number) not in row.text:
            continue  # saves parsing the events of other requests
        event = parse_event(row.kind, json.loads(row.text)["body"])
        joined = event.changes if isinstance(event, events.ReleaseOpened) else ()
        if isinstance(event, events.ReleaseChanged):
            joined = (*event.added, *event.removed)
        if event is not None and change.number in joined:
            moments.append(ReleaseMoment(from_microseconds(row.at), row.person, event))
    return moments[::-1]


def _lock_members(number: int) -> set[int]:
    rows = Template.objects.select_for_update(no_key=True).filter(pk__in=_find_template_ids(number))
    return set(rows.order_by("pk").values_list("pk", flat=True))


def _find_template_ids(number: int) -> set[int]:
    return set(ChangeRequest.objects.filter(release__number=number).values_list("template_id", flat=True))


def read_paths(release: Release) -> Iterator[str]:
    """Yield the paths of the release's templates, without withdrawn members if it is open. The query runs lazily."""
    members = release.members.pending() if release.is_open else release.members.all()
    for name in members.values_list("template__name", flat=True):
        yield name.partition("/")[2]


def _refuse_unknown(number: int) -> NotFound:
    return NotFound(gettext("There is no release {number}, or you don't have access to it.").format(number=number))
