"""The pages of evaluation runs: the list, one run with its scores and worst rows, and one row."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from frontend.evaluations import metric_plots, next_steps, row_comparison, score_panels, score_table
from frontend.evaluations.metric_plots import MetricPlot
from frontend.evaluations.score_table import ScoreRow, ScoreTable
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import breadcrumbs, is_for_region, show
from frontend.web.wording import run_state_word
from promptuary.renderer.syntax.sequence_diff import Word
from registry.accounts.actor import Actor
from registry.evaluations import exports, run_queries
from registry.evaluations import start_runs as services
from registry.evaluations.models import Run
from registry.evaluations.run_queries import RunRowDetail
from registry.improvements import queries as improvement_queries
from registry.namespaces import permissions
from registry.namespaces.queries import live_label
from registry.namespaces.verbs import Verb
from registry.templates import label_queries

__all__ = ["export", "listing", "show_row", "show_rows", "show_run", "style_of_run"]

_STATES = {
    "": gettext_lazy("All"),
    "running": gettext_lazy("Running"),
    "done": gettext_lazy("Done"),
    "failed": gettext_lazy("Failed"),
    "cancelled": gettext_lazy("Cancelled"),
}
_STYLES = {
    Run.QUEUED: (gettext_lazy("Waiting"), "clock", ""),
    Run.RUNNING: (gettext_lazy("Running"), "loader", ""),
    Run.DONE: (gettext_lazy("Done"), "circle-check", "ok"),
    Run.FAILED: (gettext_lazy("Failed"), "circle-x", "bad"),
    Run.CANCELLED: (gettext_lazy("Cancelled"), "circle-x", "warn"),
}
_ALL_FAILED = (gettext_lazy("Failed"), "circle-x", "bad")
_SOME_FAILED = (gettext_lazy("Done, not all rows"), "triangle-alert", "warn")
_ROWS = 50


@signed_in
def listing(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Runs that may be read, newest first."""
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
        "rows": [{"run": run, "style": style_of_run(run), "score": _first_score(run)} for run in page.items],
        "filters": filters,
        **(_draw_plots(actor, filters["template"]) if filters["template"] else {}),
        "tabs": [
            {"word": word, "url": f"?{urlencode({**without_state, 'state': state})}", "on": state == filters["state"]}
            for state, word in _STATES.items()
        ],
        "waits": any(not run.is_over for run in page.items) and not request.GET.get("cursor"),
        "page_url": f"?{urlencode(query)}",
        "next_url": f"?{urlencode({**query, 'cursor': page.next})}" if page.next else "",
    }
    return show(request, "evaluations/runs.html", context, regions={"runs": "evaluations/_runs.html"})


def _draw_plots(actor: Actor, template: str) -> dict[str, list[MetricPlot]]:
    """The plots of a template's nights, and of its labels; the one of what is live is left out where nights show it."""
    nightly = metric_plots.draw_nightly_plots(actor, template)
    measured = nightly[0].line.label if nightly else ""
    return {
        "nightly_plots": nightly,
        "label_plots": metric_plots.draw_label_plots(actor, template, without=measured),
    }


