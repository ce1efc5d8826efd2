"""When a change or a release goes live, as its panel asks for it: at once, gradually, or on a date."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["GoesLive", "read_goes_live"]

_CHOICES = ("at_once", "gradually", "on_date")


@dataclass(frozen=True)
class GoesLive:
    """What was chosen and typed, as text, so that a form that is refused shows it again."""

    how: str = "at_once"
    shares: str = "5, 25"
    hours: str = "24"
    metric: str = ""
    below: str = ""
    goes_live_at: str = ""


def read_goes_live(fields: Mapping[str, Any]) -> GoesLive:
    """What the sent form says; without a form, how the panel begins."""
    how = "on_date" if fields.get("do") == "schedule" else fields.get("how", "")
    if how not in _CHOICES:
        return GoesLive()
    names = ("shares", "hours", "metric", "below", "goes_live_at")
    return GoesLive(how=how, **{name: fields.get(name, "") for name in names})
