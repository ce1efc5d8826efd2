"""Confidence intervals as SVG, one per table row: shapes with classes for colour, no style, no script.

Shape carries the same meaning as colour: a filled dot is better, an open dot no clear difference (or a single score), a
diamond worse. The figures are next to the drawing in the same row, so it is hidden from screen readers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "HEIGHT",
    "WIDTH",
    "Axis",
    "Drawing",
    "Kind",
    "build_difference_axis",
    "build_drawing",
    "build_score_axis",
    "draw_interval",
    "draw_ticks",
]

WIDTH, HEIGHT = 380, 30
_MARGIN = 24  # room for the labels of the outer ticks
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0)
Kind = Literal["better", "worse", "same"]


@dataclass(frozen=True)
class Axis:
    """What a plot's rows share: range, ticks, width, and whether it shows differences around zero."""

    low: float
    high: float
    ticks: tuple[float, ...]
    signed: bool
    width: int = WIDTH
    margin: int = _MARGIN

    def locate(self, value: float) -> float:
        """The x position of a value, in the drawing's units."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.margin + share * (self.width - 2 * self.margin), 1)

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Each tick's x position, as an SVG attribute, and its label."""
        return [(str(self.locate(tick)), self.format_tick(tick)) for tick in self.ticks]

    def format_tick(self, tick: float) -> str:
        """A tick's label in percent, with a true minus sign."""
        sign = ("+" if tick > 0 else "\u2212" if tick < 0 else "") if self.signed else ""
        return f"{sign}{abs(tick) * 100:.3g} %"


def build_difference_axis(values: Iterable[float | None], width: int = WIDTH, margin: int = _MARGIN) -> Axis:
    """An axis around zero, as wide as the values need, at least 5 points to each side."""
    extent = max((abs(value) for value in values if value is not None), default=0.0)
    step = next((step for step in _STEPS if step * 2.4 >= max(extent, 0.05)), _STEPS[-1])
    reach = step * 2.5
    return Axis(-reach, reach, tuple(step * n for n in range(-2, 3)), signed=True, width=width, margin=margin)


def build_score_axis() -> Axis:
    """An axis for scores as shares of their range."""
    return Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), signed=False)


@dataclass(frozen=True)
class Drawing:
    """One row's shapes, in the drawing's units: grid lines, the ends of the interval, the position of the value.

    Positions are text, ready for SVG attributes: a page template would format a float with the locale's decimal comma.
    """

    grid: tuple[tuple[str, bool], ...]
    ends: tuple[str, str] | None
    at: str | None
    kind: Kind


def build_drawing(
    axis: Axis, value: float | None, low: float | None, high: float | None, kind: Kind = "same"
) -> Drawing:
    """Compute one row's shapes; `grid` says of each line whether it is zero."""
    return Drawing(
        tuple((str(axis.locate(tick)), tick == 0 and axis.signed) for tick in axis.ticks),
        None if low is None or high is None else (str(axis.locate(low)), str(axis.locate(high))),
        None if value is None else str(axis.locate(value)),
        kind,
    )


def draw_interval(axis: Axis, value: float | None, low: float | None, high: float | None, kind: Kind = "same") -> str:
    """Draw one row: the grid, the interval if there is one, and the value's mark."""
    drawing, middle = build_drawing(axis, value, low, high, kind), HEIGHT / 2
    parts = [
        f'<line class="plot-{"zero" if is_zero else "grid"}" x1="{x}" y1="0" x2="{x}" y2="{HEIGHT}"/>'
        for x, is_zero in drawing.grid
    ]
    if drawing.ends:
        left, right = drawing.ends
        parts.append(
            f'<path class="plot-{kind}" d="M{left} {middle - 4:g}v8M{left} {middle:g}H{right}M{right} '
            f'{middle - 4:g}v8"/>'
        )
    if drawing.at is not None:
        parts.append(
            f'<path class="plot-{kind} plot-mark" d="M{drawing.at} {middle - 5.5:g}l5.5 5.5-5.5 5.5-5.5-5.5z"/>'
            if kind == "worse"
            else f'<circle class="plot-{kind} plot-mark" cx="{drawing.at}" cy="{middle:g}" r="4.5"/>'
        )
    return _build_svg("".join(parts), HEIGHT)


def draw_ticks(axis: Axis) -> str:
    """Draw the tick labels below the rows."""
    return _build_svg(
        "".join(
            f'<text class="plot-tick" x="{axis.locate(tick)}" y="14" text-anchor="middle">'
            f"{axis.format_tick(tick)}</text>"
            for tick in axis.ticks
        ),
        20,
    )


def _build_svg(content: str, height: int) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'aria-hidden="true" focusable="false">{content}</svg>'
    )
