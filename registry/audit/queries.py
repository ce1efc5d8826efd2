"""Queries of the audit page: events by filter, and the state of the chain."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from registry.accounts.actor import Actor
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.jobs.models import Job
from registry.journal import event
from registry.journal.event import to_microseconds
from registry.journal.models import Event
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["CHAIN", "KINDS", "Chain", "EventFilter", "read_chain", "read_page", "stream_events"]

CHAIN = "journal.check"  # reads the whole journal and recomputes each hash
KINDS = event.list_namespace_kinds()
_AT_ONCE = 500


@dataclass(frozen=True)
class EventFilter:
    """Filters for events; empty ones are ignored. `since` is inclusive, `until` exclusive; both are aware.

    by_people: leave out what the worker writes on its own, such as results of checks, unless their kind is requested.
    """

    kind: str = ""
    person: str = ""
    key: str = ""
    template: str = ""
    since: datetime | None = None
    until: datetime | None = None
    by_people: bool = False


@dataclass(frozen=True)
class Chain:
    """The last finished check of the journal's chain, and whether another one is queued or running.

    verified: the number of the last event it reached, None if there was no check or it failed; fault: its sentence.
    """

    verified: int | None = None
    fault: str = ""
    at: datetime | None = None
    is_running: bool = False


def read_page(  # the filters of the audit page
    actor: Actor,
    namespace: str,
    *,
    cursor: str | None = None,
    limit: int = 50,
    kind: str | None = None,
    person: str | None = None,
    template: str | None = None,
    sought: EventFilter | None = None,
) -> Page[Event]:
    """Events of a namespace, newest first, that meet every filter given; any member may read them.

    With `since` or `until` they are ordered by time, else by number.
    """
    limit = check_limit(limit)
    sought = sought or EventFilter(kind or "", person or "", template=template or "")
    rows = _place(_select_events(actor, namespace, sought), sought, read_number(cursor))
    return cut_page(rows[: limit + 1], limit, lambda event: event.number)


def stream_events(actor: Actor, namespace: str, sought: EventFilter) -> Iterator[Event]:
    """All matching events, oldest first, read in batches; rights are checked immediately, not on the first read."""
    rows = _select_events(actor, namespace, sought).order_by("number")
    return rows.iterator(chunk_size=_AT_ONCE)


def read_chain() -> Chain:
    """The state of the chain, which all namespaces share."""
    jobs = Job.objects.filter(kind=CHAIN).order_by("-pk")
    is_running = jobs.filter(state__in=(Job.QUEUED, Job.RUNNING)).exists()
    last = jobs.filter(state__in=(Job.DONE, Job.FAILED)).first()
    if last is None:
        return Chain(is_running=is_running)
    if last.state == Job.FAILED:
        fault = last.error.partition(": ")[2] or last.error  # without the name of the exception
        return Chain(fault=fault, at=last.finished_at, is_running=is_running)
    return Chain(verified=last.done, at=last.finished_at, is_running=is_running)


def _place(rows: QuerySet[Event], sought: EventFilter, before: int | None) -> QuerySet[Event]:
    """The rows after the event of this number, in the order of an index."""
    if sought.since is None and sought.until is None:
        return (rows.filter(number__lt=before) if before else rows).order_by("-number")
    at = Event.objects.filter(number=before).values_list("at", flat=True).first() if before else None
    if at is not None:
        rows = rows.filter(at__lte=at).exclude(at=at, number__gte=before)
    return rows.order_by("-at", "-number")


def _select_events(actor: Actor, namespace: str, sought: EventFilter) -> QuerySet[Event]:
    permissions.find_namespace(actor, Verb.READ, namespace)
    rows = Event.objects.filter(namespace=namespace)
    for name in ("kind", "person", "key", "template"):
        if value := getattr(sought, name):
            rows = rows.filter(**{name: value})
    if sought.by_people and not sought.kind:
        rows = rows.exclude(kind__in=event.list_worker_kinds())
    if sought.since:
        rows = rows.filter(at__gte=to_microseconds(sought.since))
    if sought.until:
        rows = rows.filter(at__lt=to_microseconds(sought.until))
    return rows
