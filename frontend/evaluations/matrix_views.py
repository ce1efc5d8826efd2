"""The matrix page of several runs: averages, rows with each run's reply, filters, and one row with its evidence."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext

from frontend.evaluations import matrix_columns, matrix_panel, row_comparison
from frontend.evaluations.matrix_cells import describe_cell, title_metric
from frontend.evaluations.matrix_choice import MatrixChoice, read_choice, read_number
from frontend.evaluations.matrix_progress import describe_progress
from frontend.web.decorators import signed_in
from frontend.web.page import build_breadcrumbs, render_page
from registry.accounts.actor import Actor
from registry.evaluations import run_matrix, run_queries, start_runs
from registry.evaluations.models import Run
from registry.evaluations.run_matrix import MatrixRow, RunMatrix
from registry.improvements import queries as improvement_queries
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["show_matrix", "stop_runs"]

_MAX_TABS = 3  # columns with a tab on a narrow page; if there are more, the third is a select with the rest
_ROWS = 50
_FILTERS = {
    "all": gettext_lazy("All"),
    "regressions": gettext_lazy("Regressions"),
    "improvements": gettext_lazy("Improvements"),
    "failed": gettext_lazy("Failed"),
    "unscored": gettext_lazy("Not scored"),
}
_ORDERS = {
    "rows": gettext_lazy("in their order"),
    "drop": gettext_lazy("largest drop first"),
    "gain": gettext_lazy("largest gain first"),
}


@signed_in
def show_matrix(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The runs' rows side by side; `row` opens one of them next to the table."""
    choice = read_choice(request, number)
    runs = run_matrix.read_matrix_runs(actor, number, choice.others)
    row = read_number(request.GET.get("row"))
    matrix = _build_matrix(runs, choice, row, request.GET.get("cursor"))
    done_before = read_number(request.GET.get("seen"))
    done = sum(run.done for run in runs)
    columns = matrix_columns.describe_columns(runs, matrix.baseline, choice)
    tabs_on_phone = len(columns) if len(columns) <= _MAX_TABS else _MAX_TABS - 1
    context = {
        "section": "evaluations",
        "run": runs[0],
        "template": runs[0].template,
        "crumbs": build_breadcrumbs(runs[0].template.name),
        "columns": columns,
        "column_tabs": columns[:tabs_on_phone],
        "column_options": columns[tabs_on_phone:],
        "baseline": matrix.baseline,
        "phone_place": matrix_columns.place_on_phone(runs, matrix.baseline, choice) + 1,
        "figures": [matrix_columns.describe_figures(matrix, name) for name in matrix.metrics],
        "usage": matrix_columns.describe_usage(runs),
        "people": matrix_columns.describe_people(runs),
        "changed_rows": matrix_columns.count_changed_rows(matrix, choice),
        "failures": _list_failures(matrix, choice),
        "score_url": _build_score_url(runs),
        "tabs": _build_tabs(matrix, choice),
        "rows": [_build_row(matrix_row, matrix.metrics, choice, row) for matrix_row in matrix.page.items],
        "panel": matrix_panel.describe_panel(actor, row, matrix, choice) if row is not None else None,
        "metrics": [(name, title_metric(name)) for name in matrix.metrics],
        "orders": list(_ORDERS.items()),
        "tags": matrix.tags,
        "choice": choice,
        "addable": _list_addable(runs, choice),
        "may_run": permissions.is_allowed(actor, Verb.EVALUATE, runs[0].template.namespace, runs[0].template.path),
        "may_improve": improvement_queries.may_improve(actor, runs[0]),
        "new_run_url": _build_new_run_url(runs[0]),
        "waits": any(not run.is_over for run in runs),
        "progress": describe_progress(runs, datetime.now(UTC)),
        "poll_url": choice.url(seen=done_before if done_before is not None else done),
        "fresh": done - done_before if done_before is not None else 0,
        "page_url": choice.url(row=row),
        "next_url": choice.url(cursor=matrix.page.next) if matrix.page.next else "",
    }
    regions = {"figures": "evaluations/_matrix_figures.html"}
    return render_page(request, "evaluations/matrix.html", context, regions=regions)


