"""The reason for a rollback: one of the usual causes, free text, or both."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy

__all__ = ["CAUSES", "build_reason_context", "read_reason"]

# By the value in the form. "other" alone says nothing, so it requires text.
CAUSES = {
    "answers": gettext_lazy("Wrong answers"),
    "errors": gettext_lazy("Errors"),
    "cost": gettext_lazy("Cost"),
    "other": gettext_lazy("Other"),
}


def read_reason(fields: Mapping[str, Any]) -> str:
    """The reason from a form: the chosen cause followed by the text; empty without both."""
    written = fields.get("reason", "").replace("\r\n", "\n").strip()
    cause = fields.get("cause", "")
    if cause not in CAUSES or cause == "other":
        return str(written)
    return f"{CAUSES[cause]}: {written}" if written else str(CAUSES[cause])


def build_reason_context(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The context of `_reason_field.html`: the causes, and the input of a refused form."""
    return {"causes": CAUSES, "cause": fields.get("cause", ""), "reason": fields.get("reason", "")}
