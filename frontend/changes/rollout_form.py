"""Rollouts on the page of a change: the form that starts one, and its buttons."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext

from frontend.web.forms import parse_form_number, read_expected
from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.rollouts import services as rollout_services
from registry.rollouts.events import name_share
from registry.rollouts.models import Rollout

__all__ = ["ROLLOUT_ACTIONS", "start_from_form"]


def start_from_form(actor: Actor, number: int, fields: Any) -> str:
    """Start the rollout that the panel asks for; gives the message for the reader. Invalid names the field."""
    hours = _read_hours(fields.get("hours", "").strip())
    steps = [{"share": share, "hours": hours} for share in _read_shares(fields.get("shares", ""))]
    rollout = rollout_services.start_rollout(
        actor=actor,
        change=number,
        steps=steps,
        stop_rule=_read_rule(fields.get("metric", ""), fields.get("below", "")),
        expected=read_expected(fields),
    )
    return gettext("Started: {share} of the callers get v{candidate}.").format(
        share=name_share(rollout.share), candidate=rollout.candidate.number
    )


def _read_shares(text: str) -> list[int]:
    try:
        return [round(float(part.strip().rstrip("%")) * 100) for part in text.split(",")]
    except (ValueError, OverflowError):
        raise Invalid(fields={"shares": gettext("numbers between commas, such as 5, 25.")}) from None


def _read_hours(text: str) -> int | None:
    if text and not (text.isascii() and text.isdecimal()):
        raise Invalid(fields={"hours": gettext("a whole number, or empty to go on by hand.")})
    return int(text) if text else None


def _read_rule(metric: str, below: str) -> dict[str, Any] | None:
    if not metric.strip():
        return None
    if not below.strip():
        return {"metric": metric.strip(), "worse_than_stable": True}
    try:
        return {"metric": metric.strip(), "below": float(below)}
    except ValueError:
        raise Invalid(fields={"below": gettext("a number, such as 0.85.")}) from None


def _step(actor: Actor, number: int, fields: Any) -> str:
    """The share that the page showed goes with it: of two people who press the button one takes the step."""
    share = parse_form_number(fields.get("share")) or None
    rollout = rollout_services.step_rollout(actor=actor, number=number, share=share)
    if rollout.state == Rollout.FINISHED:
        return gettext("Finished: the label moved.")
    return gettext("{share} of the callers get it now.").format(share=name_share(rollout.share))


def _finish(actor: Actor, number: int, _fields: Any) -> str:
    rollout_services.finish_rollout(actor=actor, number=number)
    return gettext("Finished: the label moved.")


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
