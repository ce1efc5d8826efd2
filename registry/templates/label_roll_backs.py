"""Roll backs by which a label left a version, shown to a person who would promote that version again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from registry.templates.label_models import LabelMove

__all__ = ["LabelRollBack", "read_roll_backs"]


@dataclass(frozen=True)
class LabelRollBack:
    """Who rolled the label back, when, and why; `to` is the number of the version rolled back to."""

    person: str
    at: datetime
    reason: str
    to: int | None


def read_roll_backs(label: str, versions: Mapping[int, int]) -> dict[int, LabelRollBack]:
    """Map template id to the roll back by which the label left this version; one query. Templates without one are left
    out, and so are those whose label returned to the version afterwards.

    versions: template id to version row id.
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
