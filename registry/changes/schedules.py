"""Schedules of change requests: the worker publishes one at a set time, on behalf of the person who set it.

A request may be scheduled before it is approved. Permissions, gate and freezes are checked again at that time; if they
do not allow it, the schedule ends with the reason, and nothing is published later.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import Key, User
from registry.changes import locking, services
from registry.changes.models import ChangeRequest
from registry.changes.queries import lock_change
from registry.changes.schedule_events import ChangeScheduled, ChangeUnscheduled
from registry.core.errors import Conflict, Invalid, NotAllowed, PromptuaryError
from registry.freezes.queries import find_standing_freezes
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.namespaces import path_permissions, permissions
from registry.namespaces.models import Namespace
from registry.namespaces.verbs import Verb
from registry.templates import label_moves
from registry.templates.models import Template

__all__ = [
    "FIELD",
    "find_scheduler",
    "leave_schedule",
    "list_due_changes",
    "propose_at",
    "publish_scheduled_change",
    "require_slot",
    "schedule_change",
    "unschedule_change",
]

FIELD = "goes_live_at"
_LATEST = timedelta(days=366)


def propose_at(*, actor: Actor, at: datetime | None, **proposal: Any) -> ChangeRequest:
    """Propose as in `services.propose_change`, and schedule the publication, in one transaction.

    at: None for no schedule. proposal: the arguments of `services.propose_change`. Raises Invalid for planned_rollout
    together with a time.
    """
    if at is not None and proposal.get("planned_rollout") is not None:
        raise Invalid(fields={"planned_rollout": gettext("it goes live on a date or gradually, not both.")})
    with transaction.atomic():
        change = services.propose_change(actor=actor, **proposal)
        return change if at is None else schedule_change(actor=actor, number=change.number, at=at)


def schedule_change(
    *, actor: Actor, number: int, at: datetime, version: int | None = None, expected: int | None = None
) -> ChangeRequest:
    """Schedule or reschedule the publication of a request; the worker does it on behalf of the actor.

    It goes live for everybody then: a rollout planned in the proposal is dropped. version: as in
    `change.require_seen_version`. expected: as in `label_moves.require_unmoved`. Raises Invalid for goes_live_at in the
    past, more than a year away, or inside a freeze. Raises Conflict if the request is closed, is published with a
    release, or is already in a rollout, and Gone if its version was redacted.
    """
    with transaction.atomic():
        change = lock_change(actor, Verb.PUBLISH, number)
        if not change.is_open:
            raise locking.build_closed_conflict(change)
        if change.open_release is not None:
            raise Conflict(
                gettext("It is part of release {open_release}, which is scheduled as a whole.").format(
                    open_release=change.open_release
                ),
                release=change.open_release,
            )
        locking.require_not_rolling_out(change)
        label_moves.require_unmoved(change.template, change.label, expected)
        change.require_seen_version(version)
        change.version.require_text()
        require_slot(change.template.namespace, at)
        permissions.require_proof(actor)
        change.goes_live_at, change.scheduled_by, change.schedule_key = at, actor.person, actor.key
        change.planned_rollout = None
        change.updated_at = log.now()
        change.save()
        locking.append_step(actor, change, ChangeScheduled(**locking.step_of(change), at=to_microseconds(at)))
    return change


def unschedule_change(*, actor: Actor, number: int) -> ChangeRequest:
    """Remove the schedule; the request stays open. Raises Conflict if there isn't one."""
    with transaction.atomic():
        change = lock_change(actor, Verb.PUBLISH, number)
        if not change.is_open:
            raise locking.build_closed_conflict(change)
        if change.goes_live_at is None:
            raise Conflict(gettext("Change {number} is not scheduled.").format(number=number), change=number)
        _clear(change)
        locking.append_step(actor, change, ChangeUnscheduled(**locking.step_of(change)))
    return change


def leave_schedule(actor: Actor, change: ChangeRequest, reason: str) -> None:
    """End the schedule of a request that is published in another way from now on; for services, under the journal's
    lock. The people who proposed and scheduled it are notified of the reason.
    """
    person = change.scheduled_by.username if change.scheduled_by else None
    _clear(change)
    event = ChangeUnscheduled(**locking.step_of(change), reason=reason, scheduled_by=person)
    locking.append_step(actor, change, event)


def require_slot(namespace: Namespace, at: datetime) -> None:
    """Raise Invalid if nothing can be scheduled for this time in the namespace."""
    now = log.now()
    if at <= now:
        raise Invalid(fields={FIELD: gettext("this is in the past.")})
    if at > now + _LATEST:
        raise Invalid(fields={FIELD: gettext("this is more than a year away.")})
    freeze = find_standing_freezes([namespace.pk], at).get(namespace.pk)
    if freeze is not None:
        sentence = gettext("this is in a freeze: {sentence} {advice}")
        raise Invalid(fields={FIELD: sentence.format(sentence=freeze.sentence, advice=freeze.advice)})


def list_due_changes() -> list[tuple[int, datetime]]:
    """The requests that are due, each with its scheduled time."""
    rows = ChangeRequest.objects.pending().filter(goes_live_at__lte=log.now()).order_by("goes_live_at", "pk")
    return [(number, at) for number, at in rows.values_list("number", "goes_live_at") if at is not None]


def publish_scheduled_change(*, number: int, at: datetime) -> None:
    """Publish the request if it is still scheduled for this time, which has passed; for the worker.

    Checks under the journal's lock whether it was published meanwhile, so only one of two workers publishes. If
    publishing is refused, the schedule ends with the reason.
    """
    rows = ChangeRequest.objects.select_related("template__namespace", "scheduled_by", "schedule_key")
    row = rows.filter(number=number, goes_live_at=at).first()
    if row is None or not row.is_open or row.scheduled_by is None or at > log.now():
        return
    try:
        actor = find_scheduler(row.scheduled_by, row.schedule_key, row.template.namespace, [row.template.path])
        with transaction.atomic():
            change = lock_change(actor, Verb.PUBLISH, number)
            if change.is_open and change.goes_live_at == at:
                services.publish_locked(actor, change, is_scheduled=True)
    except PromptuaryError as error:
        _end_schedule(number, at, error.message)


def find_scheduler(person: User, key: Key | None, namespace: Namespace, paths: Iterable[str]) -> Actor:
    """The person who scheduled it, as the actor of the publication. Raises NotAllowed if they may not publish at these
    paths any more.
    """
    has_ended = key is not None and (
        key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= log.now())
    )
    if key is not None and has_ended:
        raise NotAllowed(gettext("The key pb_{key_id}, which scheduled it, has ended.").format(key_id=key.id))
    actor = Actor(person, key)
    if not path_permissions.is_allowed_at_all(actor, Verb.PUBLISH, namespace, paths):
        raise NotAllowed(
            gettext("{person}, who scheduled it, may not publish in {namespace} any more.").format(
                person=person.username, namespace=namespace.name
            )
        )
    return actor


def _end_schedule(number: int, at: datetime, reason: str) -> None:
    with transaction.atomic():
        Template.objects.select_for_update(no_key=True, of=("self",)).filter(changes__pk=number).values_list(
            "pk"
        ).first()
        log.lock()
        rows = ChangeRequest.objects.pending().filter(number=number, goes_live_at=at)
        change = rows.select_related("template__namespace", "version", "opened_by", "scheduled_by").first()
        if change is None or change.scheduled_by is None:
            return
        leave_schedule(build_operator_actor(), change, reason)


def _clear(change: ChangeRequest) -> None:
    change.goes_live_at = change.scheduled_by = change.schedule_key = None
    change.updated_at = log.now()
    change.save()
