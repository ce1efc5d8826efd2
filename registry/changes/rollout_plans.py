"""Planned rollouts: validation of the requested steps and stop rule."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from promptuary.renderer.rollouts import WHOLE
from registry.core.errors import Invalid

__all__ = ["REPLIES", "STEPS", "check_plan", "check_steps", "check_stop_rule", "describe_shares", "name_share"]

STEPS: Sequence[Mapping[str, Any]] = ({"share": 500, "hours": 24}, {"share": 2500, "hours": 24})
REPLIES = 200  # scores of the candidate before a stop rule applies, unless it sets another number
_MAX_STEPS = 20
_MAX_HOURS = 24 * 90
_METRIC = re.compile(r"[a-z][a-z0-9_]{0,59}")


def name_share(share: int) -> str:
    """Format a share in ten-thousandths as percent, with a space at which no line breaks: `2.5 %`."""
    return f"{share / 100:g}\N{NO-BREAK SPACE}%"


def describe_shares(plan: Mapping[str, Any]) -> str:
    """The shares of a validated plan in the order in which they are served: `5 %, 25 %`."""
    return ", ".join(name_share(step["share"]) for step in plan["steps"])


def check_plan(plan: Mapping[str, Any]) -> dict[str, Any]:
    """`steps` and `stop_rule` as a change stores them, with the default steps if the plan has none. Raises like
    `check_steps` and `check_stop_rule`.
    """
    return {"steps": check_steps(plan.get("steps", STEPS)), "stop_rule": check_stop_rule(plan.get("stop_rule"))}


def check_steps(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The steps as the row stores them. Raises Invalid if shares do not grow, or a share or wait is out of bounds."""
    if not 1 <= len(steps) <= _MAX_STEPS:
        raise Invalid(
            fields={
                "steps": gettext("give 1 to {most_steps} steps; after the last comes everybody.").format(
                    most_steps=_MAX_STEPS
                )
            }
        )
    checked: list[dict[str, Any]] = []
    for number, step in enumerate(steps, 1):
        share, hours = step.get("share"), step.get("hours")
        if type(share) is not int or not 1 <= share < WHOLE:
            raise Invalid(
                fields={
                    "steps": gettext("step {number}: the share is 1 to {value} ten-thousandths.").format(
                        number=number, value=WHOLE - 1
                    )
                }
            )
        if checked and share <= checked[-1]["share"]:
            raise Invalid(
                fields={
                    "steps": gettext("step {number}: the share is not larger than the one before it.").format(
                        number=number
                    )
                }
            )
        if hours is not None and (type(hours) is not int or not 1 <= hours <= _MAX_HOURS):
            raise Invalid(
                fields={
                    "steps": gettext("step {number}: the wait is 1 to {most_hours} hours, or null by hand.").format(
                        number=number, most_hours=_MAX_HOURS
                    )
                }
            )
        checked.append({"share": share, "hours": hours})
    return checked


def check_stop_rule(rule: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The rule as the row stores it. Raises Invalid if it lacks a metric or a value to compare it with."""
    if rule is None:
        return None
    metric, below = rule.get("metric"), rule.get("below")
    is_relative, replies = bool(rule.get("worse_than_stable", False)), rule.get("replies", REPLIES)
    if not isinstance(metric, str) or not _METRIC.fullmatch(metric):
        raise Invalid(fields={"stop_rule": gettext("name the score as services report it, such as helpful.")})
    if below is None and not is_relative:
        raise Invalid(fields={"stop_rule": gettext("say what stops it: a value to stay above, or worse than stable.")})
    if below is not None and not math.isfinite(below):
        raise Invalid(fields={"stop_rule": gettext("the value to stay above must be a number.")})
    if type(replies) is not int or not 1 <= replies <= 1_000_000:
        raise Invalid(fields={"stop_rule": gettext("the replies to wait for are 1 to 1,000,000.")})
    # Canonical JSON: 1.0 and 1 must be one value in the journal.
    return {"metric": metric, "replies": replies, "below": below, "worse_than_stable": is_relative}
