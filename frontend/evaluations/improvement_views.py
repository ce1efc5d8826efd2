"""The page of one improvement: its progress, the proposal as a diff, its figures, and its actions."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from frontend.diff.versions import compare_texts
from frontend.evaluations import proposal_diff, row_comparison, score_table
from frontend.evaluations.row_comparison import ComparedRow
from frontend.web.decorators import form_page, signed_in
from frontend.web.forms import add_errors
from frontend.web.page import build_breadcrumbs, is_for_region, render_page
from registry.accounts.actor import Actor
from registry.core.errors import PromptuaryError
from registry.core.names import MAX_DRAFT_NAME_LENGTH
from registry.core.problem_details import find_status
from registry.evaluations import run_matrix
from registry.evaluations.metric_titles import title_metric
from registry.evaluations.run_matrix import MatrixCell, MatrixRow
from registry.evaluations.run_queries import RunRowDetail
from registry.improvements import queries, services
from registry.improvements.figures import GroupFigures, ImprovementFigures, MetricFigures, measure_improvement
from registry.improvements.models import Improvement
from registry.improvements.queries import MAX_CALLS
from registry.templates.named_drafts import build_draft_ref

__all__ = ["IMPROVEMENT_STYLES", "show_improvement"]

_FEW_CHANGED = 5  # rows of a kind on the page; the matrix shows all of them
IMPROVEMENT_STYLES = {
    Improvement.QUEUED: (gettext_lazy("Waiting"), "clock", ""),
    Improvement.ASKING: (gettext_lazy("Asking the model"), "loader", ""),
    Improvement.MEASURING: (gettext_lazy("Measuring"), "loader", ""),
    Improvement.DONE: (gettext_lazy("Measured"), "circle-check", ""),
    Improvement.FAILED: (gettext_lazy("Failed"), "circle-x", "bad"),
    Improvement.STOPPED: (gettext_lazy("Stopped"), "circle-x", "warn"),
    Improvement.TAKEN: (gettext_lazy("Taken into a draft"), "circle-check", "ok"),
    Improvement.DISMISSED: (gettext_lazy("Dismissed"), "circle-x", ""),
}
_GROUPS = {
    "unseen": gettext_lazy("Rows that the model did not see"),
    "seen": gettext_lazy("Rows that it saw"),
    "all": gettext_lazy("All rows"),
}
_READINGS = {"better": ("ok", "arrow-up-right"), "worse": ("bad", "arrow-down-right"), "unclear": ("", "equal")}


class TakeForm(forms.Form):
    """The name of the draft that the proposal is saved as."""

    draft = forms.CharField(max_length=MAX_DRAFT_NAME_LENGTH)


@form_page
@signed_in
def show_improvement(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One of the user's improvements; a POST stops it, saves it as a draft, or dismisses it."""
    form, status = TakeForm(initial={"draft": gettext("Suggested improvement")}), 200
    if request.method == "POST":
        form = TakeForm(request.POST if request.POST.get("do") == "take" else None)
        try:
            if response := _perform_action(request, actor, number, form):
                return response
            status = 422
        except PromptuaryError as error:
            if request.POST.get("do") != "take":
                raise
            add_errors(form, error)
            status = find_status(error)
    improvement = queries.find_own_improvement(actor, number)
    context = {**_build_frame(improvement), "form": form, "longest_name": MAX_DRAFT_NAME_LENGTH}
    if is_for_region(request, "progress"):
        page, regions = "evaluations/improvement.html", {"progress": "evaluations/_improvement_progress.html"}
        response = render_page(request, page, context, regions=regions)
        if not improvement.is_under_way:
            response["HX-Refresh"] = "true"  # the page now shows more than the progress
        return response
    context |= _describe_proposal(improvement)
    return render_page(request, "evaluations/improvement.html", context, status=status)


def _perform_action(request: HttpRequest, actor: Actor, number: int, form: TakeForm) -> HttpResponse | None:
    """Perform the posted action; None if the form is invalid."""
    do = request.POST.get("do")
    if do == "take":
        if not form.is_valid():
            return None
        draft = services.take_improvement(actor=actor, number=number, draft_name=form.cleaned_data["draft"])
        name = f"{draft.namespace.name}/{draft.path}"
        messages.success(request, gettext("The proposal is a draft of yours now; nothing else changed."))
        return redirect(f"{reverse('edit', args=[name])}?{urlencode({'draft': draft.name})}")
    if do == "stop":
        services.stop_improvement(actor=actor, number=number)
        messages.success(request, gettext("It is stopped. What was spent until now is counted."))
    elif do == "dismiss":
        services.dismiss_improvement(actor=actor, number=number)
        messages.success(request, gettext("Dismissed. It can be read here for 30 days."))
    return redirect("improvement", number)


