"""History of what each label of a template served: for each evaluation one line per metric over days."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from registry.accounts.actor import Actor
from registry.evaluations import attachment_queries, metric_lines
from registry.evaluations.metric_lines import MetricLine
from registry.evaluations.models import Attachment, Run
from registry.namespaces.permissions import list_visible_namespaces
from registry.templates.label_models import LabelMove
from registry.templates.models import Template

__all__ = ["list_label_lines"]

_MAX_RUNS = 300
_MAX_MOVES = 200
_MAX_POINTS = 60


@dataclass(frozen=True)
class _Stay:
    """A period in which a label served a version. until: when it moved, None while it still serves it."""

    label: str
    version: int
    since: datetime
    until: datetime | None


def list_label_lines(actor: Actor, template: str, without: str = "") -> list[MetricLine]:
    """The lines of a template by label and evaluation: scores by name, then cost, latency and tokens per row. Empty if
    the actor may not read them. without: a label to leave out.

    A figure comes from a finished run over the evaluation's dataset with its model and judge, of the version that the
    label served. The newest run from before the label's move counts for the day of the move, every later one for its
    own day; of several on one day the newest counts. Only the newest `_MAX_RUNS` runs and `_MAX_POINTS` figures are
    read.
    """
    matching = Template.objects.filter(name=template, namespace__in=list_visible_namespaces(actor)).select_related(
        "namespace"
    )
    row = matching.first()
    if row is None:
        return []
    attachments = attachment_queries.list_attachments(actor, row.namespace.name)
    evaluations = [attachment for attachment in attachments if attachment.fits(row.path)]
    stays = [stay for stay in _list_stays(row) if stay.label != without] if evaluations else []
    if not stays:
        return []
    runs = _list_runs(row)
    floors = metric_lines.read_floors([row])[row.pk]
    latencies = metric_lines.read_latencies(runs)
    lines: list[MetricLine] = []
    for label in sorted({stay.label for stay in stays}):
        own_stays = [stay for stay in stays if stay.label == label]
        for evaluation in evaluations:
            own_runs = [run for run in runs if _measures(run, evaluation)]
            placed = _place_runs(own_runs, own_stays)[-_MAX_POINTS:]
            days, placed_runs = [day for day, _ in placed], [run for _, run in placed]
            scores = metric_lines.build_score_lines(evaluation.name, placed_runs, days, floors)
            usage = metric_lines.build_usage_lines(evaluation.name, placed_runs, days, latencies)
            lines += [replace(line, label=label) for line in (*scores, *usage) if line.points]
    return lines


def _list_stays(template: Template) -> Iterator[_Stay]:
    """The periods of all labels, each label's oldest first."""
    columns = ("label", "after", "created_at")
    moves = LabelMove.objects.filter(template=template).order_by("-pk").values_list(*columns)[:_MAX_MOVES]
    by_label: defaultdict[str, list[tuple[int | None, datetime]]] = defaultdict(list)
    for label, after, at in reversed(moves):
        by_label[label].append((after, at))
    for label, steps in by_label.items():
        ends = [at for _, at in steps[1:]]
        for (version, since), until in zip(steps, [*ends, None], strict=True):
            if version is not None:
                yield _Stay(label, version, since, until)


def _list_runs(template: Template) -> list[Run]:
    """The template's newest finished runs over datasets, oldest first."""
    rows = Run.objects.filter(template=template, state=Run.DONE, dataset_version__isnull=False)
    related = rows.select_related("version", "dataset_version").defer("version__bundle", "dataset_version__text")
    return list(reversed(related.order_by("-pk")[:_MAX_RUNS]))


def _measures(run: Run, evaluation: Attachment) -> bool:
    """Whether the run is over the evaluation's rows, with its model and judge."""
    rows = run.dataset_version
    return (
        rows is not None
        and rows.dataset_id == evaluation.dataset_id
        and run.model == evaluation.model
        and run.judge_id == evaluation.judge_id
    )


def _place_runs(runs: Sequence[Run], stays: Iterable[_Stay]) -> list[tuple[date, Run]]:
    """The runs of versions that a label served, each with the day that it counts for, oldest first."""
    placed: dict[date, Run] = {}
    for stay in stays:
        for run in runs:
            if run.version_id != stay.version or (stay.until is not None and run.created_at >= stay.until):
                continue
            day = max(stay.since.date(), run.night or run.created_at.date())
            placed[day] = run
    return sorted(placed.items())
