"""Plots of metrics over time: a small line for each with its threshold, next to the figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.accounts.actor import Actor
from registry.evaluations import label_history, nightly_history
from registry.evaluations.metric_lines import MetricLine, MetricPoint

__all__ = ["MetricPlot", "draw_label_plots", "draw_line", "draw_nightly_plots"]

WIDTH, HEIGHT = 124, 32  # CSS pixels
_EDGE = 5  # so that the mark at the end isn't clipped


@dataclass(frozen=True)
class MetricPlot:
    """A line with coordinates in CSS pixels. points: of the polyline. gate: the height of the threshold, None without
    one. ticks: where the version changed. end: of the newest figure. is_missed: whether that is below the gate. places:
    the coordinates of each figure, with the figure.
    """

    line: MetricLine
    points: str
    gate: float | None
    ticks: tuple[float, ...]
    end: tuple[float, float]
    is_missed: bool
    places: tuple[tuple[float, float, MetricPoint], ...]

    @property
    def newest(self) -> float:
        """The newest figure."""
        return self.line.points[-1].value


def draw_nightly_plots(actor: Actor, template: str) -> list[MetricPlot]:
    """A plot for each metric of the template's nightly runs, and for their cost."""
    return [draw_line(line) for line in nightly_history.list_nightly_lines(actor, template) if line.points]


def draw_label_plots(actor: Actor, template: str, without: str = "") -> list[MetricPlot]:
    """A plot for each label, evaluation and metric of the versions that the template's labels served, and for their
    cost.

    without: a label to omit.
    """
    return [draw_line(line) for line in label_history.list_label_lines(actor, template, without)]


def draw_line(line: MetricLine) -> MetricPlot:
    """The plot of one line with at least one point."""
    values = [point.value for point in line.points]
    bounds = [*values, *([line.floor] if line.floor is not None else [])]
    low, high = min(bounds), max(bounds)
    across = _compute_places(len(values))
    heights = [_compute_height(value, low, high) for value in values]
    pairs = zip(line.points, line.points[1:], across[1:], strict=False)
    return MetricPlot(
        line=line,
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, heights, strict=True)),
        gate=None if line.floor is None else round(_compute_height(line.floor, low, high), 1),
        ticks=tuple(round(x, 1) for before, after, x in pairs if before.version != after.version),
        end=(round(across[-1], 1), round(heights[-1], 1)),
        is_missed=line.is_missed,
        places=tuple(
            (round(x, 1), round(y, 1), point) for x, y, point in zip(across, heights, line.points, strict=True)
        ),
    )


def _compute_places(count: int) -> Sequence[float]:
    """The x coordinates of this many figures, from the left to the right edge; a single one is on the right."""
    if count == 1:
        return [float(WIDTH - _EDGE)]
    return [_EDGE + (WIDTH - 2 * _EDGE) * index / (count - 1) for index in range(count)]


def _compute_height(value: float, low: float, high: float) -> float:
    """The y coordinate of a value; in the middle if all values are equal."""
    share = (value - low) / (high - low) if high > low else 0.5
    return HEIGHT - _EDGE - (HEIGHT - 2 * _EDGE) * share
