"""The page of several runs side by side: averages, rows with each run's reply, filters, one row with its evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from frontend.evaluations import row_comparison, score_panels, score_table
from frontend.evaluations.run_views import style_of_run
from frontend.web.decorators import signed_in
from frontend.web.page import breadcrumbs, show
from promptuary.renderer.syntax.sequence_diff import Word
from registry.accounts.actor import Actor
from registry.evaluations import run_matrix, run_queries
from registry.evaluations.models import Run
from registry.evaluations.run_matrix import MatrixCell, MatrixRow, RunMatrix
from registry.improvements import queries as improvement_queries
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["show_matrix"]

_ROWS = 50
_FEW = 30  # rows under which a figure is shown without a reading
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
_LOOKS = {"better": ("ok", "arrow-up-right"), "worse": ("bad", "arrow-down-right"), "same": ("", "equal")}


@dataclass(frozen=True)
class _Choice:
    """What the address asks for."""

    number: int
    others: tuple[int, ...]
    only: str
    metric: str
    order: str

    def url(self, **changes: Any) -> str:
        """The page with some of it changed; None leaves a value out."""
        values: dict[str, Any] = {"with": self.others, "only": self.only, "by": self.metric, "order": self.order}
        values |= changes
        query = {name: value for name, value in values.items() if value not in (None, "", (), "all", "rows")}
        return f"{reverse('run-matrix', args=[self.number])}?{urlencode(query, doseq=True)}"


@signed_in
def show_matrix(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """The runs' rows side by side; `row` opens one of them beside the table."""
    choice = _read_choice(request, number)
    runs = run_matrix.read_matrix_runs(actor, number, choice.others)
    matrix = run_matrix.build_run_matrix(
        runs, only=choice.only, metric=choice.metric, order=choice.order, cursor=request.GET.get("cursor"), limit=_ROWS
    )
    row = _number(request.GET.get("row"))
    waits = any(not run.is_over for run in runs)
    seen = _number(request.GET.get("seen"))
    done = sum(run.done for run in runs)
    context = {
        "section": "evaluations",
        "run": runs[0],
        "template": runs[0].template,
        "crumbs": breadcrumbs(runs[0].template.name),
        "columns": [_column(run, runs[0], choice) for run in runs],
        "figures": [_figures(matrix, runs, name) for name in matrix.metrics],
        "people": _people_cells(runs),
        "score_url": _score_url(runs),
        "tabs": _tabs(matrix, choice),
        "rows": [_row(matrix_row, matrix.metrics, choice, row) for matrix_row in matrix.page.items],
        "panel": _panel(actor, runs, row, matrix, choice) if row is not None else None,
        "metrics": [(name, _title(name)) for name in matrix.metrics],
        "orders": list(_ORDERS.items()),
        "choice": choice,
        "addable": _addable(runs),
        "may_run": permissions.is_allowed(actor, Verb.EVALUATE, runs[0].template.namespace, runs[0].template.path),
        "may_improve": improvement_queries.may_improve(actor, runs[0]),
        "new_run_url": _new_run_url(runs[0]),
        "waits": waits,
        "poll_url": choice.url(seen=seen if seen is not None else done),
        "fresh": done - seen if seen is not None else 0,
        "page_url": choice.url(row=row),
        "next_url": choice.url(cursor=matrix.page.next) if matrix.page.next else "",
    }
    regions = {"figures": "evaluations/_matrix_figures.html"}
    return show(request, "evaluations/matrix.html", context, regions=regions)


def _read_choice(request: HttpRequest, number: int) -> _Choice:
    others = [other for text in request.GET.getlist("with") if (other := _number(text)) and other != number]
    return _Choice(
        number,
        tuple(dict.fromkeys(others)),
        request.GET.get("only") or "all",
        request.GET.get("by", ""),
        request.GET.get("order") or "rows",
    )


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 19 else None


def _column(run: Run, first: Run, choice: _Choice) -> dict[str, Any]:
    others = tuple(other for other in choice.others if other != run.number)
    return {
        "run": run,
        "style": style_of_run(run),
        "is_first": run.pk == first.pk,
        "other_template": run.template.name if run.template_id != first.template_id else "",
        "without_url": "" if run.pk == first.pk else choice.url(**{"with": others}),
    }


