"""Rollouts that were stopped, as facts about a version on a label, whichever change they published.

Nothing here imports `registry.rollouts`, which builds on this package: the rows are read through the template.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef

from registry.changes.models import ChangeRequest
from registry.changes.rollout_plans import name_share
from registry.templates.label_models import LabelMove
from registry.templates.models import Template

__all__ = ["StoppedRollout", "list_stopped_changes", "read_stopped_rollouts"]


@dataclass(frozen=True)
class StoppedRollout:
    """A rollout that was stopped by its rule or by a person. share: that it served then, in ten-thousandths. reason:
    why, as given by the person or the rule.
    """

    number: int
    change: int
    share: int
    ended_at: datetime
    reason: str

    @property
    def share_name(self) -> str:
        """The share as percent: `2.5 %`."""
        return name_share(self.share)


def read_stopped_rollouts(places: Collection[tuple[str, int]]) -> Mapping[tuple[str, int], StoppedRollout]:
    """Map (label, version id) to its newest rollout, if that was stopped and the label didn't move to the version
    since; for versions that the caller may read. One query, none without places.
    """
    if not places:
        return {}
    versions = {version for _, version in places}
    moved = LabelMove.objects.filter(
        template=OuterRef("pk"),
        label=OuterRef("rollouts__label"),
        after=OuterRef("rollouts__candidate"),
        created_at__gt=OuterRef("rollouts__ended_at"),
    )
    rows = Template.objects.filter(rollouts__candidate__in=versions).annotate(has_moved=Exists(moved))
    facts = ("number", "change", "share", "ended_at", "reason")
    columns = ("label", "candidate", "state", *facts)
    newest: dict[tuple[str, int], StoppedRollout | None] = {}
    listed = rows.order_by("rollouts__number").values_list("has_moved", *(f"rollouts__{name}" for name in columns))
    for has_moved, label, version, state, *told in listed:
        newest[label, version] = StoppedRollout(*told) if state == "stopped" and not has_moved else None
    return {place: stop for place in places if (stop := newest.get(place)) is not None}


def list_stopped_changes(changes: Iterable[ChangeRequest]) -> dict[int, StoppedRollout]:
    """Map the number of each open change to the stopped rollout of what it proposes, as `read_stopped_rollouts`."""
    proposed = {change.number: (change.label, change.version_id) for change in changes if change.is_open}
    stopped = read_stopped_rollouts(set(proposed.values()))
    return {number: stopped[place] for number, place in proposed.items() if place in stopped}
