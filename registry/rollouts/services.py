"""Services of rollouts: start one for an approved change; step, pause, resume, stop and finish it."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import blockers, head_checks, locking, rollout_plans
from registry.changes import gate as change_gate
from registry.changes import services as change_services
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.queries import lock_change
from registry.changes.rollout_plans import name_share
from registry.core.errors import Conflict, Invalid
from registry.core.input_checks import check_text
from registry.core.timestamps import format_moment
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.rollouts import stop_rules
from registry.rollouts.events import (
    RolloutFinished,
    RolloutPaused,
    RolloutResumed,
    RolloutStarted,
    RolloutStep,
    RolloutStepped,
    RolloutStopped,
)
from registry.rollouts.models import Rollout
from registry.rollouts.queries import lock_rollout
from registry.templates import label_moves
from registry.templates.label_models import Label

__all__ = [
    "finish_rollout",
    "pause_active",
    "pause_rollout",
    "resume_rollout",
    "serve_next_step",
    "start_rollout",
    "step_rollout",
    "stop_active",
    "stop_rollout",
]


def start_rollout(
    *,
    actor: Actor,
    change: int,
    steps: Sequence[Mapping[str, Any]] = rollout_plans.STEPS,
    stop_rule: Mapping[str, Any] | None = None,
    salt: str | None = None,
    version: int | None = None,
    expected: int | None = None,
) -> Rollout:
    """Publish an approved change gradually: its label serves it to the first step's share from now on.

    Uses the gate of `publish_change`, with the same errors, including Gone if its version was redacted. Raises Conflict
    if the change is scheduled, its label serves nothing yet, or a rollout is active on the label. salt: selects the
    callers, by default a new one. version: as in `change.require_seen_version`. expected: as in
    `label_moves.require_unmoved`.
    """
    checked_steps, rule = rollout_plans.check_steps(steps), rollout_plans.check_stop_rule(stop_rule)
    with transaction.atomic():
        request = lock_change(actor, Verb.PUBLISH, change)
        permissions.require_proof(actor)
        if not request.is_open:
            raise locking.build_closed_conflict(request)
        _require_unscheduled(request)
        label_moves.require_unmoved(request.template, request.label, expected)
        request.require_seen_version(version)
        request.version.require_text()
        change_services.require_unblocked(change_gate.evaluate(request, actor))
        label = head_checks.find_stable_label(request.template, request.label, request.version)
        label.version.require_text()
        rollout = _create_rollout(actor, request, label, checked_steps, rule, salt or secrets.token_hex(8))
        label.rollout = rollout
        label.save(update_fields=["rollout"])
        _append(
            actor,
            rollout,
            RolloutStarted(**_list_fields(rollout), salt=rollout.salt, steps=checked_steps, stop_rule=rule),
        )
    return rollout


def _create_rollout(
    actor: Actor,
    request: ChangeRequest,
    label: Label,
    steps: list[dict[str, Any]],
    stop_rule: dict[str, Any] | None,
    salt: str,
) -> Rollout:
    """Store a rollout that serves its first step. label: its row, which serves the stable version."""
    at = log.now()
    return Rollout.objects.create(
        number=(Rollout.objects.aggregate(most=Max("number"))["most"] or 0) + 1,
        template=request.template,
        label=request.label,
        change=request,
        stable=label.version,
        candidate=request.version,
        salt=salt,
        steps=steps,
        share=steps[0]["share"],
        stop_rule=stop_rule,
        next_at=_compute_due(at, steps[0]["hours"]),
        started_by=actor.person,
        key=actor.key,
        created_at=at,
        updated_at=at,
    )


def step_rollout(*, actor: Actor, number: int, share: int | None = None) -> Rollout:
    """Take the next step, or finish after the last, if the gate of the change still allows it.

    share: the one that the caller saw. Raises Conflict if it has changed, so that nobody skips a step.
    """
    with transaction.atomic():
        rollout = lock_rollout(actor, Verb.PUBLISH, number)
        permissions.require_proof(actor)
        _require_running(rollout)
        if share is not None and share != rollout.share:
            raise Conflict(
                gettext("Rollout {number} is at {share} already.").format(
                    number=number, share=name_share(rollout.share)
                ),
                share=rollout.share,
            )
        serve_next_step(actor, rollout)
    return rollout


def finish_rollout(*, actor: Actor, number: int) -> Rollout:
    """Serve the candidate to everybody: publishes the change through the normal gate."""
    with transaction.atomic():
        rollout = lock_rollout(actor, Verb.PUBLISH, number)
        permissions.require_proof(actor)
        _require_active(rollout)
        _finish(actor, rollout)
    return rollout


def pause_rollout(*, actor: Actor, number: int, reason: str = "") -> Rollout:
    """Keep the share until somebody resumes the rollout. Its stop rule stays active."""
    check_text("reason", reason)
    with transaction.atomic():
        rollout = lock_rollout(actor, Verb.PUBLISH, number)
        _require_running(rollout)
        pause_active(actor, rollout, reason)
    return rollout


def resume_rollout(*, actor: Actor, number: int) -> Rollout:
    """Resume a paused rollout: the wait for its next step restarts, and planned steps are taken for the actor."""
    with transaction.atomic():
        rollout = lock_rollout(actor, Verb.PUBLISH, number)
        _require_active(rollout)
        if rollout.state != Rollout.PAUSED:
            raise Conflict(
                gettext("Rollout {number} is not paused.").format(number=number), rollout=number, state=rollout.state
            )
        hours = rollout.steps[rollout.step]["hours"]
        rollout.state, rollout.reason, rollout.updated_at = Rollout.RUNNING, "", log.now()
        rollout.next_at = _compute_due(rollout.updated_at, hours)
        _append(actor, rollout, RolloutResumed(**_list_fields(rollout), hours=hours))
    return rollout


def stop_rollout(*, actor: Actor, number: int, reason: str) -> Rollout:
    """Stop the rollout: everybody gets the stable version again. Reviewers only, with a reason. The change stays
    approved and open.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it is stopped: everyone concerned will read it.")})
    with transaction.atomic():
        rollout = lock_rollout(actor, Verb.ROLL_BACK, number)
        _require_active(rollout)
        stop_active(actor, rollout, reason)
    return rollout


