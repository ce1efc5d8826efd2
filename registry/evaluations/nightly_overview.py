"""Overview of nightly runs: one line of figures for each of the templates most relevant to a person."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from registry.accounts.actor import Actor
from registry.evaluations import nightly_history
from registry.evaluations.metric_lines import MetricLine
from registry.evaluations.models import Run
from registry.namespaces.permissions import list_visible_namespaces
from registry.templates.models import Template
from registry.templates.ownership import list_owned_names
from registry.usage import queries as usage_queries

__all__ = ["NIGHTS", "TemplateLine", "list_template_lines"]

NIGHTS = 14
_MAX_TEMPLATES = 500  # candidates from which the few shown are chosen
_MAX_RUNS = 400


@dataclass(frozen=True)
class TemplateLine:
    """One metric of a template's nightly runs. is_owned: whether the actor owns the template."""

    template: Template
    line: MetricLine
    is_owned: bool


def list_template_lines(actor: Actor, failing: Collection[int], today: date, limit: int = 5) -> list[TemplateLine]:
    """One line for each template that ran in the last `NIGHTS` nights and that the actor may read, at most `limit`:
    failing ones first, then the actor's own, then the most fetched.

    failing: ids of the templates whose live version fails. A template shows the metric that is below its threshold,
    else one with a threshold, else its first. At most six queries.
    """
    nights = Run.objects.filter(
        state=Run.DONE,
        night__gt=today - timedelta(days=NIGHTS),
        template__namespace__in=list_visible_namespaces(actor),
        template__archived_at=None,
    )
    names = dict(nights.order_by().values_list("template", "template__name").distinct()[:_MAX_TEMPLATES])
    if not names:
        return []
    owned = list_owned_names(actor.person, names.values())
    fetches = usage_queries.count_by_template(names)
    ranked = sorted(names, key=lambda pk: (pk not in failing, names[pk] not in owned, -fetches.get(pk, 0), names[pk]))
    worst = ranked[:limit]
    rows = nights.filter(template__in=worst).select_related("template__namespace", "version").defer("version__bundle")
    runs = sorted(rows.order_by("-night", "-pk")[:_MAX_RUNS], key=lambda run: (run.evaluation, run.night, run.pk))
    lines = nightly_history.list_score_lines(runs)
    return [
        TemplateLine(own[0].template, _choose_line(lines[pk]), names[pk] in owned)
        for pk in worst
        if lines.get(pk) and (own := [run for run in runs if run.template_id == pk])
    ]


def _choose_line(lines: Sequence[MetricLine]) -> MetricLine:
    """The most significant line: one below its threshold, else one with a threshold, else the first."""
    return min(lines, key=lambda line: (not line.is_missed, line.floor is None))
