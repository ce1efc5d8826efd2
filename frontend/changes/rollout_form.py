"""Rollouts on the page of a change: the form that starts one, and its buttons."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext

from frontend.changes.goes_live import read_plan
from frontend.web.forms import parse_form_number
from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.changes.rollout_plans import name_share
from registry.core.errors import Invalid
from registry.rollouts import publishing
from registry.rollouts import services as rollout_services
from registry.rollouts.models import Rollout

__all__ = ["ROLLOUT_ACTIONS", "publish_as_proposed", "start_from_form"]


def start_from_form(actor: Actor, number: int, fields: Any, expected_versions: dict[str, int]) -> str:
    """Start the rollout that the panel requests, and return the message for the reader.

    seen: the version of the change and the one of its label that the panel showed. Raises Invalid naming the field.
    """
    planned = ChangeRequest.objects.filter(number=number).values_list("planned_rollout", flat=True).first()
    plan = read_plan(fields, planned)
    rollout = rollout_services.start_rollout(
        actor=actor,
        change=number,
        steps=plan["steps"],
        stop_rule=plan["stop_rule"],
        version=expected_versions["version"],
        expected=expected_versions["expected"],
    )
    return _describe_started(rollout)


def publish_as_proposed(actor: Actor, number: int, expected_versions: dict[str, int]) -> str:
    """Publish without options chosen; returns the message of a rollout that started, else an empty string."""
    rollout = publishing.publish_as_proposed(actor=actor, number=number, **expected_versions)
    return _describe_started(rollout) if rollout else ""


def _describe_started(rollout: Rollout) -> str:
    return gettext("Started: {share} of the callers get v{candidate}.").format(
        share=name_share(rollout.share), candidate=rollout.candidate.number
    )


def _describe_finished(rollout: Rollout) -> str:
    return gettext("Finished: {label} serves v{number} now.").format(
        label=rollout.label, number=rollout.candidate.number
    )


def _step(actor: Actor, number: int, fields: Any) -> str:
    """Send the displayed share along: if two users press the button, only one takes the step."""
    share = parse_form_number(fields.get("share")) or None
    rollout = rollout_services.step_rollout(actor=actor, number=number, share=share)
    if rollout.state == Rollout.FINISHED:
        return _describe_finished(rollout)
    return gettext("{share} of the callers get it now.").format(share=name_share(rollout.share))


def _finish(actor: Actor, number: int, _fields: Any) -> str:
    return _describe_finished(rollout_services.finish_rollout(actor=actor, number=number))


def _pause(actor: Actor, number: int, _fields: Any) -> str:
    rollout_services.pause_rollout(actor=actor, number=number)
    return gettext("Paused. The share stays as it is.")


def _resume(actor: Actor, number: int, _fields: Any) -> str:
    rollout_services.resume_rollout(actor=actor, number=number)
    return gettext("Resumed. The wait for the next step begins again.")


def _stop(actor: Actor, number: int, fields: Any) -> str:
    reason = fields.get("text", "")
    if not reason.strip():
        raise Invalid(fields={"text": gettext("say why it is stopped: everyone concerned will read it.")})
    rollout_services.stop_rollout(actor=actor, number=number, reason=reason)
    return gettext("Stopped. Everybody gets the stable version again.")


ROLLOUT_ACTIONS: dict[str, Callable[[Actor, int, Any], str]] = {
    "rollout_step": _step,
    "rollout_finish": _finish,
    "rollout_pause": _pause,
    "rollout_resume": _resume,
    "rollout_stop": _stop,
}
