"""What each template of a release changes: the difference, its size, and the version's scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils.translation import ngettext

from frontend.changes.label_evidence import count_metrics
from frontend.diff.versions import VIEWS, RenderedDiff, compare_source, diff_context
from registry.changes import queries as change_queries
from registry.changes.models import ChangeRequest
from registry.evaluations import metric_readings
from registry.evaluations.metric_readings import RunReadings, VersionPair
from registry.releases.gate import Member
from registry.templates.models import Version

__all__ = ["MemberDifference", "compare_members", "list_difference_tabs"]

MAX_SHOWN = 20  # most differences on one page; those of the other templates are linked


@dataclass(frozen=True)
class MemberDifference:
    """The difference of one template. base: the version it is compared with, None if the template is new. lines:
    changed lines of its source. tokens: the token difference on the displayed sample, None if nothing renders. diff:
    the context of its templates, None beyond the page's limit. counts: metrics as figure, word, look and icon.
    waits_for: what its evaluation waits for, empty for nothing.
    """

    change: ChangeRequest
    base: Version | None
    lines: int
    tokens: int | None
    diff: dict[str, Any] | None
    counts: Sequence[tuple[int, str, str, str]]
    waits_for: str

    @property
    def size(self) -> str:
        """`2 lines, +3 tokens`."""
        lines = ngettext("{count} line", "{count} lines", self.lines).format(count=self.lines)
        if self.tokens is None:
            return lines
        tokens = ngettext("{change} token", "{change} tokens", abs(self.tokens))
        return f"{lines}, {tokens.format(change=f'{self.tokens:+d}'.replace('-', '−') if self.tokens else '±0')}"


def compare_members(request: HttpRequest, members: Sequence[Member]) -> dict[int, MemberDifference]:
    """The difference of each change, by number, in the view from the URL."""
    bases = {member.change.number: change_queries.find_baseline(member.change) for member in members}
    pairs = {}
    for member in members:
        base = bases[member.change.number]
        digest = base.digest if base else None
        pairs[member.change.template_id] = VersionPair(member.change.template, member.change.version, digest)
    readings = metric_readings.read_metrics(list(pairs.values()))
    return {
        member.change.number: _compare(
            request,
            member,
            bases[member.change.number],
            readings.get(member.change.template_id),
            is_shown=place < MAX_SHOWN,
        )
        for place, member in enumerate(members)
    }


def list_difference_tabs(request: HttpRequest, differences: Sequence[MemberDifference]) -> list[dict[str, Any]]:
    """The view links for all differences. The default is the rendered view if any difference is shown rendered."""
    views = [difference.diff["view"] for difference in differences if difference.diff]
    view_name = request.GET.get("view", "")
    chosen = view_name if view_name in VIEWS else "rendered" if "rendered" in views else "source"
    return [{"word": word, "url": f"?view={view}", "on": view == chosen} for view, word in VIEWS.items()]


def _compare(
    request: HttpRequest, member: Member, base: Version | None, readings: RunReadings | None, *, is_shown: bool
) -> MemberDifference:
    change = member.change
    change.version.template = change.template
    context = diff_context(request, base, change.version) if is_shown else None
    counts = context["source"].counts if context else compare_source(base, change.version).counts
    rendered = context["rendered"] if context else None
    evaluation = next((check for check in member.gate.checks if check.name == "evaluation"), None)
    return MemberDifference(
        change=change,
        base=base,
        lines=max(counts.added, counts.removed),
        tokens=_count_tokens(base, rendered) if rendered else None,
        diff=context,
        counts=count_metrics(readings),
        waits_for=evaluation.summary if evaluation and evaluation.outcome is None else "",
    )


def _count_tokens(base: Version | None, rendered: RenderedDiff) -> int | None:
    if rendered.new.token_count is None or (base is not None and rendered.old.token_count is None):
        return None
    return rendered.change
