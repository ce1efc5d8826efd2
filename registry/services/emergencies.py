"""Emergencies: publishing before the approvals are there, where a namespace allows it at all."""

from django.db import transaction

from registry import journal
from registry.access import Actor, Verb
from registry.errors import Conflict, Invalid, NotAllowed
from registry.models import ChangeRequest
from registry.queries import gates
from registry.services import labels, notifications, pending
from registry.texts import check_text

__all__ = ["break_glass"]

_BY_NO_MEANS = {"archived", "held", "superseded"}


def break_glass(*, actor: Actor, number: int, reason: str) -> ChangeRequest:
    """Move the label although approvals or checks are missing; by a reviewer in person, with a reason.

    The request counts as published but stays unreviewed until it has its approvals after the fact, and everyone concerned
    is told. Its checks stay as they are at this moment. One event, as in `labels.place`, with how = broke_glass.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": "say why it can't wait: everyone concerned will read it."})
    with transaction.atomic():
        change = pending.take(actor, Verb.ROLL_BACK, number)
        pending.require_pending(change)
        _require_allowed(actor, change)
        gate = gates.evaluate(change, actor)
        found = gate.blockers
        if not found:
            raise Conflict("Nothing stands in the way of this request: publish it.", change=number)
        if stuck := [blocker for blocker in found if blocker.code in _BY_NO_MEANS]:
            raise Conflict(stuck[0].cause, change=number)
        change.state, change.unreviewed = ChangeRequest.PUBLISHED, True
        change.closed_at = change.updated_at = journal.now()
        change.decided = gate.decided().to_dict()
        change.save()
        notifications.settle(change)
        labels.place(
            actor=actor,
            template=change.template,
            label=change.label,
            target=change.version,
            how="broke_glass",
            reason=reason.strip(),
            change=change,
            at=change.closed_at,
        )
    return change


def _require_allowed(actor: Actor, change: ChangeRequest) -> None:
    namespace = change.template.namespace
    if actor.key is not None or actor.is_operator:
        raise NotAllowed("Publishing without approval is done by a person who signed in.", change=change.number)
    if not namespace.break_glass:
        raise NotAllowed(
            f"{namespace.name} does not allow publishing without approval; an admin can with the rule break_glass.",
            change=change.number,
        )
