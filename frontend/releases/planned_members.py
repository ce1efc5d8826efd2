"""The templates in panels that open releases: what would be promoted, and the effects."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from frontend.changes.label_evidence import metric_counts
from frontend.releases.panels import read_seen
from registry.changes import label_preview
from registry.changes.label_preview import LabelPreview
from registry.releases.moved_members import Seen
from registry.releases.plans import PlannedMember, ReleasePlan

__all__ = ["MemberRow", "read_member_rows", "read_ticked"]


@dataclass(frozen=True)
class MemberRow:
    """A template that would be promoted, with the effects."""

    member: PlannedMember
    preview: LabelPreview

    @property
    def message(self) -> str:
        """The first line of the version's message."""
        return self.member.version.message.partition("\n")[0]

    @property
    def counts(self) -> list[tuple[int, str, str, str]]:
        """How many metrics are worse, better, unclear: figure, word, look, icon; empty if nothing was run."""
        return metric_counts(self.preview.evaluation)

    @property
    def service_names(self) -> set[str]:
        """The services that will get the version."""
        return {effect.fetches.service for effect in self.preview.services if effect.moves}

    @property
    def diff_url(self) -> str:
        """The URL of the difference from the version the label serves, or of the text itself if it serves nothing."""
        name, number = self.member.template.name, self.member.version.number
        if self.member.serves is None:
            return f"{reverse('template', args=[name])}?{urlencode({'ref': number})}"
        return f"{reverse('diff', args=[name])}?{urlencode({'from': self.member.serves, 'to': number})}"


def read_member_rows(plan: ReleasePlan, label: str) -> list[MemberRow]:
    """A row for each template of the plan, in order; the number of queries doesn't depend on their number."""
    moves = [(member.template, member.version) for member in plan.members]
    return [MemberRow(*pair) for pair in zip(plan.members, label_preview.preview_moves(label, moves), strict=True)]


def read_ticked(lines: Sequence[str], chosen: Collection[str]) -> Seen:
    """The state of the ticked templates that the panel showed."""
    return {name: seen for name, seen in read_seen(lines).items() if name in chosen}
