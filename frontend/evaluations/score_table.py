"""The score table of a run: a row for each metric with its interval, alone or compared with another run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from promptuary.evaluation import gates, interval_svg
from promptuary.evaluation.decimals import count_change_decimals, count_decimals
from promptuary.evaluation.metrics import catalogue
from registry.core import lru
from registry.evaluations import attachment_queries, run_queries
from registry.evaluations.metric_titles import title_metric
from registry.evaluations.models import Run
from registry.evaluations.run_queries import RunComparison

__all__ = [
    "ScoreRow",
    "ScoreTable",
    "find_baseline",
    "find_best_score",
    "format_change",
    "format_score",
    "list_gate_results",
    "score_table",
    "to_shares",
]

_READINGS: dict[str, tuple[str | Promise, str, str]] = {
    "better": (gettext_lazy("Better"), "ok", "arrow-up-right"),
    "worse": (gettext_lazy("Worse"), "bad", "arrow-down-right"),
    "same": (gettext_lazy("No clear difference"), "", "equal"),
}


@dataclass(frozen=True)
class ScoreRow:
    """One metric of one output. If there is another run, `compared` holds the comparison and `kind` its reading."""

    metric: str
    target: str
    score: float | None
    scored: int
    of: int
    low: float | None
    high: float | None
    top: float
    compared: RunComparison | None
    before: float | None
    kind: interval_svg.Kind
    plot: interval_svg.Drawing

    @property
    def key(self) -> str:
        """The key of the row's scores."""
        return f"{self.metric} {self.target}"

    @property
    def title(self) -> str:
        """The display name of the metric."""
        return title_metric(self.metric)

    @property
    def of_output(self) -> str:
        """The name of its output, empty for the answer and the judgement."""
        return "" if self.target in ("answer", "judgement") else self.target

    @property
    def formatted(self) -> str:
        return format_score(self.score, self.before)

    @property
    def formatted_before(self) -> str:
        return format_score(self.before, self.score)

    @property
    def difference(self) -> str:
        return format_change(self.compared.comparison.difference if self.compared else None)

    @property
    def interval(self) -> str:
        """The 95 % interval: around the difference if there is one, else around the score."""
        if self.compared:
            low, high = self.compared.comparison.low, self.compared.comparison.high
            if low is None:
                return gettext("too few pairs")
            return gettext("{low} to {high}").format(low=format_change(low), high=format_change(high))
        if self.low is None:
            return gettext("too few rows")
        return gettext("{low} to {high}").format(low=format_score(self.low), high=format_score(self.high))

    @property
    def reading(self) -> tuple[str, str, str]:
        """The word, its look, its icon."""
        word, look, icon = _READINGS[self.kind]
        return str(word), look, icon


@dataclass(frozen=True)
class ScoreTable:
    """All lines of a run on one axis; `pairs` is the most rows compared for one metric."""

    lines: tuple[ScoreRow, ...]
    axis: interval_svg.Axis
    against: Run | None
    pairs: int

    @property
    def worse(self) -> int:
        """How many metrics are significantly worse."""
        return sum(line.kind == "worse" for line in self.lines)


def score_table(run: Run, against: Run | None) -> ScoreTable:
    """The run's scores, compared with another finished run over the same rows if there is one."""
    rows_found = []
    for metric, targets in run.scores.items():
        top = find_best_score(metric)
        for target, scored in targets.items():
            baseline_score = against.scores.get(metric, {}).get(target) if against else None
            compared = (
                _compare_metric(_read_ends(against), _read_ends(run), metric, target)
                if against and baseline_score
                else None
            )
            rows_found.append((metric, target, scored, top, baseline_score, compared))
    differences = [share for *_, top, _held, compared in rows_found for share in to_shares(_list_bounds(compared), top)]
    axis = interval_svg.build_difference_axis(differences) if against else interval_svg.build_score_axis()
    lines = []
    for metric, target, scored, top, baseline_score, compared in rows_found:
        kind = _choose_kind(compared)
        marks = _list_bounds(compared) if against else [scored["score"], scored.get("low"), scored.get("high")]
        value, low, high = to_shares(marks, top)
        lines.append(
            ScoreRow(
                metric,
                target,
                scored["score"],
                scored["scored"],
                scored["of"],
                scored.get("low"),
                scored.get("high"),
                top,
                compared,
                baseline_score["score"] if baseline_score else None,
                kind,
                interval_svg.build_drawing(axis, value, low, high, kind),
            )
        )
    pairs = max((line.compared.comparison.n for line in lines if line.compared), default=0)
    return ScoreTable(tuple(lines), axis, against, pairs)


