"""Cells of the matrix of runs: one run's reply to a row or its failure, and a chip for each score."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from frontend.evaluations import row_comparison, score_table
from registry.evaluations import metric_titles
from registry.evaluations.run_matrix import MatrixCell

__all__ = ["CHIP_STYLES", "describe_cell", "read_change", "title_metric"]

CHIP_STYLES: Mapping[str, tuple[str, str]] = {
    "better": ("ok", "arrow-up-right"),
    "worse": ("bad", "arrow-down-right"),
    "same": ("", "equal"),
}  # look and icon of a difference


def describe_cell(cell: MatrixCell, metrics: Sequence[str], longest: int) -> dict[str, Any]:
    """The context of `_matrix_cell.html`. longest: the number of characters of the reply that are shown."""
    answer = row_comparison.answer_text(cell.row.actual) if cell.row else ""
    return {
        "is_asked": cell.row is not None,
        "problem": cell.row.problem if cell.row else None,
        "model": cell.row.run.model if cell.row else "",
        "answer": answer,
        "text": row_comparison.shorten_text(answer, longest),
        "chips": [_score_chip(name, cell) for name in metrics if name in cell.scores],
        "row": cell.row,
    }


def read_change(change: float) -> str:
    """The key in `CHIP_STYLES` for the change of one row's score."""
    return "worse" if change < -1e-9 else "better" if change > 1e-9 else "same"


def title_metric(name: str) -> str:
    """A metric and its output, `<metric> <target>`, in words."""
    metric, _, target = name.partition(" ")
    return metric_titles.title_metric(metric, target)


def _score_chip(name: str, cell: MatrixCell) -> dict[str, str]:
    """A metric's score of one reply, with an arrow if it differs from the baseline's."""
    change = cell.changes.get(name, 0.0)
    kind = read_change(change)
    style, icon = CHIP_STYLES[kind] if kind != "same" else ("", "")
    score = cell.scores[name]
    better, worse = gettext("better than the baseline"), gettext("worse than the baseline")
    words = {"better": better, "worse": worse, "same": ""}[kind]
    text = "–" if score is None else score_table.format_score(score, score - change)
    return {"title": title_metric(name), "score": text, "style": style, "icon": icon, "words": words}
