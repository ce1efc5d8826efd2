"""The HTML report of a run: a single file without scripts or links, rendered from the template next to this module."""

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from promptuary.evaluation import interval_svg
from promptuary.evaluation.comparison import Comparison, compare_scores
from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.metrics import catalogue
from promptuary.evaluation.results import EvaluationResult, MetricsResult
from promptuary.evaluation.scoring import Score
from promptuary.renderer.syntax import alignment
from promptuary.renderer.syntax.sequence_diff import diff_words

__all__ = ["Segment", "mark_words", "to_html"]

Baseline = tuple[EvaluationResult, Mapping[str, MetricsResult]]
_MAX_ROWS = 50  # rows shown of those that got worse, and of those that failed
_MAX_CHARACTERS = 2_000  # of a cell
_MAX_WORD_STEPS = 50_000  # spent on comparing two cells word by word
_PLOT_NOTE = "The plot is in shares of each metric's range."
_READINGS: dict[interval_svg.Kind, str] = {"better": "Better", "worse": "Worse", "same": "No clear difference"}


class MetricLine(NamedTuple):
    """One metric of one target; `before` and `comparison` are set if there is a baseline. `top` is the best value."""

    metric: str
    target: str
    after: Score
    before: Score | None
    comparison: Comparison | None
    top: float


class Figure(NamedTuple):
    """One cell with a number; `is_main` marks the most important ones."""

    text: str
    is_main: bool = False


class Segment(NamedTuple):
    """A run of text: `mark` is "del" or "ins" if only one of the two texts contains it, else empty."""

    text: str
    mark: str = ""


def to_html(
    title: str,
    result: EvaluationResult,
    metrics: Mapping[str, MetricsResult],
    baseline: Baseline | None = None,
    names: Sequence[str] = (),
) -> str:
    """Render the report of a run: metrics with intervals as table and plot, worst rows, failures.

    Args:
        metrics: the result of `calculate_metrics` by metric.
        baseline: another run on the same inputs with the same metrics. Adds the differences, the rows that got worse
            and the answers of both runs.
        names: the rows' names, in order; a row without one is shown by its number.

    Raises EvaluationError if the baseline ran on other inputs.
    """
    if baseline and baseline[0].inputs_digest != result.inputs_digest:
        raise EvaluationError("the baseline ran on other inputs, so its rows can't be compared with these")
    lines = list(_list_metric_lines(metrics, baseline[1] if baseline else {}))
    return _load_template().render(
        title=title,
        run=_run_facts(result),
        baseline=_run_facts(baseline[0]) if baseline else None,
        **_build_metrics_table(lines),
        **_build_worst_rows(result, lines, baseline, names),
        failures=[
            {"name": _find_row_name(row, names), "kind": error["kind"], "message": _shorten(str(error["message"]))}
            for row, error in islice(result.errors(), _MAX_ROWS)
        ],
    )


def mark_words(before: str, after: str) -> tuple[list[Segment], list[Segment]]:
    """Split both texts into segments: words that only the first has are "del", those that only the second has "ins"."""
    effort = alignment.Effort(_MAX_WORD_STEPS)
    left, right = diff_words(before, after, effort, most_words=_MAX_WORD_STEPS)
    return (
        [Segment(word.text, "del" if word.changed else "") for word in left],
        [Segment(word.text, "ins" if word.changed else "") for word in right],
    )


@functools.cache
def _load_template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string((files(__package__) / "html_report.html").read_text(encoding="utf-8"))


def _run_facts(result: EvaluationResult) -> dict[str, Any]:
    digest = str(result.runnable.get("digest") or "").removeprefix("sha256:")
    return {"name": str(result.runnable.get("name", "")), "digest": digest[:12], "rows": len(result)}


def _list_metric_lines(
    metrics: Mapping[str, MetricsResult], before: Mapping[str, MetricsResult]
) -> Iterator[MetricLine]:
    for metric, targets in metrics.items():
        top = catalogue.find_metric(metric).top if metric in catalogue.list_names() else 1.0
        earlier = before[metric] if metric in before else MetricsResult()
        for target, after in targets.items():
            score = earlier.get(target)
            yield MetricLine(metric, target, after, score, compare_scores(score, after) if score else None, top)


def _build_metrics_table(lines: Sequence[MetricLine]) -> dict[str, Any]:
    has_baseline = any(line.comparison for line in lines)
    axis = _draw_difference_axis(lines) if has_baseline else interval_svg.build_score_axis()
    return {
        "metrics": [
            _build_compared_metric(line, axis) if has_baseline else _build_metric(line, axis) for line in lines
        ],
        "metric_columns": (
            ["Metric", "Before", "After", "Difference", "95 % interval"] if has_baseline else ["Metric", "Score"]
        ),
        "plot_head": "worse, better" if has_baseline else "Plot",
        "plot_note": (
            f"Paired by row. No winner is named while an interval holds zero. {_PLOT_NOTE}"
            if has_baseline
            else _PLOT_NOTE
        ),
        "ticks": _mark_as_safe(interval_svg.draw_ticks(axis)),
    }


