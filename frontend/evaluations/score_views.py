"""The page on which a user scores the rows of runs one after the other, optionally with hidden versions."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext

from frontend.evaluations import row_comparison, score_panels
from frontend.evaluations.run_frame import write_run_address
from frontend.evaluations.score_panels import ScoreColumn
from frontend.web.decorators import form_page, signed_in
from frontend.web.page import build_breadcrumbs, render_page
from frontend.web.wording import run_state_word
from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.evaluations import person_score_queries, person_scores, run_matrix
from registry.evaluations.models import Run
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["score_rows"]


@form_page
@signed_in
def score_rows(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """One row of the runs with buttons to score each reply; a POST saves a score immediately,
    repeating it removes it.
    """
    values = request.POST if request.method == "POST" else request.GET
    others = [other for text in values.getlist("with") if (other := _read_number(text)) and other != number]
    runs = run_matrix.read_matrix_runs(actor, number, tuple(others))
    permissions.require_verb(actor, Verb.COMMENT, runs[0].template.namespace, runs[0].template.path)
    for run in runs:
        if run.state == Run.QUEUED:
            sentence = gettext("Run {number} is {state}: its replies are scored once they come.")
            raise Conflict(sentence.format(number=run.number, state=run_state_word(run.state)))
    hide = bool(values.get("hide"))
    if request.method == "POST":
        return _save(request, actor, runs, hide=hide)
    queue = person_score_queries.build_score_queue(actor.person, runs)
    index = _read_number(request.GET.get("row"))
    if index is None:
        index = queue.find_next(None)
    context: dict[str, Any] = {
        "section": "evaluations",
        "run": runs[0],
        "template": runs[0].template,
        "crumbs": build_breadcrumbs(runs[0].template.name),
        "queue": queue,
        "hide": hide,
        "other_runs": runs[1:],
        "hide_url": _build_url(runs, index, hide=not hide),
        "people": [{"run": run, **facts} for run in runs if (facts := score_panels.describe_people_scores(run))],
        "row": None,
    }
    if index is not None:
        row = run_matrix.read_matrix_row(runs, index).row
        following = _build_url(runs, index + 1, hide=hide) if index + 1 < runs[0].total else ""
        context |= {
            "row": row,
            "index": index,
            "name": row_comparison.name_row(row.id, index),
            "inputs": row_comparison.list_readable_values(row.inputs),
            "expected": row_comparison.answer_text(row.expected),
            "scoring": {
                **score_panels.show_score_form(actor, runs, index, hide=hide, following=following),
                "with_replies": True,
            },
            "differs": index in queue.differing,
            "previous_url": _build_url(runs, index - 1, hide=hide) if index else "",
            "following_url": following,
        }
    return render_page(request, "evaluations/score_rows.html", context)


def _save(request: HttpRequest, actor: Actor, runs: Sequence[Run], *, hide: bool) -> HttpResponse:
    index = _read_number(request.POST.get("row"))
    if index is None:
        raise Invalid(fields={"row": gettext("the number of a row, from 0.")})
    run_matrix.read_matrix_row(runs, index)
    columns = score_panels.build_score_columns(actor.person, runs, index, (), hide=hide)
    position, _, score = request.POST.get("press", "").partition(":")
    for column in columns:
        comment = request.POST.get(f"comment-{column.position}", "").strip()
        _save_column(actor, column, index, score if position == str(column.position) else "", comment)
    back = write_run_address(request.POST.get("back", ""))
    if request.POST.get("do") == "next" and back:
        following_row = write_run_address(request.POST.get("following", ""))
        if not following_row:
            messages.success(request, gettext("This was the last of the rows shown."))
        return redirect(following_row or back)
    if request.POST.get("do") == "next":
        queue = person_score_queries.build_score_queue(actor.person, runs)
        following = queue.find_next(index)
        if following is None:
            messages.success(request, gettext("No other row waits for a score of yours."))
        return redirect(_build_url(runs, following, hide=hide))
    if back:
        return redirect(back)
    return redirect(f"{_build_url(runs, index, hide=hide)}#score-{position or 0}")


def _save_column(actor: Actor, column: ScoreColumn, index: int, pressed: str, comment: str) -> None:
    """Save the score and comment of one reply; pressing the same score again, without a new comment, removes it."""
    number, before = column.run.number, column.own.comment if column.own else ""
    if pressed and pressed == column.score and comment == before:
        person_scores.remove_score(actor=actor, number=number, index=index)
    elif pressed or (column.own and comment != before):
        score = pressed or column.score
        person_scores.set_score(actor=actor, number=number, index=index, score=score, comment=comment)
    elif comment and not column.own:
        raise Invalid(fields={"comment": gettext("give a score with it.")})


def _build_url(runs: Sequence[Run], index: int | None, *, hide: bool) -> str:
    query = [("with", run.number) for run in runs[1:]]
    values: list[tuple[str, object]] = [*query, *([("hide", 1)] if hide else [])]
    values += [("row", index)] if index is not None else []
    address = reverse("score-rows", args=[runs[0].number])
    return f"{address}?{urlencode(values)}" if values else address


def _read_number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 19 else None