def _figures(matrix: RunMatrix, runs: Sequence[Run], name: str) -> dict[str, Any]:
    """A metric's averages by run, each against the first run's."""
    metric, _, target = name.partition(" ")
    first = matrix.means[runs[0].number].get(name)
    cells = []
    for run in runs:
        mean = matrix.means[run.number].get(name)
        saved = run.scores.get(metric, {}).get(target) if run.is_over else None
        score = saved["score"] if saved else mean[0] if mean else None
        interval = ""
        if saved and saved.get("low") is not None:
            low, high = score_table.format_score(saved["low"]), score_table.format_score(saved["high"])
            interval = f"{low} to {high}"
        is_other = run.pk != runs[0].pk
        chip = _chip(runs[0], run, metric, target, mean, first) if is_other else None
        cells.append(
            {
                "score": score_table.format_score(score),
                "interval": interval,
                "scored": mean[1] if mean else 0,
                "is_partial": mean is not None and mean[1] < run.total,
                "chip": chip,
            }
        )
    return {"title": _title(name), "name": metric, "cells": cells}


def _people_cells(runs: Sequence[Run]) -> list[dict[str, Any] | None]:
    """The metric made of people's scores, by run; nothing where no run has any."""
    cells = [score_panels.describe_people_scores(run) for run in runs]
    return cells if any(cells) else []


def _score_url(runs: Sequence[Run]) -> str:
    """The page that scores the rows; empty until all runs are done."""
    if any(run.state != Run.DONE for run in runs):
        return ""
    query = urlencode([("with", run.number) for run in runs[1:]])
    return f"{reverse('score-rows', args=[runs[0].number])}{f'?{query}' if query else ''}"


def _hidden_query(runs: Sequence[Run], index: int) -> str:
    return urlencode([*(("with", run.number) for run in runs[1:]), ("hide", 1), ("row", index)])


def _chip(
    first: Run, run: Run, metric: str, target: str, mean: tuple[float, int] | None, base: tuple[float, int] | None
) -> dict[str, str] | None:
    """The difference of two averages; it reads as better or worse only where its interval leaves zero out."""
    if mean is None or base is None:
        return None
    look = ("", "")
    difference = mean[0] - base[0]
    are_done = run.state == Run.DONE and first.state == Run.DONE
    if are_done and min(mean[1], base[1]) >= _FEW:
        lines = score_table.score_table(run, first).lines
        line = next((line for line in lines if (line.metric, line.target) == (metric, target)), None)
        if line is not None:
            look = _LOOKS[line.kind]
    return {"text": score_table.format_change(difference), "style": look[0], "icon": look[1]}


def _tabs(matrix: RunMatrix, choice: _Choice) -> list[dict[str, Any]]:
    return [
        {"word": word, "count": matrix.counts[only], "url": choice.url(only=only), "on": only == choice.only}
        for only, word in _FILTERS.items()
        if only not in ("regressions", "improvements") or len(matrix.runs) > 1
    ]


def _row(row: MatrixRow, metrics: Sequence[str], choice: _Choice, open_row: int | None) -> dict[str, Any]:
    values = row_comparison.readable_values(row.row.inputs)
    texts = [name for name in row_comparison.LEADS if isinstance(row.row.inputs.get(name), str)]
    lead = dict(values).get(next(iter(texts), values[0][0] if values else ""), "")
    return {
        "index": row.index,
        "name": row_comparison.name_row(row.row.id, row.index),
        "lead": row_comparison.shorten_text(lead, 160),
        "cells": [_cell(cell, metrics, 220) for cell in row.cells],
        "url": f"{choice.url(row=row.index)}#panel",
        "is_open": row.index == open_row,
    }


def _cell(cell: MatrixCell, metrics: Sequence[str], longest: int) -> dict[str, Any]:
    answer = row_comparison.answer_text(cell.row.actual) if cell.row else ""
    return {
        "is_asked": cell.row is not None,
        "problem": cell.row.problem if cell.row else None,
        "answer": answer,
        "text": row_comparison.shorten_text(answer, longest),
        "chips": [_score_chip(name, cell) for name in metrics if name in cell.scores],
        "row": cell.row,
    }


def _score_chip(name: str, cell: MatrixCell) -> dict[str, str]:
    """A metric's score of one reply; an arrow where it differs from the first run's."""
    change = cell.changes.get(name, 0.0)
    kind = "worse" if change < -1e-9 else "better" if change > 1e-9 else "same"
    style, icon = _LOOKS[kind] if kind != "same" else ("", "")
    score = cell.scores[name]
    better, worse = gettext("better than the first run"), gettext("worse than the first run")
    words = {"better": better, "worse": worse, "same": ""}[kind]
    text = "–" if score is None else score_table.format_score(score)
    return {"title": _title(name), "score": text, "style": style, "icon": icon, "words": words}


