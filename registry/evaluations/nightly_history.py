"""History of a template's nightly runs: for each evaluation a line of every metric over nights and versions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Avg
from django.utils.translation import gettext

from promptuary.evaluation.gates import parse_gate
from registry.accounts.actor import Actor
from registry.evaluations import attachment_queries
from registry.evaluations.models import Run, RunRow
from registry.namespaces.permissions import visible_namespaces
from registry.templates.models import Template

__all__ = ["NightlyLine", "NightlyPoint", "list_nightly_lines", "list_score_lines"]

MOST_RUNS = 60


@dataclass(frozen=True)
class NightlyPoint:
    """One night's figure. run: its number; version: the number of what was live then."""

    night: date
    run: int
    version: int
    value: float


@dataclass(frozen=True)
class NightlyLine:
    """The figures of one metric of one output, or of what the runs cost, oldest first.

    unit: empty for a score, else what the figure counts. floor: the least that the evaluation asks for now, if it does.
    """

    evaluation: str
    name: str
    unit: str
    floor: float | None
    points: tuple[NightlyPoint, ...]

    @property
    def is_missed(self) -> bool:
        """Whether the newest figure is below what the evaluation asks for."""
        return self.floor is not None and bool(self.points) and self.points[-1].value < self.floor


def list_nightly_lines(actor: Actor, template: str) -> list[NightlyLine]:
    """The lines of the newest `MOST_RUNS` finished nightly runs of a template, by evaluation: its scores by name, then
    cost, latency and tokens a row. Nothing where there are none, or the actor may not read them.
    """
    rows = Run.objects.filter(
        template__name=template, template__namespace__in=visible_namespaces(actor), state=Run.DONE, night__isnull=False
    )
    related = rows.select_related("template__namespace", "version").defer("version__bundle")
    runs = sorted(related.order_by("-night", "-pk")[:MOST_RUNS], key=lambda run: (run.evaluation, run.night, run.pk))
    if not runs:
        return []
    floors = _read_floors([runs[0].template])[runs[0].template_id]
    latencies = _read_latencies(runs)
    lines = []
    for evaluation in dict.fromkeys(run.evaluation for run in runs):
        own_runs = [run for run in runs if run.evaluation == evaluation]
        lines += _score_lines(evaluation, own_runs, floors)
        lines += _usage_lines(evaluation, own_runs, latencies)
    return lines


def list_score_lines(runs: Sequence[Run]) -> dict[int, list[NightlyLine]]:
    """Template id to the lines of its scores, by evaluation and name, from runs with their templates and versions that
    are sorted by evaluation and night: as many queries for many templates as for one.
    """
    templates = {run.template_id: run.template for run in runs}
    floors = _read_floors(templates.values())
    lines: defaultdict[int, list[NightlyLine]] = defaultdict(list)
    for template, evaluation in dict.fromkeys((run.template_id, run.evaluation) for run in runs):
        own_runs = [run for run in runs if (run.template_id, run.evaluation) == (template, evaluation)]
        lines[template] += [line for line in _score_lines(evaluation, own_runs, floors[template]) if line.points]
    return dict(lines)


def _score_lines(
    evaluation: str, runs: Sequence[Run], floors: Mapping[tuple[str, str, str | None], float]
) -> list[NightlyLine]:
    scored = {(metric, target) for run in runs for metric, targets in run.scores.items() for target in targets}
    lines = []
    for metric, target in sorted(scored):
        values = [run.scores.get(metric, {}).get(target, {}).get("score") for run in runs]
        floor = floors.get((evaluation, metric, target), floors.get((evaluation, metric, None)))
        lines.append(NightlyLine(evaluation, f"{metric} of {target}", "", floor, _points(runs, values)))
    return lines


def _usage_lines(evaluation: str, runs: Sequence[Run], latencies: Mapping[int, float]) -> list[NightlyLine]:
    currency = next((run.currency for run in reversed(runs) if run.currency), "")
    costs = [float(run.cost) / run.done if run.cost is not None and run.done else None for run in runs]
    tokens = [(run.prompt_tokens + run.completion_tokens) / run.done if run.done else None for run in runs]
    seconds = [latencies.get(run.pk) for run in runs]
    found = [
        NightlyLine(evaluation, gettext("cost a row"), currency, None, _points(runs, costs)),
        NightlyLine(evaluation, gettext("latency a row"), "s", None, _points(runs, seconds)),
        NightlyLine(
            evaluation, gettext("tokens a row"), "tokens", None, _points(runs, [value or None for value in tokens])
        ),
    ]
    return [line for line in found if line.points]


def _points(runs: Sequence[Run], values: Iterable[float | None]) -> tuple[NightlyPoint, ...]:
    return tuple(
        NightlyPoint(run.night, run.number, run.version.number, value)
        for run, value in zip(runs, values, strict=True)
        if value is not None and run.night is not None
    )


def _read_latencies(runs: Iterable[Run]) -> dict[int, float]:
    """By run the mean seconds that the model took for a row that it answered."""
    rows = RunRow.objects.filter(run__in=[run.pk for run in runs], is_failed=False)
    means = rows.order_by().values("run").annotate(mean=Avg("milliseconds")).values_list("run", "mean")
    return {run: mean / 1000 for run, mean in means}


def _read_floors(templates: Iterable[Template]) -> dict[int, dict[tuple[str, str, str | None], float]]:
    """Template id to: evaluation, metric and output (None for all) to the floor that is set now."""
    floors: dict[int, dict[tuple[str, str, str | None], float]] = {}
    for template, named_gates in attachment_queries.computed_gates_of_templates(templates).items():
        gates = [(name, parse_gate(gate)) for name, gate in named_gates]
        floors[template] = {
            (name, gate.metric, gate.output): gate.floor for name, gate in gates if gate.floor is not None
        }
    return floors
