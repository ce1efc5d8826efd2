"""Decisions on change requests: approve, request edits, comment, and take a decision back."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import locking
from registry.changes.events import ChangeDecided
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Decision, DecisionAct, Verdict
from registry.changes.queries import lock_change
from registry.core.errors import Conflict, Invalid
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import compute_digest
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["check_decision", "decide_on_change", "record_decision"]


def decide_on_change(*, actor: Actor, number: int, decision: str, digest: str, text: str = "") -> Decision:
    """Approve, request changes, comment, acknowledge a break of the contract, or take an approval or a request for
    changes back. Decisions are bound to the request's label and the digest that the person looked at.

    Raises Conflict if the head has another digest by now, or there is no break of the contract to accept. Raises
    NotAllowed for contributors, keys and authors. People can take back their own decision whatever their role is now;
    raises Conflict if there isn't one, or the request is closed.
    """
    check_decision(decision, text)
    verb = Verb.COMMENT if decision in (Decision.COMMENT, Decision.TAKE_BACK) else Verb.APPROVE
    with transaction.atomic():
        change = lock_change(actor, verb, number)
        return record_decision(actor, change, decision=decision, digest=digest, text=text)


def check_decision(decision: str, text: str) -> None:
    """Raise Invalid for an unknown decision, or one that lacks a required comment."""
    if decision not in Decision.DECISIONS:
        raise Invalid(fields={"decision": gettext("one of {names}.").format(names=", ".join(Decision.DECISIONS))})
    check_text("text", text)
    if decision not in (Decision.APPROVE, Decision.TAKE_BACK) and not text.strip():
        raise Invalid(fields={"text": gettext("write something: a comment, or a request for edits, needs words.")})


def record_decision(  # the fields of a decision, and its place in an act
    actor: Actor,
    change: ChangeRequest,
    *,
    decision: str,
    digest: str,
    text: str,
    earlier: Sequence[Decision] = (),
    is_last: bool = True,
) -> Decision:
    """Store a decision whose text was checked; for services, on a request locked after the permission check.

    earlier, is_last: of an act that decides on several requests, as in `DecisionAct`.
    """
    if decision in (Decision.APPROVE, Decision.ACKNOWLEDGE):
        permissions.require_proof(actor)
    with_checks = change.unreviewed or decision == Decision.ACKNOWLEDGE
    gate = change_gate.evaluate(change, actor, with_checks=with_checks)
    if decision != Decision.COMMENT and not change.takes_decisions:
        raise locking.build_closed_conflict(change, takes_back=decision == Decision.TAKE_BACK)
    if digest != change.version.digest:
        raise change.build_version_conflict()
    taken_back = locking.require_own_decision(actor, gate) if decision == Decision.TAKE_BACK else None
    if taken_back == Decision.REQUEST_CHANGES:
        permissions.require_proof(actor)  # it opens the gate like an approval; taking an approval back closes it
    elif decision not in (Decision.COMMENT, Decision.TAKE_BACK):
        locking.require_may_decide(gate)
    if decision == Decision.ACKNOWLEDGE:
        _require_break(gate)
    row = _write(actor, gate, decision, text)
    change.updated_at = row.created_at
    if decision == Decision.COMMENT:  # it never completes the approvals
        change.save()
        is_reviewed = False
    else:
        is_reviewed = _assess_gate(gate.with_decision(row))
    event = ChangeDecided(
        **locking.step_of(change),
        decision=decision,
        number=row.number,
        round=row.round,
        text=compute_digest(row.text) if row.text else None,
        reviewed=True if is_reviewed else None,
        decided=change.decided if is_reviewed else None,
        taken_back=taken_back,
    )
    locking.append_step(actor, change, event, DecisionAct(row, tuple(earlier), is_last))
    return row


def _require_break(gate: Gate) -> None:
    """Raise Conflict unless the contract check has failed: a break can't be accepted before it was reported."""
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


def _assess_gate(gate: Gate) -> bool:
    """Store the state that follows from the decisions, and what was decided on if they complete an emergency's
    approvals.

    Returns whether this was the last approval that an emergency was missing.
    """
    change = gate.change
    was_unreviewed = change.unreviewed
    if change.needs_approval and gate.approval_status.is_enough:
        change.decided = gate.to_decision_record().to_dict()
    locking.save_state(gate)
    return was_unreviewed and not change.unreviewed
