"""The pages of the rows of an evaluation run: all or the failed ones, and one row."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from frontend.evaluations import row_comparison, score_panels, score_table
from frontend.evaluations.run_frame import describe_run, read_number, write_query
from frontend.web.decorators import signed_in
from frontend.web.page import render_page
from promptuary.renderer.syntax.sequence_diff import Word
from registry.accounts.actor import Actor
from registry.evaluations import run_queries
from registry.evaluations.metric_titles import title_metric
from registry.evaluations.models import Run
from registry.evaluations.run_queries import RunRowDetail
from registry.namespaces.queries import choose_live_label
from registry.templates import label_queries

__all__ = ["show_row", "show_rows"]

_ROWS = 50


@signed_in
def show_rows(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """All rows of a run in order, or the failed ones."""
    run = run_queries.read_run(actor, number)
    only = "failed" if request.GET.get("only") == "failed" else None
    page = run_queries.list_run_rows(run, only=only, cursor=request.GET.get("cursor"), limit=_ROWS)
    columns = {
        f"{metric} {target}": title_metric(metric) for metric, targets in run.scores.items() for target in targets
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
        **describe_run(actor, run),
        "rows": rows,
        "columns": list(columns.values()),
        "only": only or "",
        "next_url": f"?{urlencode({'only': only or '', 'cursor': page.next})}" if page.next else "",
    }
    return render_page(request, "evaluations/run_rows.html", context)


@signed_in
def show_row(request: HttpRequest, actor: Actor, number: int, index: int) -> HttpResponse:
    """One row in full: the inputs and the reply, compared with the expected output and with another run."""
    run = run_queries.read_run(actor, number)
    detail = run_queries.read_run_row(run, index)
    live = label_queries.read_label_numbers(run.template).get(choose_live_label(run.template.namespace))
    against, _ = score_table.find_baseline(run, live, read_number(request.GET.get("against")))
    compared = run_queries.read_run_row(against, index) if against else None
    answer = row_comparison.answer_text(detail.row.actual) if detail.row else ""
    was = row_comparison.answer_text(compared.row.actual) if compared and compared.row else ""
    judgement = row_comparison.find_row_judgement(detail)
    context = {
        **describe_run(actor, run),
        "detail": detail,
        "name": row_comparison.name_row(detail.id, index),
        "inputs": row_comparison.list_readable_values(detail.inputs),
        "expected": row_comparison.answer_text(detail.expected),
        "outputs": _list_other_outputs(detail),
        "answer": answer,
        "against": against,
        "other": compared,
        "pair": row_comparison.compare_replies(was, answer) if compared else ((), (Word(answer),)),
        "scores": _list_scores(detail, compared),
        "judgement": judgement,
        "judgement_scores": row_comparison.list_judgement_scores(judgement) if judgement else [],
        "scoring": _build_scoring(actor, run, index, request) if run.state != Run.QUEUED else None,
        "previous": index - 1 if index else None,
        "following": index + 1 if index + 1 < run.total else None,
        "query": write_query(request),
    }
    return render_page(request, "evaluations/run_row.html", context)


def _list_scores(detail: RunRowDetail, compared: RunRowDetail | None) -> list[dict[str, str]]:
    names = detail.row.scores if detail.row else {}
    return [
        {
            "title": title_metric(name.partition(" ")[0]),
            "name": name,
            "score": score_table.format_score(value, _score(compared, name) if compared else None),
            "before": score_table.format_score(_score(compared, name), value) if compared else "",
        }
        for name, value in names.items()
        if not name.endswith(" judgement")  # shown with the judge's reasons
    ]


def _score(detail: RunRowDetail, name: str) -> float | None:
    return detail.row.scores.get(name) if detail.row else None


def _build_scoring(actor: Actor, run: Run, index: int, request: HttpRequest) -> dict[str, Any]:
    return score_panels.show_score_form(actor, [run], index, back=f"{request.get_full_path()}#score-form")


def _list_other_outputs(detail: RunRowDetail) -> list[tuple[str, str]]:
    """The outputs besides the answer, except those with the same text."""
    actual = detail.row.actual if detail.row else None
    answer = row_comparison.answer_text(actual)
    return [
        (name, text)
        for name, text in row_comparison.list_readable_values(actual)
        if text != answer and name != "answer"
    ]