def _panel(actor: Actor, runs: Sequence[Run], index: int, matrix: RunMatrix, choice: _Choice) -> dict[str, Any]:
    """One row: what was asked and expected, each reply with the words that differ, and each score with its evidence."""
    row = run_matrix.read_matrix_row(runs, index)
    first = row_comparison.answer_text(row.cells[0].row.actual) if row.cells[0].row else ""
    columns = []
    for run, cell in zip(runs, row.cells, strict=True):
        shown = _cell(cell, matrix.metrics, 2000)
        is_first = run.pk == runs[0].pk
        words = (Word(shown["answer"]),) if is_first else row_comparison.compare_replies(first, shown["answer"])[1]
        detail = run_queries.RunRowDetail(index, row.row.id, row.row.inputs, row.row.expected, cell.row)
        judgement = row_comparison.judgement_of(detail)
        evidence = row_comparison.judgement_scores(judgement) if judgement else []
        address = f"{reverse('run-row', args=[run.number, index])}?against={0 if is_first else runs[0].number}"
        columns.append({"run": run, **shown, "words": words, "evidence": evidence, "url": address})
    on_page = [matrix_row.index for matrix_row in matrix.page.items]
    place = on_page.index(index) if index in on_page else None
    neighbours = {
        "previous": on_page[place - 1] if place else None,
        "following": on_page[place + 1] if place is not None and place + 1 < len(on_page) else None,
    }
    return {
        "name": row_comparison.name_row(row.row.id, index),
        "inputs": [
            (name, row_comparison.shorten_text(value, 600))
            for name, value in row_comparison.readable_values(row.row.inputs)
        ],
        "expected": row_comparison.answer_text(row.row.expected),
        "columns": columns,
        "close_url": choice.url(),
        **_row_acts(actor, runs, index),
        "scoring": _scoring(actor, runs, index, choice, neighbours["following"]),
        "hide_url": f"{reverse('score-rows', args=[runs[0].number])}?{_hidden_query(runs, index)}",
        "place": place + 1 if place is not None else None,
        "of": len(on_page),
        **{
            f"{side}_url": f"{choice.url(row=neighbour)}#panel" if neighbour is not None else ""
            for side, neighbour in neighbours.items()
        },
    }


def _row_acts(actor: Actor, runs: Sequence[Run], index: int) -> dict[str, str]:
    """Where the row is added to a dataset and opened in the editor; empty for whoever may not save."""
    template = runs[0].template
    if not permissions.is_allowed(actor, Verb.SAVE, template.namespace):
        return {"add_url": "", "editor_url": ""}
    others = urlencode([("with", run.number) for run in runs[1:]])
    add = reverse("add-run-row", args=[runs[0].number, index])
    edit = f"{reverse('edit', args=[template.name])}?{urlencode({'row': f'{runs[0].number}.{index}'})}"
    return {"add_url": f"{add}?{others}" if others else add, "editor_url": edit}


def _scoring(
    actor: Actor, runs: Sequence[Run], index: int, choice: _Choice, following: int | None
) -> dict[str, Any] | None:
    """The row's score buttons once all runs are done; *Save and next* goes on to the following row of the page."""
    if any(run.state != Run.DONE for run in runs):
        return None
    following_url = f"{choice.url(row=following)}#panel" if following is not None else ""
    back = f"{choice.url(row=index)}#score-form"
    return score_panels.show_score_form(actor, runs, index, back=back, following=following_url)


def _addable(runs: Sequence[Run]) -> list[Run]:
    if len(runs) >= run_matrix.MOST_RUNS:
        return []
    shown = {run.pk for run in runs}
    return [run for run in run_queries.list_comparable_runs(runs[0], unfinished=True) if run.pk not in shown]


def _new_run_url(run: Run) -> str:
    query = {"template": run.template.name}
    if run.dataset_version:
        query["dataset"] = run.dataset_version.dataset.name
    return f"{reverse('new-run')}?{urlencode(query)}"


def _title(name: str) -> str:
    metric, _, target = name.partition(" ")
    title = str(score_table.TITLES.get(metric, metric))
    return title if target in ("", "answer", "judgement") else f"{title}, {target}"
