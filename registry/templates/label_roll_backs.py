"""Roll backs by which a label left a version, so that nobody promotes that version again without knowing of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from registry.templates.label_models import LabelMove

__all__ = ["LabelRollBack", "read_roll_backs"]


@dataclass(frozen=True)
class LabelRollBack:
    """Who rolled the label back, when, and why; `to` is the number of the version that it went back to."""

    person: str
    at: datetime
    reason: str
    to: int | None


def read_roll_backs(label: str, versions: Mapping[int, int]) -> dict[int, LabelRollBack]:
    """By template (its id) the roll back by which the label left this version; templates without one are left out, and
    so are those where the label came to the version again afterwards. One query.

    versions: the version (its row's id) by template.
    """
    if not versions:
        return {}
    pks = list(versions.values())
    moves = LabelMove.objects.filter(template__in=list(versions), label=label)
    moves = moves.filter(Q(before__in=pks) | Q(after__in=pks)).order_by("pk")
    columns = ("template_id", "before_id", "after_id", "how", "person__username", "created_at", "reason")
    found: dict[int, LabelRollBack] = {}
    for template, before, after, how, person, at, reason, to in moves.values_list(*columns, "after__number"):
        if versions[template] == after:
            found.pop(template, None)
        elif versions[template] == before and how == "rolled_back":
            found[template] = LabelRollBack(person, at, reason, to)
    return found
