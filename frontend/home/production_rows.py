"""Rows of the home page about production: what fails there, and figures of the last nights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from frontend.changes.emergency_notices import roll_back_url
from frontend.evaluations.metric_plots import MetricPlot, draw_line
from registry.accounts.actor import Actor
from registry.evaluations import live_failures, nightly_overview
from registry.evaluations.live_models import LiveFailure
from registry.namespaces.permissions import MemberRoles
from registry.namespaces.verbs import Verb
from registry.templates.models import Template

__all__ = ["FailureRow", "PlotRow", "failure_rows", "plot_rows"]


@dataclass(frozen=True)
class FailureRow:
    """What is live and fails. back: the number of the version that the label held by approval before, None where there
    is none or this person may not roll back; back_url: where they do.
    """

    failure: LiveFailure
    back: int | None = None
    back_url: str = ""


@dataclass(frozen=True)
class PlotRow:
    """One metric of a template over the last nights. change: of the newest figure against the first that is drawn, None
    where there is one night only.
    """

    template: Template
    plot: MetricPlot
    is_owned: bool

    @property
    def change(self) -> float | None:
        """How much the figure has changed over the nights that are drawn."""
        points = self.plot.line.points
        return points[-1].value - points[0].value if len(points) > 1 else None


def failure_rows(failures: Sequence[LiveFailure], roles: Mapping[int, MemberRoles]) -> list[FailureRow]:
    """The failures with the way back; one query where there is any. roles: by the namespaces' ids."""
    if not failures:
        return []
    earlier = live_failures.find_earlier_versions(failures)
    return [_failure_row(failure, earlier.get(failure.pk), roles) for failure in failures]


def plot_rows(actor: Actor, failures: Sequence[LiveFailure]) -> list[PlotRow]:
    """The templates whose figures matter most to the person, those that fail first."""
    failing = {failure.template_id for failure in failures}
    found = nightly_overview.list_template_lines(actor, failing, datetime.now(UTC).date())
    return [PlotRow(row.template, draw_line(row.line), row.is_owned) for row in found]


def _failure_row(failure: LiveFailure, back: int | None, roles: Mapping[int, MemberRoles]) -> FailureRow:
    template = failure.template
    held = roles.get(template.namespace_id)
    may_roll_back = held is not None and held.allows(Verb.ROLL_BACK, template.path)
    if not may_roll_back or back is None:
        return FailureRow(failure)
    return FailureRow(failure, back, roll_back_url(template.name, failure.label, back))
