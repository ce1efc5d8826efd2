"""The panel of one row in the matrix of runs: inputs, expected output, replies, and scores with their evidence."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from frontend.evaluations import matrix_columns, row_comparison, score_panels, score_table
from frontend.evaluations.matrix_cells import CHIP_STYLES, describe_cell, read_change, title_metric
from frontend.evaluations.matrix_choice import MatrixChoice
from promptuary.evaluation.judge import Judgement
from promptuary.evaluation.metrics.explanations import explain_score
from promptuary.renderer.syntax.sequence_diff import Word
from registry.accounts.actor import Actor
from registry.evaluations import run_matrix, run_queries
from registry.evaluations.models import Run
from registry.evaluations.run_matrix import MatrixCell, MatrixRow, RunMatrix
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["describe_panel"]


def describe_panel(actor: Actor, index: int, matrix: RunMatrix, choice: MatrixChoice) -> dict[str, Any]:
    """One row: its inputs and expected output, each reply with the differing words, and each
    score with its evidence.
    """
    runs, baseline = matrix.runs, matrix.baseline
    row = run_matrix.read_matrix_row(runs, index, baseline.number)
    shown_place = matrix_columns.place_on_phone(runs, baseline, choice)
    columns = [
        {**_describe_column(matrix, row, place), "is_on_phone": run.pk == baseline.pk or place == shown_place}
        for place, run in enumerate(runs)
    ]
    place = matrix.indexes.index(index) if index in matrix.indexes else None
    neighbours = {
        "previous": matrix.indexes[place - 1] if place else None,
        "following": matrix.indexes[place + 1] if place is not None and place + 1 < len(matrix.indexes) else None,
    }
    return {
        "name": row_comparison.name_row(row.row.id, index),
        "tags": row.row.tags,
        "inputs": [
            (name, row_comparison.shorten_text(value, 600))
            for name, value in row_comparison.list_readable_values(row.row.inputs)
        ],
        "expected": row_comparison.answer_text(row.row.expected),
        "columns": columns,
        "close_url": choice.url(),
        **_list_row_actions(actor, runs, index),
        "edit_url": _edit_url(actor, runs[0], row.row.id),
        "scoring": _build_scoring(actor, runs, index, choice, neighbours["following"]),
        "hide_url": f"{reverse('score-rows', args=[runs[0].number])}?{_build_hidden_query(runs, index)}",
        "place": place + 1 if place is not None else None,
        "of": len(matrix.indexes),
        **{
            f"{side}_url": f"{choice.url(row=neighbour)}#panel" if neighbour is not None else ""
            for side, neighbour in neighbours.items()
        },
    }


def _describe_column(matrix: RunMatrix, row: MatrixRow, place: int) -> dict[str, Any]:
    """The reply of one run, by its place in the matrix, with its differences from the baseline's."""
    run, cell = matrix.runs[place], row.cells[place]
    base_cell = row.cells[matrix.runs.index(matrix.baseline)]
    is_baseline = run.pk == matrix.baseline.pk
    description = describe_cell(cell, matrix.metrics, 2000)
    words: Sequence[Word] = (Word(description["answer"]),)
    if not is_baseline:
        base_answer = row_comparison.answer_text(base_cell.row.actual) if base_cell.row else ""
        words = row_comparison.compare_replies(base_answer, description["answer"])[1]
    detail = run_queries.RunRowDetail(row.index, row.row.id, row.row.inputs, row.row.expected, cell.row)
    judgement = row_comparison.find_row_judgement(detail)
    evidence = _list_evidence(row.row.expected, cell, None if is_baseline else base_cell, matrix.metrics, judgement)
    against = 0 if is_baseline else matrix.baseline.number
    return {
        "run": run,
        **description,
        "words": words,
        "evidence": evidence,
        "has_reasons": any(line["reason"] or line["is_judged"] for line in evidence),
        "is_baseline": is_baseline,
        "url": f"{reverse('run-row', args=[run.number, row.index])}?against={against}",
    }


def _list_evidence(
    expected: Mapping[str, Any] | None,
    cell: MatrixCell,
    base: MatrixCell | None,
    metrics: Sequence[str],
    judgement: Judgement | None,
) -> list[dict[str, Any]]:
    """Each metric of a reply: its score, the baseline's (empty for the baseline itself), and the reason: the judge's if
    it gave one, else the metric's own explanation.
    """
    actual = cell.row.actual if cell.row else None
    reasons = judgement["reasons"] if judgement else {}
    lines = []
    for name in metrics:
        if name not in cell.scores:
            continue
        metric, _, target = name.partition(" ")
        score, before = cell.scores[name], base.scores.get(name) if base else None
        style, icon = CHIP_STYLES[kind] if (kind := read_change(cell.changes.get(name, 0.0))) != "same" else ("", "")
        lines.append(
            {
                "title": title_metric(name),
                "score": score_table.format_score(score, before),
                "before": score_table.format_score(before, score) if base else "",
                "style": style,
                "icon": icon,
                "reason": reasons.get(metric, "")
                if target == "judgement"
                else explain_score(metric, _find_output(expected, target), _find_output(actual, target), score),
                "is_judged": target == "judgement",
            }
        )
    return lines


def _find_output(outputs: Mapping[str, Any] | None, target: str) -> Any:
    """The output with this name; in a chain the name is `component.output`."""
    component, _, name = target.rpartition(".")
    inner = outputs.get(component) if outputs and component else None
    return inner.get(name) if isinstance(inner, Mapping) else (outputs or {}).get(target)


def _edit_url(actor: Actor, run: Run, row_name: str) -> str:
    """The URL of the row in the dataset's grid; empty if the row has no name to search for, or the
    user may not save.
    """
    if run.dataset_version is None or not row_name:
        return ""
    dataset = run.dataset_version.dataset
    path = dataset.name.partition("/")[2]
    if dataset.archived_at is not None or not permissions.is_allowed(actor, Verb.SAVE, dataset.namespace, path):
        return ""
    return f"{reverse('edit-dataset', args=[dataset.name])}?{urlencode({'search': row_name})}"


def _build_hidden_query(runs: Sequence[Run], index: int) -> str:
    return urlencode([*(("with", run.number) for run in runs[1:]), ("hide", 1), ("row", index)])


def _list_row_actions(actor: Actor, runs: Sequence[Run], index: int) -> dict[str, str]:
    """The URLs that add the row to a dataset and open it in the editor; empty if the user may not save."""
    template = runs[0].template
    if not permissions.is_allowed(actor, Verb.SAVE, template.namespace):
        return {"add_url": "", "editor_url": ""}
    others = urlencode([("with", run.number) for run in runs[1:]])
    add = reverse("add-run-row", args=[runs[0].number, index])
    edit = f"{reverse('edit', args=[template.name])}?{urlencode({'row': f'{runs[0].number}.{index}'})}"
    return {"add_url": f"{add}?{others}" if others else add, "editor_url": edit}


def _build_scoring(
    actor: Actor, runs: Sequence[Run], index: int, choice: MatrixChoice, following: int | None
) -> dict[str, Any] | None:
    """The row's score buttons, unless a run is queued; *Save and next* continues with the following row."""
    if any(run.state == Run.QUEUED for run in runs):
        return None
    following_url = f"{choice.url(row=following)}#panel" if following is not None else ""
    back = f"{choice.url(row=index)}#score-form"
    return score_panels.show_score_form(actor, runs, index, back=back, following=following_url)
