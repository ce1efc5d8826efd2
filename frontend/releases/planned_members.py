"""The templates in panels that open releases: what would be promoted, and the effects."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from frontend.releases.move_rows import MoveRow
from frontend.releases.panels import read_seen
from registry.changes import label_preview
from registry.releases.moved_members import MemberVersions
from registry.releases.plans import PlannedMember, ReleasePlan

__all__ = ["MemberRow", "read_member_rows", "read_ticked"]


@dataclass(frozen=True)
class MemberRow(MoveRow):
    """A template that would be promoted, with the effects."""

    member: PlannedMember

    @property
    def service_names(self) -> set[str]:
        """The services that will get the version."""
        return {effect.fetches.service for effect in self.preview.services if effect.moves}


def read_member_rows(plan: ReleasePlan, label: str) -> list[MemberRow]:
    """A row for each template of the plan, in order; the number of queries doesn't depend on their number."""
    moves = [(member.template, member.version) for member in plan.members]
    previews = label_preview.preview_moves(label, moves)
    return [MemberRow(preview, member) for preview, member in zip(previews, plan.members, strict=True)]


def read_ticked(lines: Sequence[str], chosen: Collection[str]) -> MemberVersions:
    """The state of the ticked templates that the panel showed."""
    return {name: pair for name, pair in read_seen(lines).items() if name in chosen}
