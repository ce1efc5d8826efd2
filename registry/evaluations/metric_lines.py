"""Lines of figures over days and versions: one per metric of an evaluation, and the cost of its rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Avg
from django.utils.translation import gettext

from promptuary.evaluation.gates import parse_gate
from registry.evaluations import attachment_queries
from registry.evaluations.metric_titles import title_metric
from registry.evaluations.models import Run, RunRow
from registry.templates.models import Template

__all__ = [
    "MetricLine",
    "MetricPoint",
    "build_score_lines",
    "build_usage_lines",
    "read_floors",
    "read_latencies",
]

Floors = Mapping[tuple[str, str, str | None], float]  # by evaluation, metric and output, None for all outputs


@dataclass(frozen=True)
class MetricPoint:
    """The figure of one run. run: its number; version: the number of the version measured; day: its night, else the day
    (UTC) that it counts for.
    """

    day: date
    run: int
    version: int
    value: float


@dataclass(frozen=True)
class MetricLine:
    """The figures of one metric of one output, or of what the runs cost, oldest first.

    unit: empty for a score, else what the figure counts. floor: the minimum that the evaluation requires now, if any.
    label: the one that served the versions, empty if only one label is queried. code: the score's metric and output by
    their code names.
    """

    evaluation: str
    name: str
    unit: str
    floor: float | None
    points: tuple[MetricPoint, ...]
    label: str = ""
    code: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the newest figure is below what the evaluation requires."""
        return self.floor is not None and bool(self.points) and self.points[-1].value < self.floor


def build_score_lines(evaluation: str, runs: Sequence[Run], days: Sequence[date], floors: Floors) -> list[MetricLine]:
    """A line for each score, by code name. runs: oldest first, with their versions; days: the day of each run."""
    scored = {(metric, target) for run in runs for metric, targets in run.scores.items() for target in targets}
    lines = []
    for metric, target in sorted(scored):
        values = [run.scores.get(metric, {}).get(target, {}).get("score") for run in runs]
        floor = floors.get((evaluation, metric, target), floors.get((evaluation, metric, None)))
        name = title_metric(metric, target)
        code = gettext("{metric} of {output}").format(metric=metric, output=target)
        lines.append(MetricLine(evaluation, name, "", floor, _build_points(runs, days, values), code=code))
    return lines


def build_usage_lines(
    evaluation: str, runs: Sequence[Run], days: Sequence[date], latencies: Mapping[int, float]
) -> list[MetricLine]:
    """Lines of the cost, latency and tokens per row, as far as known. latencies: from `read_latencies`."""
    currency = next((run.currency for run in reversed(runs) if run.currency), "")
    costs = [float(run.cost) / run.done if run.cost is not None and run.done else None for run in runs]
    tokens = [(run.prompt_tokens + run.completion_tokens) / run.done if run.done else None for run in runs]
    figures = (
        (gettext("cost a row"), currency, costs),
        (gettext("latency a row"), "s", [latencies.get(run.pk) for run in runs]),
        (gettext("tokens a row"), "tokens", [value or None for value in tokens]),
    )
    lines = [
        MetricLine(evaluation, name, unit, None, _build_points(runs, days, values)) for name, unit, values in figures
    ]
    return [line for line in lines if line.points]


def read_latencies(runs: Iterable[Run]) -> dict[int, float]:
    """Map run id to the mean seconds that the model took per answered row, without cached replies."""
    rows = RunRow.objects.filter(run__in=[run.pk for run in runs], is_failed=False, is_cached=False)
    means = rows.order_by().values("run").annotate(mean=Avg("milliseconds")).values_list("run", "mean")
    return {run: mean / 1000 for run, mean in means}


def read_floors(templates: Iterable[Template]) -> dict[int, dict[tuple[str, str, str | None], float]]:
    """Map template id to the current floor by evaluation, metric and output (None for all)."""
    floors: dict[int, dict[tuple[str, str, str | None], float]] = {}
    for template, named_gates in attachment_queries.list_computed_gates_of_templates(templates).items():
        gates = [(name, parse_gate(gate)) for name, gate in named_gates]
        floors[template] = {
            (name, gate.metric, gate.output): gate.floor for name, gate in gates if gate.floor is not None
        }
    return floors


def _build_points(runs: Sequence[Run], days: Sequence[date], values: Iterable[float | None]) -> tuple[MetricPoint, ...]:
    return tuple(
        MetricPoint(day, run.number, run.version.number, value)
        for run, day, value in zip(runs, days, values, strict=True)
        if value is not None
    )
