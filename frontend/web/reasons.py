"""Why something is rolled back: one of the usual causes, own words, or both."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy

__all__ = ["CAUSES", "read_reason", "reason_context"]

# By the value in the form. "other" says nothing by itself: then words are needed.
CAUSES = {
    "answers": gettext_lazy("Wrong answers"),
    "errors": gettext_lazy("Errors"),
    "cost": gettext_lazy("Cost"),
    "other": gettext_lazy("Other"),
}


def read_reason(fields: Mapping[str, Any]) -> str:
    """The reason that a form gives: the cause that was chosen, and after it what was written; empty without both."""
    written = fields.get("reason", "").replace("\r\n", "\n").strip()
    cause = fields.get("cause", "")
    if cause not in CAUSES or cause == "other":
        return str(written)
    return f"{CAUSES[cause]}: {written}" if written else str(CAUSES[cause])


def reason_context(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What `_reason_field.html` shows: the causes, and what was chosen and written before the form was refused."""
    return {"causes": CAUSES, "cause": fields.get("cause", ""), "reason": fields.get("reason", "")}