@form_page
@signed_in
def show_run(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One run; a POST cancels it, or runs again what failed."""
    if request.method == "POST":
        _act(request, actor, number)
        return redirect("run", number)
    run = run_queries.read_run(actor, number)
    baseline_number = _number(request.GET.get("against"))
    awaited = run_queries.read_run(actor, baseline_number) if baseline_number else None
    waits = not run.is_over or (awaited is not None and not awaited.is_over)
    newest = [] if run.is_over else [row_comparison.compare_row(row) for row in run_queries.newest_run_rows(run)]
    context = {
        **_frame(actor, run),
        "query": _query(request),
        "awaited": awaited,
        "waits": waits,
        "left": _left(run, datetime.now(UTC)),
        "newest": newest,
    }
    if is_for_region(request, "progress"):
        response = show(
            request, "evaluations/run.html", context, regions={"progress": "evaluations/_run_progress.html"}
        )
        if not waits:
            response["HX-Refresh"] = "true"  # now there is more to show than a bar
        return response
    live = label_queries.label_numbers(run.template).get(live_label(run.template.namespace))
    against, choices = score_table.find_baseline(run, live, baseline_number)
    board = score_table.score_table(run, against)
    line = _chosen(board, request.GET.get("by", ""))
    proposal = improvement_queries.find_measured_improvement(actor, run)
    context |= {
        "board": board,
        "against": against,
        "choices": choices,
        "live": live,
        "live_label": live_label(run.template.namespace),
        "by": line,
        "verdicts": score_table.gate_results(run, board),
        "people": score_panels.describe_people_scores(run),
        "may_improve": improvement_queries.may_improve(actor, run),
        "proposal": proposal,
        "propose_url": next_steps.find_propose_url(actor, run, live) if proposal is None else "",
        "thresholds_url": next_steps.find_thresholds_url(actor, run),
        "failures": row_comparison.failed_rows(run) if run.failed else [],
        **_worst(run, against, line),
    }
    return show(request, "evaluations/run.html", context)


@signed_in
def show_rows(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """All rows of a run in order, or those that failed."""
    run = run_queries.read_run(actor, number)
    only = "failed" if request.GET.get("only") == "failed" else None
    page = run_queries.list_run_rows(run, only=only, cursor=request.GET.get("cursor"), limit=_ROWS)
    columns = {
        f"{metric} {target}": score_table.TITLES.get(metric, metric)
        for metric, targets in run.scores.items()
        for target in targets
    }
    rows = [
        {
            "pair": row_comparison.compare_row(detail),
            "scores": [(title, score_table.format_score(_score(detail, name))) for name, title in columns.items()],
            "is_answered": detail.row is not None,
        }
        for detail in page.items
    ]
    context = {
        **_frame(actor, run),
        "rows": rows,
        "columns": list(columns.values()),
        "only": only or "",
        "next_url": f"?{urlencode({'only': only or '', 'cursor': page.next})}" if page.next else "",
    }
    return show(request, "evaluations/run_rows.html", context)


@signed_in
def show_row(request: HttpRequest, actor: Actor, number: int, index: int) -> HttpResponse:
    """Everything about one row: what was asked, what came, against what was expected and against another run."""
    run = run_queries.read_run(actor, number)
    detail = run_queries.read_run_row(run, index)
    live = label_queries.label_numbers(run.template).get(live_label(run.template.namespace))
    against, _ = score_table.find_baseline(run, live, _number(request.GET.get("against")))
    other = run_queries.read_run_row(against, index) if against else None
    answer = row_comparison.answer_text(detail.row.actual) if detail.row else ""
    was = row_comparison.answer_text(other.row.actual) if other and other.row else ""
    judgement = row_comparison.judgement_of(detail)
    context = {
        **_frame(actor, run),
        "detail": detail,
        "name": row_comparison.name_row(detail.id, index),
        "inputs": row_comparison.readable_values(detail.inputs),
        "expected": row_comparison.answer_text(detail.expected),
        "outputs": _others(detail),
        "answer": answer,
        "against": against,
        "other": other,
        "pair": row_comparison.compare_replies(was, answer) if other else ((), (Word(answer),)),
        "scores": _scores(detail, other),
        "judgement": judgement,
        "judgement_scores": row_comparison.judgement_scores(judgement) if judgement else [],
        "scoring": _scoring(actor, run, index, request) if run.state == Run.DONE else None,
        "previous": index - 1 if index else None,
        "following": index + 1 if index + 1 < run.total else None,
        "query": _query(request),
    }
    return show(request, "evaluations/run_row.html", context)


@signed_in
def export(request: HttpRequest, actor: Actor, number: int, form: str) -> HttpResponse:
    """The run as a file: csv, json, jsonl or html."""
    run = run_queries.read_run(actor, number)
    baseline_number = _number(request.GET.get("against"))
    baseline = run_queries.read_run(actor, baseline_number) if baseline_number and form == "html" else None
    with tempfile.TemporaryDirectory(prefix="promptuary-export-") as folder:
        path = exports.write_export(run, form, Path(folder), baseline)
        content = path.read_bytes()
    response = HttpResponse(content, content_type=exports.FORMS[form])
    response["Content-Disposition"] = f'attachment; filename="run-{run.number}.{form}"'
    response["Cache-Control"] = "private, no-store"
    return response


def style_of_run(run: Run) -> tuple[str | Promise, str, str]:
    """The word, icon and look of a run's state: one whose rows failed is not shown as done."""
    if run.state == Run.DONE and run.failed:
        return _ALL_FAILED if run.failed == run.total else _SOME_FAILED
    return _STYLES[run.state]


def _frame(actor: Actor, run: Run) -> dict[str, Any]:
    template = run.template
    return {
        "section": "evaluations",
        "run": run,
        "template": template,
        "crumbs": breadcrumbs(template.name),
        "style": style_of_run(run),
        "answered": run.done - run.failed,
        "bar": _bar(run),
        "rows_name": run.dataset_version.dataset.name if run.dataset_version else "",
        "may_run": permissions.is_allowed(actor, Verb.EVALUATE, template.namespace, template.path),
        "sum": _sum(run),
    }


def _sum(run: Run) -> str:
    words = gettext("Run {number}: {done} of {total}, {failed} failed, {state}")
    state = run_state_word(run.state)
    return words.format(number=run.number, done=run.done, total=run.total, failed=run.failed, state=state)


def _left(run: Run, now: datetime) -> str:
    """About how long it will take from here; nothing while there is little to judge by."""
    if run.state != Run.RUNNING or run.started_at is None or run.done < 5:
        return ""
    seconds = (now - run.started_at).total_seconds() * (run.total - run.done) / run.done
    if seconds < 90:
        return gettext("about {count} s left").format(count=max(1, round(seconds)))
    return gettext("about {count} min left").format(count=round(seconds / 60))


def _bar(run: Run) -> dict[str, int]:
    """The bar's parts in thousandths; a single failure stays to be seen."""
    permille = round(1000 * run.done / run.total) if run.total else 1000
    failed = max(6, round(1000 * run.failed / run.total)) if run.failed else 0
    return {"answered": max(0, permille - failed), "failed": failed}


def _act(request: HttpRequest, actor: Actor, number: int) -> None:
    if request.POST.get("do") == "cancel":
        services.cancel_run(actor=actor, number=number)
        messages.success(request, gettext("The run is cancelled; what came so far is kept."))
    elif request.POST.get("do") == "rerun":
        services.rerun_failures(actor=actor, number=number)
        messages.success(request, gettext("The failed rows are asked again."))


def _chosen(board: ScoreTable, key: str) -> ScoreRow | None:
    """The line that the worst rows are of: the one asked for, else the one that fell most plainly, else the first."""
    worse = [line for line in board.lines if line.kind == "worse"]
    matching = [line for line in board.lines if line.key == key]
    return next(iter([*matching, *worse, *board.lines]), None)


def _worst(run: Run, against: Run | None, line: ScoreRow | None) -> dict[str, Any]:
    if line is None:
        return {"pairs": [], "lost_count": 0}
    if against is None or line.compared is None:
        return {"pairs": row_comparison.lowest_rows(run, line.metric, line.target), "lost_count": 0}
    pairs, missing = row_comparison.worst_regressions(run, against, line.compared)
    return {"pairs": pairs, "lost_count": missing}


def _scores(detail: RunRowDetail, other: RunRowDetail | None) -> list[dict[str, str]]:
    names = detail.row.scores if detail.row else {}
    return [
        {
            "title": str(score_table.TITLES.get(name.partition(" ")[0], name)),
            "name": name,
            "score": score_table.format_score(value),
            "before": score_table.format_score(_score(other, name)) if other else "",
        }
        for name, value in names.items()
        if not name.endswith(" judgement")  # they are with the judge's words
    ]


def _score(detail: RunRowDetail, name: str) -> float | None:
    return detail.row.scores.get(name) if detail.row else None


def _scoring(actor: Actor, run: Run, index: int, request: HttpRequest) -> dict[str, Any]:
    return score_panels.show_score_form(actor, [run], index, back=f"{request.get_full_path()}#score-form")


def _others(detail: RunRowDetail) -> list[tuple[str, str]]:
    """The outputs beside the answer, those that say the same left out."""
    actual = detail.row.actual if detail.row else None
    answer = row_comparison.answer_text(actual)
    return [
        (name, text) for name, text in row_comparison.readable_values(actual) if text != answer and name != "answer"
    ]


def _first_score(run: Run) -> dict[str, str] | None:
    for metric, targets in run.scores.items():
        for scored in targets.values():
            title = str(score_table.TITLES.get(metric, metric))
            return {"title": title, "score": score_table.format_score(scored["score"])}
    return None


def _query(request: HttpRequest) -> str:
    """What of the address the links between run and rows hand on."""
    query = {key: request.GET[key] for key in ("against", "by") if request.GET.get(key)}
    return f"?{urlencode(query)}" if query else ""


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 19 else None
