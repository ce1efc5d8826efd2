"""Rows of the home page about production: figures of the last nightly runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from frontend.evaluations.metric_plots import MetricPlot, draw_line
from registry.accounts.actor import Actor
from registry.evaluations import nightly_overview
from registry.evaluations.live_models import LiveFailure
from registry.templates.models import Template

__all__ = ["PlotRow", "build_plot_rows"]


@dataclass(frozen=True)
class PlotRow:
    """One metric of a template over the last nights. change: from the first displayed figure to the newest, None if
    there is only one night.
    """

    template: Template
    plot: MetricPlot
    is_owned: bool

    @property
    def change(self) -> float | None:
        """How much the figure changed over the displayed nights."""
        points = self.plot.line.points
        return points[-1].value - points[0].value if len(points) > 1 else None


def build_plot_rows(actor: Actor, failures: Sequence[LiveFailure]) -> list[PlotRow]:
    """The templates whose figures are most relevant to the user, failing ones first."""
    failing = {failure.template_id for failure in failures}
    template_lines = nightly_overview.list_template_lines(actor, failing, datetime.now(UTC).date())
    return [PlotRow(row.template, draw_line(row.line), row.is_owned) for row in template_lines]
