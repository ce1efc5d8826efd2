"""When a change or a release goes live, as entered in its panel: immediately, gradually, or on a date."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from registry.changes import schedules
from registry.core.errors import Invalid
from registry.core.timestamps import read_moment

__all__ = ["PLAN_FIELDS", "GoesLive", "read_date", "read_goes_live", "read_plan"]

PLAN_FIELDS = ("shares", "hours", "metric", "below", "steps", "stop_rule", "planned_rollout")

_CHOICES = ("at_once", "gradually", "on_date")


@dataclass(frozen=True)
class GoesLive:
    """The choice and the input as text, so that a refused form shows them again."""

    how: str = "at_once"
    shares: str = "5, 25"
    hours: str = "24"
    metric: str = ""
    below: str = ""
    goes_live_at: str = ""

    def describes(self, plan: Mapping[str, Any]) -> bool:
        """Whether the rollout fields equal those shown for this plan."""
        planned = _show_plan(plan)
        mine = (self.shares, self.hours, self.metric, self.below)
        return mine == (planned.shares, planned.hours, planned.metric, planned.below)


def read_goes_live(fields: Mapping[str, Any], plan: Mapping[str, Any] | None = None) -> GoesLive:
    """Parse the submitted form; without one, return the panel's initial values, from the plan if there is one."""
    how = "on_date" if fields.get("do") == "schedule" else fields.get("how", "")
    if how not in _CHOICES:
        return _show_plan(plan) if plan else GoesLive()
    names = ("shares", "hours", "metric", "below", "goes_live_at")
    return GoesLive(how=how, **{name: fields.get(name, "") for name in names})


def read_date(fields: Mapping[str, Any]) -> datetime | None:
    """Parse the date in the reader's time zone, without validation; None if none was chosen. Raises Invalid naming the
    field.
    """
    if fields.get("how") != "on_date":
        return None
    return read_moment(schedules.FIELD, fields.get(schedules.FIELD, ""), timezone.get_current_timezone())


def read_plan(fields: Mapping[str, Any], plan: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Parse the steps and the stop rule, without validation. Raises Invalid naming the field.

    plan: the form's initial plan. It is returned if the form is unchanged, because it can contain more than the form.
    """
    if plan and read_goes_live(fields).describes(plan):
        return plan
    shares = _read_shares(fields.get("shares", ""))
    waits = _read_hours(fields.get("hours", ""), len(shares))
    steps = [{"share": share, "hours": hours} for share, hours in zip(shares, waits, strict=True)]
    return {"steps": steps, "stop_rule": _read_rule(fields.get("metric", ""), fields.get("below", ""))}


def _show_plan(plan: Mapping[str, Any]) -> GoesLive:
    """The form's fields for a plan: one wait if all steps have the same, otherwise one for each."""
    waits = ["" if step["hours"] is None else str(step["hours"]) for step in plan["steps"]]
    rule = plan["stop_rule"] or {}
    below = rule.get("below")
    return GoesLive(
        how="gradually",
        shares=", ".join(f"{step['share'] / 100:g}" for step in plan["steps"]),
        hours=waits[0] if len(set(waits)) == 1 else ", ".join(waits),
        metric=rule.get("metric", ""),
        below="" if below is None else f"{below:g}",
    )


def _read_shares(text: str) -> list[int]:
    try:
        return [round(float(part.strip().rstrip("%")) * 100) for part in text.split(",")]
    except (ValueError, OverflowError):
        raise Invalid(fields={"shares": gettext("numbers separated by commas, such as 5, 25.")}) from None


def _read_hours(text: str, count: int) -> list[int | None]:
    """The wait of each of `count` steps: one number for all, or one for each; an empty one waits for a manual step."""
    parts = [part.strip() for part in text.split(",")]
    if any(part and not (part.isascii() and part.isdecimal()) for part in parts):
        raise Invalid(fields={"hours": gettext("a whole number, or empty to continue by hand.")})
    if len(parts) not in (1, count):
        raise Invalid(fields={"hours": gettext("one number for all shares, or one for each.")})
    waits = [int(part) if part else None for part in parts]
    return waits * count if len(waits) == 1 else waits


def _read_rule(metric: str, below: str) -> dict[str, Any] | None:
    if not metric.strip():
        return None
    if not below.strip():
        return {"metric": metric.strip(), "worse_than_stable": True}
    try:
        return {"metric": metric.strip(), "below": float(below)}
    except ValueError:
        raise Invalid(fields={"below": gettext("a number, such as 0.85.")}) from None
