"""Schedules of releases: the worker publishes one at a set time, on behalf of the person who set it.

The same as `registry.changes.schedules` for one change request.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor, build_operator_actor
from registry.changes.schedules import find_scheduler, require_slot
from registry.core.errors import Conflict, Invalid, PromptuaryError
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases import proposals, review_requests, services
from registry.releases.models import Release
from registry.releases.moved_members import MemberVersions, read_open_members, require_unmoved
from registry.releases.proposals import ProposedRelease
from registry.releases.queries import lock_release, read_paths
from registry.releases.schedule_events import ReleaseScheduled, ReleaseUnscheduled
from registry.releases.steps import append_step, require_open_release, step_fields

__all__ = [
    "list_due_releases",
    "propose_releases_at",
    "publish_scheduled_release",
    "schedule_release",
    "unschedule_release",
]


def propose_releases_at(
    *, actor: Actor, at: datetime | None, reviewers: Sequence[str] = (), **proposal: Any
) -> list[ProposedRelease]:
    """Propose as in `proposals.propose_releases`, ask reviewers, and schedule the publication, in one transaction.

    at: None for no schedule. reviewers: usernames; each is asked about the changes for which their approval counts.
    Raises Invalid for reviewers if it counts for none, and for goes_live_at as in `schedule_release`. proposal: the
    arguments of `proposals.propose_releases`.
    """
    with transaction.atomic():
        proposed = proposals.propose_releases(actor=actor, **proposal)
        numbers = [one.release.number for one in proposed]
        for person in dict.fromkeys(reviewers):
            _ask(actor, numbers, person)
        if at is not None:
            for number in numbers:
                schedule_release(actor=actor, number=number, at=at)
    return proposed


def schedule_release(*, actor: Actor, number: int, at: datetime, expected: MemberVersions | None = None) -> Release:
    """Schedule or reschedule the publication of a release; the worker does it on behalf of the actor.

    expected: as in `publish_release`. Raises Invalid for goes_live_at in the past, more than a year away, or inside a
    freeze. Raises Conflict if the release is closed, and Gone if a version in it was redacted.
    """
    with transaction.atomic():
        release = lock_release(actor, Verb.PUBLISH, number)
        require_open_release(release)
        if expected is not None:
            require_unmoved(release.label, expected, read_open_members(release), is_whole=True)
        redacted = release.members.pending().exclude(version__redaction=None).select_related("version__template")
        for member in redacted.order_by("number")[:1]:
            member.version.require_text()
        require_slot(release.namespace, at)
        permissions.require_proof(actor)
        release.goes_live_at, release.scheduled_by, release.schedule_key = at, actor.person, actor.key
        append_step(actor, release, ReleaseScheduled(**step_fields(release), at=to_microseconds(at)))
    return release


def unschedule_release(*, actor: Actor, number: int) -> Release:
    """Remove the schedule; the release stays open. Raises Conflict if there isn't one."""
    with transaction.atomic():
        release = lock_release(actor, Verb.PUBLISH, number)
        require_open_release(release)
        if release.goes_live_at is None:
            raise Conflict(gettext("Release {number} is not scheduled.").format(number=number), release=number)
        _clear(release)
        append_step(actor, release, ReleaseUnscheduled(**step_fields(release)))
    return release


def list_due_releases() -> list[tuple[int, datetime]]:
    """The open releases that are due, each with its scheduled time."""
    rows = Release.objects.filter(state=Release.OPEN, goes_live_at__lte=log.now())
    listed = rows.order_by("goes_live_at", "pk").values_list("number", "goes_live_at")
    return [(number, at) for number, at in listed if at is not None]


def publish_scheduled_release(*, number: int, at: datetime) -> None:
    """Publish the release if it is still scheduled for this time, which has passed; for the worker.

    If publishing is refused, the schedule ends with the reason.
    """
    rows = Release.objects.select_related("namespace", "scheduled_by", "schedule_key")
    row = rows.filter(number=number, goes_live_at=at).first()
    if row is None or not row.is_open or row.scheduled_by is None or at > log.now():
        return
    try:
        actor = find_scheduler(row.scheduled_by, row.schedule_key, row.namespace, read_paths(row))
        with transaction.atomic():
            release = lock_release(actor, Verb.PUBLISH, number)
            if release.is_open and release.goes_live_at == at:
                services.publish_locked_release(actor, release, is_scheduled=True)
    except PromptuaryError as error:
        _end_schedule(number, at, error.message)


def _end_schedule(number: int, at: datetime, reason: str) -> None:
    with transaction.atomic():
        log.lock()
        rows = Release.objects.filter(number=number, goes_live_at=at, state=Release.OPEN)
        release = rows.select_related("namespace", "opened_by", "scheduled_by").first()
        if release is None or release.scheduled_by is None:
            return
        person = release.scheduled_by.username
        _clear(release)
        event = ReleaseUnscheduled(**step_fields(release), reason=reason, scheduled_by=person)
        append_step(build_operator_actor(), release, event)


def _ask(actor: Actor, numbers: Sequence[int], person: str) -> None:
    """Ask one person about all of the releases. Raises Invalid if their approval counts for none of the changes."""
    refusals: list[Invalid] = []
    for number in numbers:
        try:
            review_requests.ask_for_release_review(actor=actor, number=number, person=person, field="reviewers")
        except Invalid as error:
            refusals.append(error)
        except Conflict:  # an existing request needs no more approvals, or asked them in the last day
            continue
    if refusals and len(refusals) == len(numbers):
        raise refusals[0]


def _clear(release: Release) -> None:
    release.goes_live_at = release.scheduled_by = release.schedule_key = None
