"""Decisions on change requests: approving, asking for edits, commenting, and taking one back."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import locking
from registry.changes.events import ChangeDecided
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Decision, Verdict
from registry.changes.queries import lock_change
from registry.core.errors import Conflict, Invalid
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import digest_of
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["check_decision", "decide_on_change", "record_decision"]


def decide_on_change(*, actor: Actor, number: int, decision: str, digest: str, text: str = "") -> Decision:
    """Approve, request changes, comment, acknowledge a break of the contract, or take an approval or a request for
    changes back; bound to the request's label and the digest that the person looked at.

    Raises Conflict if the head is another digest by now, or there is no break of the contract to accept; NotAllowed for
    contributors, for keys and for authors. What is taken back is the person's own, whatever role they have by now:
    Raises Conflict if there is nothing to take back, or the request is closed.
    """
    check_decision(decision, text)
    verb = Verb.COMMENT if decision in (Decision.COMMENT, Decision.TAKE_BACK) else Verb.APPROVE
    with transaction.atomic():
        change = lock_change(actor, verb, number)
        return record_decision(actor, change, decision=decision, digest=digest, text=text)


def check_decision(decision: str, text: str) -> None:
    """Raise Invalid if this is no decision, or one that needs words has none."""
    if decision not in Decision.DECISIONS:
        raise Invalid(fields={"decision": gettext("one of {names}.").format(names=", ".join(Decision.DECISIONS))})
    check_text("text", text)
    if decision not in (Decision.APPROVE, Decision.TAKE_BACK) and not text.strip():
        raise Invalid(fields={"text": gettext("write something: a comment, or a request for edits, needs words.")})


def record_decision(actor: Actor, change: ChangeRequest, *, decision: str, digest: str, text: str) -> Decision:
    """Write a decision whose words were checked; for services, on a request that was taken with the right to do
    this.
    """
    if decision in (Decision.APPROVE, Decision.ACKNOWLEDGE):
        permissions.require_proof(actor)
    with_checks = change.unreviewed or decision == Decision.ACKNOWLEDGE
    gate = change_gate.evaluate(change, actor, with_checks=with_checks)
    if decision != Decision.COMMENT and not change.takes_decisions:
        raise locking.conflict_of_closed(change, takes_back=decision == Decision.TAKE_BACK)
    if digest != change.version.digest:
        raise locking.conflict_of_head(change)
    taken_back = locking.require_own_decision(actor, gate) if decision == Decision.TAKE_BACK else None
    if taken_back == Decision.REQUEST_CHANGES:
        permissions.require_proof(actor)  # it opens the gate as an approval does; taking an approval back closes it
    elif decision not in (Decision.COMMENT, Decision.TAKE_BACK):
        locking.require_may_decide(gate)
    if decision == Decision.ACKNOWLEDGE:
        _require_break(gate)
    said = _write(actor, gate, decision, text)
    change.updated_at = said.created_at
    if decision == Decision.COMMENT:  # it decides nothing, whatever the approvals before it come to
        change.save()
        is_reviewed = False
    else:
        is_reviewed = _assess(gate.with_decision(said))
    event = ChangeDecided(
        **locking.step_of(change),
        decision=decision,
        number=said.number,
        round=said.round,
        text=digest_of(said.text) if said.text else None,
        reviewed=True if is_reviewed else None,
        decided=change.decided if is_reviewed else None,
        taken_back=taken_back,
    )
    locking.append(actor, change, event, said)
    return said


def _require_break(gate: Gate) -> None:
    """Raise Conflict unless the contract check has failed: what nobody saw yet can't be accepted."""
    contract = next((check for check in gate.checks if check.name == "contract"), None)
    if contract is not None and contract.outcome == Verdict.FAILED:
        return
    if contract is not None and contract.outcome is None:
        raise Conflict(gettext("The contract check has not finished: there is no break to accept yet."))
    raise Conflict(gettext("The contract check has not failed: there is no break to accept."))


def _write(actor: Actor, gate: Gate, decision: str, text: str) -> Decision:
    change = gate.change
    return Decision.objects.create(
        change=change,
        number=gate.last_decision + 1,
        person=actor.person,
        key=actor.key,
        decision=decision,
        label=change.label,
        version=change.version,
        digest=change.version.digest,
        round=change.round,
        text=text.strip(),
        created_at=log.now(),
    )


def _assess(gate: Gate) -> bool:
    """Write what the decisions come to, and what the request was decided on if they are enough after an emergency.

    Gives whether this was the last approval that was missing after an emergency.
    """
    change = gate.change
    was_unreviewed = change.unreviewed
    if change.needs_approval and gate.approval_status.is_enough:
        change.decided = gate.to_decided().to_dict()
    locking.save_state(gate)
    return was_unreviewed and not change.unreviewed
