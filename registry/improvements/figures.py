"""Figures of a measured improvement: each metric before and after, by rows that the model saw and rows that it did not.

Gains on the rows that a proposal was made from say little, as a text can be fitted to them. The rows that the model did
not see show whether it helps.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from promptuary.evaluation import Comparison, compare_scores
from promptuary.evaluation.scoring import Score
from registry.evaluations.models import Run, RunRow
from registry.improvements.models import Improvement

__all__ = ["GROUPS", "GroupFigures", "ImprovementFigures", "MetricFigures", "measure_improvement"]

Group = Literal["unseen", "seen", "all"]
GROUPS: tuple[Group, ...] = ("unseen", "seen", "all")
_FEW_ROWS = 10  # with fewer rows a figure says little
_EQUAL = 1e-9
_RowScores = Mapping[int, Mapping[str, float | None]]


@dataclass(frozen=True)
class MetricFigures:
    """One metric of one output on a group of rows. before and after: means of the rows that both runs scored, None
    without such rows. comparison: of the second with the first, with the 95 % interval of the difference.
    """

    metric: str
    target: str
    before: float | None
    after: float | None
    comparison: Comparison

    @property
    def reading(self) -> str:
        """`better` or `worse` if the interval excludes zero, else `unclear`."""
        return {"second": "better", "first": "worse"}.get(self.comparison.winner or "", "unclear")


@dataclass(frozen=True)
class GroupFigures:
    """The rows of a group. failed_before and failed_after: those that got no answer; better and worse: rows with any
    metric that rose or fell, or that gained or lost their answer.
    """

    group: Group
    rows: int
    failed_before: int
    failed_after: int
    better: int
    worse: int
    metrics: tuple[MetricFigures, ...]


@dataclass(frozen=True)
class ImprovementFigures:
    """The figures of each group, in the order of `GROUPS`."""

    groups: tuple[GroupFigures, ...]

    def of(self, group: str) -> GroupFigures:
        """The figures of one group."""
        return next(figures for figures in self.groups if figures.group == group)

    @property
    def is_no_improvement(self) -> bool:
        """Whether no row got better."""
        return self.of("all").better == 0

    @property
    def is_only_on_seen(self) -> bool:
        """Whether rows got better, but none of those that the model did not see."""
        return not self.is_no_improvement and self.of("unseen").better == 0

    @property
    def has_few_unseen(self) -> bool:
        """Whether the rows that the model did not see are too few to say much."""
        return self.of("unseen").rows < _FEW_ROWS


def measure_improvement(improvement: Improvement) -> ImprovementFigures | None:
    """The figures of the proposal's run against the original run; None until the proposal's run is done."""
    after = improvement.measurement
    if after is None or after.state != Run.DONE:
        return None
    before = improvement.run
    outcomes = _read_outcomes(before), _read_outcomes(after)
    shown_rows = set(improvement.shown_rows)
    everything = range(before.total)
    indexes: Mapping[Group, Sequence[int]] = {
        "unseen": [index for index in everything if index not in shown_rows],
        "seen": [index for index in everything if index in shown_rows],
        "all": list(everything),
    }
    return ImprovementFigures(tuple(_measure_group(group, indexes[group], *outcomes) for group in GROUPS))


@dataclass(frozen=True)
class _Outcomes:
    """The outcomes of a run's rows, by index."""

    scores: _RowScores
    failed: frozenset[int]


def _read_outcomes(run: Run) -> _Outcomes:
    columns = RunRow.objects.filter(run=run).values_list("index", "is_failed", "scores_text")
    rows = [(index, is_failed, json.loads(text)) for index, is_failed, text in columns]
    return _Outcomes(
        {index: scores for index, _, scores in rows}, frozenset(index for index, is_failed, _ in rows if is_failed)
    )


def _measure_group(group: Group, indexes: Sequence[int], before: _Outcomes, after: _Outcomes) -> GroupFigures:
    names = dict.fromkeys(name for run in (before, after) for scores in run.scores.values() for name in scores)
    marks = [_compare_row(index, before, after) for index in indexes]
    return GroupFigures(
        group,
        len(indexes),
        len(before.failed & set(indexes)),
        len(after.failed & set(indexes)),
        sum(rose for rose, _ in marks),
        sum(fell for _, fell in marks),
        tuple(_measure_metric(name, indexes, before, after) for name in names),
    )


def _compare_row(index: int, before: _Outcomes, after: _Outcomes) -> tuple[bool, bool]:
    """Whether any figure of the row rose, and whether any fell."""
    was, now = before.scores.get(index, {}), after.scores.get(index, {})
    pairs = [(was.get(name), now.get(name)) for name in {*was, *now}]
    changes = [second - first for first, second in pairs if first is not None and second is not None]
    answered = (index in before.failed) - (index in after.failed)
    rose = answered > 0 or any(change > _EQUAL for change in changes)
    return rose, answered < 0 or any(change < -_EQUAL for change in changes)


def _measure_metric(name: str, indexes: Sequence[int], before: _Outcomes, after: _Outcomes) -> MetricFigures:
    metric, _, target = name.partition(" ")
    pairs = [(before.scores.get(index, {}).get(name), after.scores.get(index, {}).get(name)) for index in indexes]
    both = [(first, second) for first, second in pairs if first is not None and second is not None]
    comparison = compare_scores(_score([first for first, _ in both]), _score([second for _, second in both]))
    return MetricFigures(
        metric,
        target,
        _compute_mean([first for first, _ in both]),
        _compute_mean([second for _, second in both]),
        comparison,
    )


def _score(values: list[float]) -> Score:
    return Score(score=_compute_mean(values), individual_scores=list(values), scored=len(values), of=len(values))


def _compute_mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
