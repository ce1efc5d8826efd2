"""Roll backs by which a label left a version, shown to a person who would promote that version again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Q, When

from registry.templates.label_models import LabelMove
from registry.templates.label_moves import IS_BACKWARD

__all__ = ["LabelRollBack", "list_rolled_back", "read_roll_backs"]


@dataclass(frozen=True)
class LabelRollBack:
    """Who rolled the label back, when, and why; `to` is the number of the version rolled back to."""

    person: str
    at: datetime
    reason: str
    to: int | None


def read_roll_backs(label: str, versions: Mapping[int, int]) -> dict[int, LabelRollBack]:
    """Map template id to the roll back by which the label left this version; one query. Templates without one are left
    out, and so are those whose label returned to the version afterwards. A roll back to a newer version doesn't count:
    it undoes another.

    versions: template id to version row id.
    """
    if not versions:
        return {}
    pks = list(versions.values())
    moves = LabelMove.objects.filter(template__in=list(versions), label=label)
    moves = moves.filter(Q(before__in=pks) | Q(after__in=pks)).order_by("pk")
    is_backward = Case(When(IS_BACKWARD, then=True), default=False)
    columns = ("template_id", "before_id", "after_id", is_backward, "person__username", "created_at", "reason")
    roll_backs: dict[int, LabelRollBack] = {}
    for template, before, after, is_left, person, at, reason, to in moves.values_list(*columns, "after__number"):
        if versions[template] == after:
            roll_backs.pop(template, None)
        elif versions[template] == before and is_left:
            roll_backs[template] = LabelRollBack(person, at, reason, to)
    return roll_backs


def list_rolled_back(template: int, label: str) -> dict[int, LabelRollBack]:
    """Map the number of each version of a template to the roll back by which the label left it; one query."""
    moves = LabelMove.objects.filter(template=template, label=label).order_by("pk")
    is_backward = Case(When(IS_BACKWARD, then=True), default=False)
    columns = ("before__number", "after__number", is_backward, "person__username", "created_at", "reason")
    roll_backs: dict[int, LabelRollBack] = {}
    for before, after, is_left, person, at, reason in moves.values_list(*columns):
        roll_backs.pop(after, None)
        if is_left:
            roll_backs[before] = LabelRollBack(person, at, reason, after)
    return roll_backs