def _draw_difference_axis(lines: Sequence[MetricLine]) -> interval_svg.Axis:
    return interval_svg.build_difference_axis(
        limit / line.top
        for line in lines
        if line.comparison
        for limit in (line.comparison.difference, line.comparison.low, line.comparison.high)
        if limit is not None
    )


def _list_metric_facts(line: MetricLine) -> dict[str, Any]:
    target = "" if line.target in ("", "answer") else f" {line.target}"
    return {"name": line.metric + target, "scored": f"{line.after['scored']} of {line.after['of']} scored"}


def _build_metric(line: MetricLine, axis: interval_svg.Axis) -> dict[str, Any]:
    value = line.after["score"]
    plot = interval_svg.draw_interval(axis, None if value is None else value / line.top, None, None)
    return {
        **_list_metric_facts(line),
        "figures": [Figure(_format_figure(value))],
        "plot": _mark_as_safe(plot),
        "reading": "",
    }


def _build_compared_metric(line: MetricLine, axis: interval_svg.Axis) -> dict[str, Any]:
    difference, low, high, kind = _read_comparison(line.comparison)
    shares = [None if value is None else value / line.top for value in (difference, low, high)]
    return {
        **_list_metric_facts(line),
        "figures": [
            Figure(_format_figure(line.before["score"] if line.before else None)),
            Figure(_format_figure(line.after["score"]), is_main=True),
            Figure(_format_signed(difference), is_main=True),
            Figure("none" if low is None else f"{_format_signed(low)} to {_format_signed(high)}"),
        ],
        "plot": _mark_as_safe(interval_svg.draw_interval(axis, shares[0], shares[1], shares[2], kind)),
        "kind": kind,
        "reading": _READINGS[kind],
    }


def _read_comparison(
    comparison: Comparison | None,
) -> tuple[float | None, float | None, float | None, interval_svg.Kind]:
    if comparison is None:
        return None, None, None, "same"
    kind: interval_svg.Kind = "same"
    if comparison.winner:
        kind = "better" if comparison.winner == "second" else "worse"
    return comparison.difference, comparison.low, comparison.high, kind


def _build_worst_rows(
    result: EvaluationResult, lines: Sequence[MetricLine], baseline: Baseline | None, names: Sequence[str]
) -> dict[str, Any]:
    """The rows that lost most on any metric; without a baseline, those that scored lowest."""
    drops: dict[int, tuple[float, str]] = {}
    for line in lines:
        for row, value in enumerate(line.after["individual_scores"]):
            score = line.before["individual_scores"][row] if line.before else line.top
            if value is not None and score is not None and (drop := (value - score) / line.top) < 0:
                drops[row] = min(drops.get(row, (0.0, "")), (drop, line.metric))
    worst = sorted(drops, key=lambda row: (drops[row][0], row))[:_MAX_ROWS]
    after = _pick_rows(result, worst)
    before = _pick_rows(baseline[0], worst) if baseline else {}
    return {
        "worst": [
            {
                "name": _find_row_name(row, names),
                "drop": _format_signed(drops[row][0]),
                "metric": drops[row][1],
                **_build_row_texts(after[row], before.get(row)),
            }
            for row in worst
        ],
        "worse_count": len(drops),
        "row_columns": ["Row", "Inputs", "Expected", *(("Before", "After") if baseline else ("Came",))],
    }


def _build_row_texts(after: Mapping[str, Any], before: Mapping[str, Any] | None) -> dict[str, Any]:
    answer = _answer_text(after["actual"])
    texts = mark_words(_answer_text(before["actual"]), answer) if before else ([], [Segment(answer)])
    return {
        "inputs": _answer_text(after["inputs"], whole=True),
        "expected": _answer_text(after["expected"]),
        "before": texts[0],
        "after": texts[1],
    }


def _pick_rows(result: EvaluationResult, rows: Sequence[int]) -> dict[int, dict[str, Any]]:
    indexes = frozenset(rows)
    return {index: row for index, row in enumerate(result.rows()) if index in indexes}


def _answer_text(outputs: Any, *, whole: bool = False) -> str:
    """The answer among the outputs as text, or all outputs if none is the answer."""
    if outputs is None:
        return ""
    if isinstance(outputs, Mapping) and not whole and isinstance(outputs.get("answer"), str):
        return _shorten(outputs["answer"])
    if isinstance(outputs, Mapping) and len(outputs) == 1:
        outputs = next(iter(outputs.values()))
    return _shorten(outputs if isinstance(outputs, str) else json.dumps(outputs, ensure_ascii=False))


def _shorten(text: str) -> str:
    if len(text) <= _MAX_CHARACTERS:
        return text
    return f"{text[:_MAX_CHARACTERS]} … ({len(text) - _MAX_CHARACTERS:,} more)"


def _find_row_name(row: int, names: Sequence[str]) -> str:
    return names[row] if row < len(names) and names[row] else f"row {row + 1}"


def _mark_as_safe(drawing: str) -> Markup:
    return Markup(drawing)  # noqa: S704  # made of our own shapes and of numbers


def _format_figure(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def _format_signed(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{'+' if value > 0 else chr(0x2212) if value < 0 else ''}{abs(value):.3g}"
