"""The pages of evaluation runs: the list, one run with its scores and worst rows, and its export as a file."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from frontend.evaluations import metric_plots, next_steps, row_comparison, score_panels, score_table
from frontend.evaluations.metric_plots import MetricPlot
from frontend.evaluations.run_frame import (
    choose_run_style,
    describe_run,
    estimate_time_left,
    read_number,
    write_query,
    write_run_address,
)
from frontend.evaluations.score_table import ScoreRow, ScoreTable
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import is_for_region, render_page
from registry.accounts.actor import Actor
from registry.evaluations import exports, run_queries
from registry.evaluations import start_runs as services
from registry.evaluations.metric_titles import title_metric
from registry.evaluations.models import Run
from registry.improvements import queries as improvement_queries
from registry.namespaces.queries import choose_live_label, list_writable_namespaces
from registry.templates import label_queries

__all__ = ["export_run", "show_run", "show_runs"]

_STATES = {
    "": gettext_lazy("All"),
    "running": gettext_lazy("Running"),
    "done": gettext_lazy("Done"),
    "failed": gettext_lazy("Failed"),
    "cancelled": gettext_lazy("Cancelled"),
}


@signed_in
def show_runs(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Runs that the user may read, newest first."""
    filters = {key: request.GET.get(key, "") for key in ("template", "dataset", "state", "namespace")}
    filters["state"] = filters["state"] if filters["state"] in _STATES else ""
    query = {key: value for key, value in filters.items() if value}
    page = run_queries.list_runs(
        actor,
        template=filters["template"] or None,
        dataset=filters["dataset"] or None,
        namespace=filters["namespace"] or None,
        state=filters["state"] or None,
        cursor=request.GET.get("cursor"),
    )
    without_state = {key: value for key, value in query.items() if key != "state"}
    context = {
        "section": "evaluations",
        "rows": [
            {
                "run": run,
                "style": choose_run_style(run),
                "score": _find_first_score(run),
                "answered": run.done - run.failed,
            }
            for run in page.items
        ],
        "filters": filters,
        "may_start": bool(list_writable_namespaces(actor)),
        **(_draw_plots(actor, filters["template"]) if filters["template"] else {}),
        "tabs": [
            {"word": word, "url": f"?{urlencode({**without_state, 'state': state})}", "on": state == filters["state"]}
            for state, word in _STATES.items()
        ],
        "waits": any(not run.is_over for run in page.items) and not request.GET.get("cursor"),
        "page_url": f"?{urlencode(query)}",
        "next_url": f"?{urlencode({**query, 'cursor': page.next})}" if page.next else "",
    }
    return render_page(request, "evaluations/runs.html", context, regions={"runs": "evaluations/_runs.html"})


def _draw_plots(actor: Actor, template: str) -> dict[str, list[MetricPlot]]:
    """The plots of a template's nightly runs and of its labels, without the label that the nightly runs measure."""
    nightly = metric_plots.draw_nightly_plots(actor, template)
    measured = nightly[0].line.label if nightly else ""
    return {
        "nightly_plots": nightly,
        "label_plots": metric_plots.draw_label_plots(actor, template, without=measured),
    }


@form_page
@signed_in
def show_run(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One run; a POST cancels it or reruns failed rows, and redirects to the page in `back`."""
    if request.method == "POST":
        _perform_action(request, actor, number)
        return redirect(write_run_address(request.POST.get("back", "")) or reverse("run", args=[number]))
    run = run_queries.read_run(actor, number)
    baseline_number = read_number(request.GET.get("against"))
    awaited = run_queries.read_run(actor, baseline_number) if baseline_number else None
    waits = not run.is_over or (awaited is not None and not awaited.is_over)
    newest = [] if run.is_over else [row_comparison.compare_row(row) for row in run_queries.list_newest_run_rows(run)]
    context = {
        **describe_run(actor, run),
        "query": write_query(request),
        "awaited": awaited,
        "waits": waits,
        "unanswered": run.total - run.done + run.failed,
        "left": estimate_time_left(run, datetime.now(UTC)),
        "newest": newest,
    }
    if is_for_region(request, "progress"):
        response = render_page(
            request, "evaluations/run.html", context, regions={"progress": "evaluations/_run_progress.html"}
        )
        if not waits:
            response["HX-Refresh"] = "true"  # the page now shows more than a progress bar
        return response
    live = label_queries.read_label_numbers(run.template).get(choose_live_label(run.template.namespace))
    against, choices = score_table.find_baseline(run, live, baseline_number)
    board = score_table.score_table(run, against)
    line = _find_chosen(board, request.GET.get("by", ""))
    proposal = improvement_queries.find_measured_improvement(actor, run)
    context |= {
        "board": board,
        "against": against,
        "choices": choices,
        "live": live,
        "live_label": choose_live_label(run.template.namespace),
        "by": line,
        "verdicts": score_table.list_gate_results(run, board),
        "people": score_panels.describe_people_scores(run),
        "may_improve": improvement_queries.may_improve(actor, run),
        "proposal": proposal,
        "propose_url": next_steps.find_propose_url(actor, run, live) if proposal is None else "",
        "thresholds_url": next_steps.find_thresholds_url(actor, run),
        "failures": row_comparison.list_failed_rows(run) if run.failed else [],
        **_build_worst_rows(run, against, line),
    }
    return render_page(request, "evaluations/run.html", context)


@signed_in
def export_run(request: HttpRequest, actor: Actor, number: int, form: str) -> HttpResponse:
    """Export the run as a file: csv, json, jsonl or html."""
    run = run_queries.read_run(actor, number)
    baseline_number = read_number(request.GET.get("against"))
    baseline = run_queries.read_run(actor, baseline_number) if baseline_number and form == "html" else None
    with tempfile.TemporaryDirectory(prefix="promptuary-export-") as folder:
        path = exports.write_export(run, form, Path(folder), baseline)
        content = path.read_bytes()
    response = HttpResponse(content, content_type=exports.FORMS[form])
    response["Content-Disposition"] = f'attachment; filename="run-{run.number}.{form}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _perform_action(request: HttpRequest, actor: Actor, number: int) -> None:
    if request.POST.get("do") == "cancel":
        services.cancel_run(actor=actor, number=number)
        messages.success(request, gettext("The run is cancelled; what came so far is kept."))
    elif request.POST.get("do") == "rerun":
        services.rerun_failures(actor=actor, number=number)
        messages.success(request, gettext("The failed rows are asked again."))


def _find_chosen(board: ScoreTable, key: str) -> ScoreRow | None:
    """The line whose worst rows are shown: the requested one, else the first that got worse, else the first."""
    worse = [line for line in board.lines if line.kind == "worse"]
    matching = [line for line in board.lines if line.key == key]
    return next(iter([*matching, *worse, *board.lines]), None)


def _build_worst_rows(run: Run, against: Run | None, line: ScoreRow | None) -> dict[str, Any]:
    if line is None:
        return {"pairs": [], "lost_count": 0}
    if against is None or line.compared is None:
        return {"pairs": row_comparison.list_lowest_rows(run, line.metric, line.target), "lost_count": 0}
    pairs, missing = row_comparison.list_worst_regressions(run, against, line.compared)
    return {"pairs": pairs, "lost_count": missing}


def _find_first_score(run: Run) -> dict[str, str] | None:
    for metric, targets in run.scores.items():
        for scored in targets.values():
            title = title_metric(metric)
            return {"title": title, "score": score_table.format_score(scored["score"])}
    return None