def _build_matrix(runs: Sequence[Run], choice: MatrixChoice, row: int | None, cursor: str | None) -> RunMatrix:
    """A page of the matrix. row: the index of the open one."""
    return run_matrix.build_run_matrix(
        runs,
        only=choice.only,
        metric=choice.metric,
        order=choice.order,
        baseline=choice.baseline,
        reason=choice.reason,
        tag=choice.tag,
        cursor=cursor,
        opened=row,
        limit=_ROWS,
    )


@signed_in
def stop_runs(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Cancel the active runs of the page, and redirect to it."""
    choice = read_choice(request, number)
    runs = run_matrix.read_matrix_runs(actor, number, choice.others)
    stopped = start_runs.cancel_runs(actor=actor, numbers=[run.number for run in runs])
    count = len(stopped)
    if count:
        sentence = ngettext(
            "{count} run is cancelled; what came so far is kept.",
            "{count} runs are cancelled; what came so far is kept.",
            count,
        )
        messages.success(request, sentence.format(count=count))
    else:
        messages.success(request, gettext("No run was under way any more."))
    return redirect(choice.url())


def _build_score_url(runs: Sequence[Run]) -> str:
    """The URL of the page that scores the rows; empty while a run is queued."""
    if any(run.state == Run.QUEUED for run in runs):
        return ""
    query = urlencode([("with", run.number) for run in runs[1:]])
    return f"{reverse('score-rows', args=[runs[0].number])}{f'?{query}' if query else ''}"


def _build_tabs(matrix: RunMatrix, choice: MatrixChoice) -> list[dict[str, Any]]:
    return [
        {
            "word": word,
            "count": matrix.counts[only],
            "url": choice.url(only=only, reason=None),
            "on": only == choice.only,
        }
        for only, word in _FILTERS.items()
        if only not in ("regressions", "improvements") or len(matrix.runs) > 1
    ]


def _list_failures(matrix: RunMatrix, choice: MatrixChoice) -> list[dict[str, Any]]:
    """Why rows failed, with equal reasons grouped, each with a link to its rows, or back to all rows
    if it is selected.
    """
    models = [run.model for run in matrix.runs]
    return [
        {
            "message": failure.message,
            "models": models,
            "count": failure.count,
            "on": failure.key == choice.reason,
            "url": choice.url(only="failed", reason=None if failure.key == choice.reason else failure.key),
        }
        for failure in matrix.failures
    ]


def _build_row(row: MatrixRow, metrics: Sequence[str], choice: MatrixChoice, open_row: int | None) -> dict[str, Any]:
    values = row_comparison.list_readable_values(row.row.inputs)
    texts = [name for name in row_comparison.LEADS if isinstance(row.row.inputs.get(name), str)]
    lead = dict(values).get(next(iter(texts), values[0][0] if values else ""), "")
    return {
        "index": row.index,
        "name": row_comparison.name_row(row.row.id, row.index),
        "lead": row_comparison.shorten_text(lead, 160),
        "tags": row.row.tags,
        "cells": [describe_cell(cell, metrics, 220) for cell in row.cells],
        "url": f"{choice.url(row=row.index)}#panel",
        "is_open": row.index == open_row,
    }


def _list_addable(runs: Sequence[Run], choice: MatrixChoice) -> list[dict[str, Any]]:
    """Runs that can be added, each with its URL."""
    if len(runs) >= run_matrix.MAX_RUNS:
        return []
    shown_runs = {run.pk for run in runs}
    comparable = run_queries.list_comparable_runs(runs[0], unfinished=True)
    return [
        {"run": run, "add_url": choice.url(**{"with": (*choice.others, run.number), "column": run.number})}
        for run in comparable
        if run.pk not in shown_runs
    ]


def _build_new_run_url(run: Run) -> str:
    query = {"template": run.template.name}
    if run.dataset_version:
        query["dataset"] = run.dataset_version.dataset.name
    return f"{reverse('new-run')}?{urlencode(query)}"