def find_best_score(metric: str) -> float:
    """The best possible score of a metric; 1 if the catalogue doesn't contain it."""
    return catalogue.find_metric(metric).top if metric in catalogue.list_names() else 1.0


def to_shares(values: Iterable[float | None], top: float) -> list[float | None]:
    """Scores or differences as shares of the best score, so that all metrics fit on one axis."""
    return [None if value is None else value / top for value in values]


def find_baseline(run: Run, live: int | None, requested: int | None) -> tuple[Run | None, list[Run]]:
    """The run to compare this one with, and all candidates.

    The requested one; else, of the same template and model, the newest of the live version, else the newest of another
    version. requested=0 disables the comparison.
    """
    choices = run_queries.list_comparable_runs(run)
    if requested is not None:
        return next((candidate for candidate in choices if candidate.number == requested), None), choices
    alike = [
        candidate
        for candidate in choices
        if candidate.template_id == run.template_id and candidate.model_digest == run.model_digest
    ]
    other_versions = [candidate for candidate in alike if candidate.version_id != run.version_id]
    on_live = [candidate for candidate in other_versions if candidate.version.number == live]
    return next(iter([*on_live, *other_versions]), None), choices


def format_score(value: float | None, *beside: float | None) -> str:
    """A localized score: two decimals below 10, one above, and more if a figure next to it differs from it and would
    look equal.
    """
    if value is None:
        return gettext("none")
    digits = count_decimals((value, *beside))
    return number_format(f"{value:.{digits}f}", digits)


def format_change(value: float | None) -> str:
    """A difference with a typographic sign. Only no difference is shown as 0.00."""
    if value is None:
        return gettext("none")
    digits = count_change_decimals(value)
    text = number_format(f"{abs(value):.{digits}f}", digits)
    return text if not text.strip("0.,") else f"{'+' if value > 0 else chr(0x2212)}{text}"


_Ends = tuple[int, datetime | None]


def _read_ends(run: Run | None) -> _Ends:
    return (run.number, run.finished_at) if run else (0, None)


@lru_cache(maxsize=256)
def _compare_metric(before: _Ends, after: _Ends, metric: str, target: str) -> RunComparison | None:
    """Cached by end time: a finished run changes only if it is rerun, which changes its end."""
    first, second = run_queries.load_run(before[0]), run_queries.load_run(after[0])
    if first is None or second is None or {first.state, second.state} != {Run.DONE}:
        return None
    return run_queries.compare_runs(first, second, metric, target)


lru.register_cache(_compare_metric.cache_clear)


def _list_bounds(compared: RunComparison | None) -> Sequence[float | None]:
    if compared is None:
        return (None, None, None)
    comparison = compared.comparison
    return (comparison.difference, comparison.low, comparison.high)


def _choose_kind(compared: RunComparison | None) -> Literal["better", "worse", "same"]:
    if compared is None or compared.comparison.winner is None:
        return "same"
    return "better" if compared.comparison.winner == "second" else "worse"


def list_gate_results(run: Run, board: ScoreTable) -> list[dict[str, Any]]:
    """How the run would score on the thresholds of its template's evaluations with exactly these rows.

    The baseline of a change request isn't subject to thresholds.
    """
    if run.change is not None and run.change.version_id != run.version_id:
        return []
    results = []
    for plan in attachment_queries.list_plans_of_template(run.template):
        if run.state != Run.DONE or not plan.measures(run):
            continue
        for text in plan.gates:
            gate = gates.parse_gate(text)
            lines = [line for line in board.lines if line.metric == gate.metric and gate.output in (None, line.target)]
            results += [_build_gate_result(plan.name, gate, line) for line in lines]
    return results


def _build_gate_result(name: str, gate: gates.Gate, line: ScoreRow) -> dict[str, Any]:
    facts = {"name": name, "gate": str(gate), "title": line.title}
    if gate.floor is not None:
        finding = gettext("{score}, and at least {floor} is asked for.")
        score = format_score(line.score, gate.floor)
        return {
            **facts,
            "passed": line.score is not None and gate.passes(line.score, None),
            "finding": finding.format(score=score, floor=number_format(f"{gate.floor:g}")),
        }
    if line.before is None or line.score is None:
        return {**facts, "passed": None, "finding": gettext("There is no run to compare it with yet.")}
    lowest = gate.find_lowest(line.before)
    finding = gettext("{score} after {before}, and at most {fall} less is allowed.")
    score = format_score(line.score, line.before, lowest)
    before = format_score(line.before, line.score, lowest)
    words = finding.format(score=score, before=before, fall=number_format(f"{gate.fall:g}"))
    return {**facts, "passed": gate.passes(line.score, line.before), "finding": words}
