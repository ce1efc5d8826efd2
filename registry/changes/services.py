"""Change requests: the only way to move a protected label forward."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import check_results, head_checks, locking, review_requests, rollout_plans
from registry.changes import gate as change_gate
from registry.changes.blockers import FREEZE, Blocker
from registry.changes.events import (
    ChangeHeaded,
    ChangeProposed,
    ChangeReopened,
    ChangeStep,
    ChangeWithdrawn,
)
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.queries import lock_change
from registry.core import names
from registry.core.errors import ApprovalRequired, Conflict, Invalid
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import label_moves
from registry.templates.label_models import LabelMove
from registry.templates.models import Template, Version

__all__ = [
    "begin_round",
    "create_change",
    "describe_blocker",
    "propose_change",
    "publish_change",
    "publish_locked",
    "publish_unblocked",
    "reopen_change",
    "require_unblocked",
    "set_head",
    "withdraw_change",
    "withdraw_open",
]


def propose_change(
    *,
    actor: Actor,
    name: str,
    label: str,
    version: int,
    message: str,
    expected: int | None = None,
    reviewers: Sequence[str] = (),
    planned_rollout: Mapping[str, Any] | None = None,
) -> ChangeRequest:
    """Propose a version for a protected label. expected: as in `label_moves.require_unmoved`.

    reviewers: usernames to ask for a review, as in `review_requests.ask_for_review`. planned_rollout: as in
    `rollout_plans.check_plan`, if publishing is to start a rollout. Raises Conflict if the label has no callers to
    split.
    """
    names.check_label(label)
    check_text("message", message)
    plan = None if planned_rollout is None else rollout_plans.check_plan(planned_rollout)
    with transaction.atomic():
        template = locking.lock_template(actor, Verb.PROPOSE, name)
        permissions.require_label(actor, label)
        head_checks.require_protected(template, label)
        label_moves.require_unmoved(template, label, expected)
        head = head_checks.find_head_version(template, version)
        if plan is not None:
            head_checks.find_stable_label(template, label, head)
        change = create_change(actor=actor, template=template, label=label, head=head, message=message, plan=plan)
        if reviewers:
            review_requests.ask_reviewers(actor, change, reviewers, field="reviewers")
        return change


def create_change(
    *,
    actor: Actor,
    template: Template,
    label: str,
    head: Version,
    message: str,
    release: int | None = None,
    plan: dict[str, Any] | None = None,
) -> ChangeRequest:
    """Create a change request after the permission check; for services, in their transaction and under the journal's
    lock.

    release: the number of the release that it belongs to, whose event follows. plan: a validated rollout plan. Raises
    Invalid if the label holds the head by approval already, and Conflict if an open request proposes it.
    """
    head_checks.require_new_head(template, label, head)
    at = log.now()
    number = (ChangeRequest.objects.aggregate(last=Max("number"))["last"] or 0) + 1
    change = ChangeRequest.objects.create(
        number=number,
        template=template,
        label=label,
        version=head,
        message=message.strip(),
        opened_by=actor.person,
        key=actor.key,
        release_id=release,
        planned_rollout=plan,
        created_at=at,
        updated_at=at,
    )
    _append_round(actor, change, ChangeProposed(**locking.step_of(change), message=change.message, rollout=plan))
    return change


def set_head(*, actor: Actor, number: int, version: int, expected: int | None = None) -> ChangeRequest:
    """Make another version the head of the request. It starts a new round, so approvals given so far no longer count.

    expected: the number of the head that the caller saw. Raises Conflict if it has changed.
    """
    with transaction.atomic():
        change = lock_change(actor, Verb.PROPOSE, number)
        if not change.is_open:
            raise locking.build_closed_conflict(change)
        head = head_checks.find_head_version(change.template, version)
        if head.pk == change.version_id:
            return change
        locking.require_not_rolling_out(change)
        if expected is not None and change.version.number != expected:
            raise Conflict(
                gettext("The change proposes version {version} now.").format(version=change.version.number),
                version=change.version.number,
            )
        head_checks.require_new_head(change.template, change.label, head)
        before = change.version.number
        change.version = head
        change.round += 1
        change.updated_at = log.now()
        _append_round(actor, change, ChangeHeaded(**locking.step_of(change), round=change.round, from_version=before))
    return change


def publish_change(
    *, actor: Actor, number: int, version: int | None = None, expected: int | None = None
) -> ChangeRequest:
    """Move the label if nothing blocks the request: the gate itself.

    version: as in `change.require_seen_version`. expected: as in `label_moves.require_unmoved`. Raises ApprovalRequired
    if reviews are missing, Gone if its version was redacted, and Conflict for every other blocker; facts["blockers"]
    lists them. Appends one event, as in `label_moves.record_move`, with the request's number and "decided" as in
    `registry.changes.checks.DecisionRecord`.
    """
    with transaction.atomic():
        change = lock_change(actor, Verb.PUBLISH, number)
        permissions.require_proof(actor)
        if change.is_open:
            label_moves.require_unmoved(change.template, change.label, expected)
            change.require_seen_version(version)
        publish_locked(actor, change)
    return change


def publish_locked(actor: Actor, change: ChangeRequest, *, is_scheduled: bool = False) -> None:
    """Publish a request that was locked after the permission check; for services. Raises like `publish_change`."""
    if not change.is_open:
        raise locking.build_closed_conflict(change)
    change.version.require_text()
    gate = change_gate.evaluate(change, actor)
    require_unblocked(gate)
    publish_unblocked(actor, gate, is_scheduled=is_scheduled)


def describe_blocker(blocker: Blocker) -> str:
    """The cause, and for a freeze the next slot."""
    return f"{blocker.cause} {blocker.action}" if blocker.code == FREEZE else blocker.cause


def require_unblocked(gate: Gate, *, except_for: str = "") -> None:
    """Raise ApprovalRequired or Conflict, as in `publish_change`. except_for: the code of a blocker to ignore."""
    blockers = [blocker for blocker in gate.blockers if blocker.code != except_for]
    if blockers:
        error = ApprovalRequired if any(blocker.is_by_reviewers for blocker in blockers) else Conflict
        listed = [blocker.to_dict() for blocker in blockers]
        raise error(" ".join(describe_blocker(blocker) for blocker in blockers), blockers=listed)


def publish_unblocked(actor: Actor, gate: Gate, *, is_scheduled: bool = False) -> None:
    """Close the request as published and move its label; for services, after checking blockers and permissions.

    is_scheduled: whether the worker publishes it at its scheduled time.
    """
    change = gate.change
    change.state = ChangeRequest.PUBLISHED
    change.closed_at = change.updated_at = log.now()
    change.decided = gate.to_decision_record().to_dict()
    change.save()
    move = LabelMove(template=change.template, label=change.label, after=change.version, how="published")
    move.reason, move.change = change.message, change
    label_moves.record_move(actor, move, at=change.closed_at, is_scheduled=is_scheduled)


def withdraw_change(*, actor: Actor, number: int, reason: str) -> ChangeRequest:
    """Close the request without publishing, with a reason; for the person who opened it, or a reviewer."""
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it is withdrawn: everyone who reviewed it will read it.")})
    with transaction.atomic():
        change = lock_change(actor, Verb.PROPOSE, number)
        if not change.is_open:
            raise locking.build_closed_conflict(change)
        template = change.template
        locking.require_opener(actor, template.namespace, [template.path], change.opened_by, "change")
        withdraw_open(actor, change_gate.evaluate(change, actor), reason)
    return change


def withdraw_open(actor: Actor, gate: Gate, reason: str) -> None:
    """Close the request as withdrawn; for services, after checking that it is open, the permission and the reason."""
    change = gate.change
    locking.require_not_rolling_out(change)
    change.decided = gate.to_decision_record().to_dict()
    change.state = ChangeRequest.WITHDRAWN
    change.goes_live_at = change.scheduled_by = change.schedule_key = None
    change.closed_at = change.updated_at = log.now()
    change.save()
    event = ChangeWithdrawn(**locking.step_of(change), reason=reason.strip(), decided=change.decided)
    locking.append_step(actor, change, event)


def reopen_change(*, actor: Actor, number: int) -> ChangeRequest:
    """Reopen a withdrawn request in a new round, which needs new approvals. Raises Gone if its version was redacted."""
    with transaction.atomic():
        change = lock_change(actor, Verb.PROPOSE, number)
        if change.state != ChangeRequest.WITHDRAWN:
            raise Conflict(
                gettext("Change {number} is {state}; only a withdrawn one can be reopened.").format(
                    number=number, state=change.state
                )
            )
        change.version.require_text()
        head_checks.require_new_head(change.template, change.label, change.version)
        locking.require_only_member(change)
        change.round += 1
        change.closed_at = change.decided = None
        change.updated_at = log.now()
        change.state = ChangeRequest.OPEN
        _append_round(actor, change, ChangeReopened(**locking.step_of(change), round=change.round))
    return change


def _append_round(actor: Actor, change: ChangeRequest, event: ChangeStep) -> None:
    """Save the request and append the event, whose reaction is `begin_round`."""
    change.save()
    locking.append_step(actor, change, event)


def begin_round(actor: Actor, change: ChangeRequest) -> list[str]:
    """Recompute the state and queue the checks; returns the usernames whose review is awaited, each once."""
    gate = change_gate.evaluate(change, actor, with_checks=False)
    locking.save_state(gate)
    check_results.request_checks(change.template, change.label)
    reviewers = [person for it in gate.blockers if it.asks_for_approval for person in it.waiting_for]
    return list(dict.fromkeys(reviewers))