def _build_frame(improvement: Improvement) -> dict[str, Any]:
    run, measurement = improvement.run, improvement.measurement
    permille = round(1000 * measurement.done / measurement.total) if measurement and measurement.total else 0
    return {
        "section": "evaluations",
        "improvement": improvement,
        "run": run,
        "template": run.template,
        "crumbs": build_breadcrumbs(run.template.name),
        "style": IMPROVEMENT_STYLES[improvement.stage],
        "waits": improvement.is_under_way,
        "most_calls": MAX_CALLS,
        "bar": permille,
        "draft_query": urlencode({"draft": improvement.draft_name}) if improvement.draft_name else "",
        "draft_ref": build_draft_ref(improvement.draft_name) if improvement.draft_name else "",
    }


def _describe_proposal(improvement: Improvement) -> dict[str, Any]:
    """The proposal's diff and figures, as far as available."""
    if not improvement.document:
        return {}
    run, figures = improvement.run, measure_improvement(improvement)
    context: dict[str, Any] = {"figures": figures}
    if not run.version.is_redacted:
        context |= {
            "source": compare_texts(run.version.document, improvement.document),
            "repeated": proposal_diff.find_repeated_lines(improvement),
            **proposal_diff.compare_on_row(improvement),
        }
    if figures is not None:
        context |= {
            "groups": [(str(_GROUPS[group.group]), group) for group in figures.groups],
            "metrics": _list_metrics(figures),
            "changed": [
                _list_changed(improvement, "improvements", "gain", gettext("Rows that got better")),
                _list_changed(improvement, "regressions", "drop", gettext("Rows that got worse")),
            ],
        }
    return context


def _list_metrics(figures: ImprovementFigures) -> list[dict[str, Any]]:
    """A line for each metric with a cell for each group of rows."""
    names = [(metric.metric, metric.target) for metric in figures.of("all").metrics]
    return [
        {
            "title": title_metric(metric),
            "name": metric,
            "target": "" if target in ("answer", "judgement") else target,
            "cells": [_describe_cell(group, metric, target) for group in figures.groups],
        }
        for metric, target in names
    ]


def _describe_cell(group: GroupFigures, metric: str, target: str) -> dict[str, Any]:
    line = next((one for one in group.metrics if (one.metric, one.target) == (metric, target)), None)
    title = str(_GROUPS[group.group])
    if line is None or line.before is None:
        return {"title": title, "is_empty": True}
    look, icon = _READINGS[line.reading]
    return {
        "title": title,
        "before": score_table.format_score(line.before, line.after),
        "after": score_table.format_score(line.after, line.before),
        "difference": score_table.format_change(line.comparison.difference),
        "interval": _describe_interval(line),
        "look": look,
        "icon": icon,
    }


def _describe_interval(line: MetricFigures) -> str:
    low, high = line.comparison.low, line.comparison.high
    if low is None or high is None:
        return gettext("too few rows")
    return gettext("{low} to {high}").format(low=score_table.format_change(low), high=score_table.format_change(high))


def _list_changed(improvement: Improvement, only: str, order: str, title: str) -> dict[str, Any]:
    """The rows that changed most in one direction, with both replies."""
    run, measurement = improvement.run, improvement.measurement
    if measurement is None:
        return {}
    matrix = run_matrix.build_run_matrix((run, measurement), only=only, order=order, limit=_FEW_CHANGED)
    query = urlencode({"with": measurement.number, "only": only, "order": order})
    shown_rows = set(improvement.shown_rows)
    return {
        "title": title,
        "count": matrix.counts[only],
        "rows": [(_compare(row, only), row.index in shown_rows) for row in matrix.page.items],
        "url": f"{reverse('run-matrix', args=[run.number])}?{query}",
        "is_worse": only == "regressions",
    }


def _compare(row: MatrixRow, only: str) -> ComparedRow:
    before, after = row.cells
    changes = list(after.changes.values())
    change = (min if only == "regressions" else max)(changes) if changes else None
    return row_comparison.compare_row(_build_detail(row, after), _build_detail(row, before), change)


def _build_detail(row: MatrixRow, cell: MatrixCell) -> RunRowDetail:
    return RunRowDetail(row.index, row.row.id, row.row.inputs, row.row.expected, cell.row)
