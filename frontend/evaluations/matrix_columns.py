"""The columns of the matrix of runs: what each run is, its averages, cost and latency, and the comparison in words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from frontend.evaluations import score_panels, score_table
from frontend.evaluations.matrix_cells import CHIP_STYLES, title_metric
from frontend.evaluations.matrix_choice import MatrixChoice
from frontend.evaluations.run_frame import choose_run_style
from frontend.evaluations.run_titles import write_version_title
from registry.changes.models import ChangeRequest
from registry.evaluations import metric_lines
from registry.evaluations.models import Run
from registry.evaluations.run_matrix import RunMatrix
from registry.namespaces.queries import choose_live_label
from registry.templates import label_queries

__all__ = [
    "count_changed_rows",
    "describe_columns",
    "describe_figures",
    "describe_people",
    "describe_usage",
    "place_on_phone",
]

_FEW = 30  # with fewer rows, a figure has no reading


def describe_columns(runs: Sequence[Run], baseline: Run, choice: MatrixChoice) -> list[dict[str, Any]]:
    """Each run with its version's current status (live, or proposed by an open change). Two queries for all of them."""
    numbers = label_queries.map_label_numbers({run.template for run in runs})
    changes = ChangeRequest.objects.filter(version__in={run.version_id for run in runs}).pending()
    proposed = dict(changes.order_by("pk").values_list("version", "number"))
    columns = [_build_column(run, runs[0], baseline, choice, numbers[run.template_id], proposed) for run in runs]
    titles = Counter(column["title"] for column in columns)
    for column in columns:
        if titles[column["title"]] > 1:
            column["run_word"] = gettext("run {number}").format(number=column["run"].number)
            column["title"] = f"{column['title']}, {column['run_word']}"
    return columns


def _build_column(
    run: Run,
    first: Run,
    baseline: Run,
    choice: MatrixChoice,
    labels: dict[str, int],
    proposed: dict[int, int],
) -> dict[str, Any]:
    live = choose_live_label(run.template.namespace)
    is_first, is_baseline = run.pk == first.pk, run.pk == baseline.pk
    return {
        "run": run,
        "style": choose_run_style(run),
        "title": f"{write_version_title(run)} {run.model}",
        "run_word": "",  # identifies the run if another has the same title
        "is_baseline": is_baseline,
        "is_proposal": run.is_draft,
        "live_label": live if not run.is_draft and labels.get(live) == run.version.number else "",
        "proposed_by": None if run.is_draft else proposed.get(run.version_id),
        "other_template": run.template.name if run.template_id != first.template_id else "",
        "baseline_url": "" if is_baseline else choice.url(baseline=None if is_first else run.number),
        "without_url": "" if is_first else choice.without_run(run.number),
        "phone_url": choice.url(column=run.number),
    }


def place_on_phone(runs: Sequence[Run], baseline: Run, choice: MatrixChoice) -> int:
    """The 0-based position of the run that a narrow page shows: the chosen one, else the first after the baseline."""
    numbers = [run.number for run in runs]
    if choice.column in numbers:
        return numbers.index(choice.column)
    return next((place for place, run in enumerate(runs) if run.pk != baseline.pk), 0)


def count_changed_rows(matrix: RunMatrix, choice: MatrixChoice) -> dict[str, Any] | None:
    """The counts for the sentence above the rows, and the URLs of its rows; None without rows to compare."""
    if not matrix.compared:
        return None
    return {
        "rows": matrix.compared,
        "worse": matrix.counts["regressions"],
        "better": matrix.counts["improvements"],
        "metric": title_metric(choice.metric) if choice.metric else "",
        "worse_url": choice.url(only="regressions", reason=None),
        "better_url": choice.url(only="improvements", reason=None),
    }


def describe_usage(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """The mean cost and latency of a reply by run, each None if unknown. One query."""
    latencies = metric_lines.read_latencies(runs)
    cells = []
    for run in runs:
        seconds = latencies.get(run.pk)
        cost = run.cost / run.done if run.cost is not None and run.done else None
        cells.append(
            {
                "cost": None if cost is None else f"{cost:.6f}".rstrip("0").rstrip("."),
                "currency": run.currency,
                "seconds": None if seconds is None else f"{seconds:.1f}" if seconds >= 1 else f"{seconds:.2f}",
            }
        )
    return cells


def describe_figures(matrix: RunMatrix, name: str) -> dict[str, Any]:
    """A metric's averages by run, each compared with the baseline's."""
    metric, _, target = name.partition(" ")
    base = matrix.means[matrix.baseline.number].get(name)
    saved_scores = [run.scores.get(metric, {}).get(target) if run.is_over else None for run in matrix.runs]
    means = [matrix.means[run.number].get(name) for run in matrix.runs]
    scores = [
        saved["score"] if saved else mean[0] if mean else None for saved, mean in zip(saved_scores, means, strict=True)
    ]
    cells = []
    for run, saved, mean, score in zip(matrix.runs, saved_scores, means, scores, strict=True):
        interval = ""
        if saved and saved.get("low") is not None:
            low, high = score_table.format_score(saved["low"]), score_table.format_score(saved["high"])
            interval = f"{low} to {high}"
        is_other = run.pk != matrix.baseline.pk
        chip = _build_chip(matrix.baseline, run, metric, target, mean, base) if is_other else None
        cells.append(
            {
                "score": score_table.format_score(score, *scores),
                "interval": interval,
                "scored": mean[1] if mean else 0,
                "is_partial": mean is not None and mean[1] < run.total,
                "chip": chip,
            }
        )
    return {"title": title_metric(name), "name": metric, "cells": cells}


def describe_people(runs: Sequence[Run]) -> list[dict[str, Any] | None]:
    """The metric of human scores, by run; empty if no run has any."""
    cells = [score_panels.describe_people_scores(run) for run in runs]
    return cells if any(cells) else []


def _build_chip(
    baseline: Run, run: Run, metric: str, target: str, mean: tuple[float, int] | None, base: tuple[float, int] | None
) -> dict[str, str] | None:
    """The difference of two averages; it reads as better or worse only if its interval excludes zero."""
    if mean is None or base is None:
        return None
    look = ("", "")
    difference = mean[0] - base[0]
    are_done = run.state == Run.DONE and baseline.state == Run.DONE
    if are_done and min(mean[1], base[1]) >= _FEW:
        lines = score_table.score_table(run, baseline).lines
        line = next((line for line in lines if (line.metric, line.target) == (metric, target)), None)
        if line is not None:
            look = CHIP_STYLES[line.kind]
    return {"text": score_table.format_change(difference), "style": look[0], "icon": look[1]}