def serve_next_step(actor: Actor, rollout: Rollout, *, automatic: bool | None = None) -> None:
    """Take the next step of a running rollout, or finish it; for services that locked it. Raises like publishing."""
    following = rollout.next_step
    if following is None:
        _finish(actor, rollout, automatic=automatic)
        return
    _require_open_gate(actor, rollout)
    rollout.step, rollout.share, rollout.updated_at = rollout.step + 1, following["share"], log.now()
    rollout.next_at = _compute_due(rollout.updated_at, following["hours"])
    event = RolloutStepped(**_list_fields(rollout), step=rollout.step, **following, automatic=automatic)
    _append(actor, rollout, event)


def pause_active(actor: Actor, rollout: Rollout, reason: str, *, automatic: bool | None = None) -> None:
    """Save a running rollout as paused; for services that locked it."""
    rollout.state, rollout.next_at, rollout.updated_at = Rollout.PAUSED, None, log.now()
    rollout.reason = reason.strip()
    _append(actor, rollout, RolloutPaused(**_list_fields(rollout), reason=rollout.reason, automatic=automatic))


def stop_active(actor: Actor, rollout: Rollout, reason: str, *, automatic: bool | None = None) -> None:
    """Save a rollout as stopped, with its current scores; for services that locked it."""
    rollout.figures = stop_rules.to_figures(stop_rules.read_side_scores([rollout])[rollout.number])
    rollout.reason = reason.strip()
    _end(rollout, Rollout.STOPPED)
    event = RolloutStopped(
        **_list_fields(rollout),
        share=rollout.share,
        reason=rollout.reason,
        figures=rollout.figures,
        automatic=automatic,
    )
    _append(actor, rollout, event)


def _finish(actor: Actor, rollout: Rollout, *, automatic: bool | None = None) -> None:
    gate = _require_open_gate(actor, rollout)
    rollout.reason = ""
    _end(rollout, Rollout.FINISHED)
    _append(actor, rollout, RolloutFinished(**_list_fields(rollout), automatic=automatic))
    change_services.publish_unblocked(actor, gate)


def _end(rollout: Rollout, state: str) -> None:
    rollout.state, rollout.next_at = state, None
    rollout.ended_at = rollout.updated_at = log.now()
    Label.objects.filter(rollout=rollout).update(rollout=None)


def _require_open_gate(actor: Actor, rollout: Rollout) -> Gate:
    """The gate of the rollout's change, if only the rollout itself blocks it."""
    rollout.candidate.require_text()
    gate = change_gate.evaluate(rollout.change, actor)
    change_services.require_unblocked(gate, except_for=blockers.ROLLING_OUT)
    return gate


def _require_unscheduled(request: ChangeRequest) -> None:
    if request.goes_live_at is not None:
        moment = format_moment(request.goes_live_at)
        raise Conflict(
            gettext("Change {request} goes live at {moment}: cancel that schedule first.").format(
                request=request.number, moment=moment
            ),
            change=request.number,
            goes_live_at=moment,
        )


def _require_active(rollout: Rollout) -> None:
    if not rollout.is_active:
        raise Conflict(
            gettext("Rollout {rollout} is {state}.").format(rollout=rollout.number, state=rollout.state),
            rollout=rollout.number,
            state=rollout.state,
        )


def _require_running(rollout: Rollout) -> None:
    _require_active(rollout)
    if rollout.state == Rollout.PAUSED:
        raise Conflict(
            gettext("Rollout {rollout} is paused: resume it first.").format(rollout=rollout.number),
            rollout=rollout.number,
        )


def _compute_due(at: datetime, hours: int | None) -> datetime | None:
    return None if hours is None else at + timedelta(hours=hours)


def _list_fields(rollout: Rollout) -> dict[str, Any]:
    """The fields of every `RolloutStep`."""
    return {
        "rollout": rollout.number,
        "change": rollout.change_id,
        "template": rollout.template.name,
        "label": rollout.label,
        "version": rollout.candidate.number,
        "digest": rollout.candidate.digest,
        "stable": rollout.stable.number,
        "stable_digest": rollout.stable.digest,
    }


def _append(actor: Actor, rollout: Rollout, event: RolloutStep) -> None:
    """Save the rollout and append its step, dated by the row's `updated_at`."""
    rollout.save()
    log.append(actor, event, namespace=rollout.template.namespace, at=rollout.updated_at, subject=rollout)
