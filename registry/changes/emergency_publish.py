"""Emergencies: publishing before the approvals are there, where a namespace allows it at all."""

from django.db import transaction

from registry.accounts.actor import Actor
from registry.changes import emergency_queries, locking
from registry.changes import gate as change_gate
from registry.changes.events import EmergencyClosed
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.text_checks import check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import labels
from registry.templates.models import Label, LabelMove

__all__ = ["close_emergency", "publish_in_emergency"]

_BY_NO_MEANS = {"archived", "held", "superseded"}


def publish_in_emergency(*, actor: Actor, number: int, reason: str) -> ChangeRequest:
    """Move the label although approvals or checks are missing; by a reviewer in person, with a reason.

    The request counts as published but stays unreviewed until it has its approvals after the fact, and everyone concerned
    is told. Its checks stay as they are at this moment. One event, as in `labels.move_label`, with how = broke_glass.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": "say why it can't wait: everyone concerned will read it."})
    with transaction.atomic():
        change = locking.lock_change(actor, Verb.ROLL_BACK, number)
        permissions.require_proof(actor)
        locking.require_pending(change)
        _require_allowed(actor, change)
        gate = change_gate.evaluate(change, actor)
        found = gate.blockers
        if not found:
            raise Conflict("Nothing stands in the way of this request: publish it.", change=number)
        if stuck := [blocker for blocker in found if blocker.code in _BY_NO_MEANS]:
            raise Conflict(stuck[0].cause, change=number)
        _require_effect(change)
        change.state, change.unreviewed = ChangeRequest.PUBLISHED, True
        change.closed_at = change.updated_at = log.now()
        change.decided = gate.decided().to_dict()
        change.save()
        move = LabelMove(template=change.template, label=change.label, after=change.version, how="broke_glass")
        move.reason, move.change = reason.strip(), change
        labels.move_label(actor, move, at=change.closed_at)
    return change


def close_emergency(*, actor: Actor, number: int, reason: str) -> ChangeRequest:
    """Close an emergency that its label no longer serves, without approving it; by another reviewer, with a reason.

    It stays `unreviewed`: nobody approved those bytes, so no label goes back to them. Conflict while the label serves
    them (approve it, or roll back first) and where nothing is to be closed; NotAllowed for whoever may not approve the
    change and for the one who published it, unless one's own request may be approved.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": "say why it needs no approval: it stands in the audit."})
    with transaction.atomic():
        change = locking.lock_change(actor, Verb.APPROVE, number)
        found = emergency_queries.find_emergency(change)
        if found is None or not change.needs_approval:
            raise Conflict(f"Change request {number} is no emergency that waits for its approval.", change=number)
        if found.is_served:
            raise Conflict(
                f"{change.label} still serves version {change.version.number}: approve it, or roll back first.",
                change=number,
            )
        locking.require_may_decide(change_gate.evaluate(change, actor, with_checks=False))
        if found.move.person_id == actor.person.pk and not change.template.namespace.self_approval:
            raise NotAllowed("You published it in an emergency. Another reviewer closes it.", change=number)
        permissions.require_proof(actor)
        change.emergency_closed_at = change.updated_at = log.now()
        change.save()
        locking.append(actor, change, EmergencyClosed(**locking.step_of(change), reason=reason.strip()))
    return change


def _require_effect(change: ChangeRequest) -> None:
    """Raise Conflict where the label serves the head already, only without an approval: an emergency changes nothing."""
    served = Label.objects.filter(template=change.template, name=change.label, version__digest=change.version.digest)
    if served.exists():
        raise Conflict(
            f"{change.label} serves version {change.version.number} already; what is missing is the approval of it.",
            change=change.number,
        )


def _require_allowed(actor: Actor, change: ChangeRequest) -> None:
    namespace = change.template.namespace
    if actor.key is not None or actor.is_operator:
        raise NotAllowed("Publishing without approval is done by a person who signed in.", change=change.number)
    if not namespace.break_glass:
        raise NotAllowed(
            f"{namespace.name} does not allow publishing without approval; an admin can with the rule break_glass.",
            change=change.number,
        )
