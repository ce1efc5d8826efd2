"""History of a template's nightly runs: for each evaluation one line per metric over nights and versions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from registry.accounts.actor import Actor
from registry.evaluations import metric_lines
from registry.evaluations.metric_lines import MetricLine
from registry.evaluations.models import Run
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.queries import choose_live_label

__all__ = ["list_nightly_lines", "list_score_lines"]

MAX_RUNS = 60


def list_nightly_lines(actor: Actor, template: str) -> list[MetricLine]:
    """The lines of the newest `MAX_RUNS` finished nightly runs of a template, by evaluation: scores by name, then
    cost, latency and tokens per row. Empty without runs, or if the actor may not read them.
    """
    rows = Run.objects.filter(
        template__name=template,
        template__namespace__in=list_visible_namespaces(actor),
        state=Run.DONE,
        night__isnull=False,
    )
    related = rows.select_related("template__namespace", "version").defer("version__bundle")
    runs = sorted(related.order_by("-night", "-pk")[:MAX_RUNS], key=lambda run: (run.evaluation, run.night, run.pk))
    if not runs:
        return []
    floors = metric_lines.read_floors([runs[0].template])[runs[0].template_id]
    latencies = metric_lines.read_latencies(runs)
    lines: list[MetricLine] = []
    for evaluation in dict.fromkeys(run.evaluation for run in runs):
        own_runs = [run for run in runs if run.evaluation == evaluation]
        nights = _list_nights(own_runs)
        lines += metric_lines.build_score_lines(evaluation, own_runs, nights, floors)
        lines += metric_lines.build_usage_lines(evaluation, own_runs, nights, latencies)
    label = choose_live_label(runs[0].template.namespace)
    return [replace(line, label=label) for line in lines]


def list_score_lines(runs: Sequence[Run]) -> dict[int, list[MetricLine]]:
    """Map template id to the lines of its scores, by evaluation and name; a constant number of queries. runs: nightly
    runs with templates and versions loaded, sorted by evaluation and night.
    """
    templates = {run.template_id: run.template for run in runs}
    floors = metric_lines.read_floors(templates.values())
    lines: defaultdict[int, list[MetricLine]] = defaultdict(list)
    for template, evaluation in dict.fromkeys((run.template_id, run.evaluation) for run in runs):
        own_runs = [run for run in runs if (run.template_id, run.evaluation) == (template, evaluation)]
        score_lines = metric_lines.build_score_lines(evaluation, own_runs, _list_nights(own_runs), floors[template])
        lines[template] += [line for line in score_lines if line.points]
    return dict(lines)


def _list_nights(runs: Sequence[Run]) -> list[date]:
    return [run.night for run in runs if run.night is not None]
