"""Comparison of two runs on the same inputs: each row better, worse or the same, and whether that is significant."""

from dataclasses import dataclass
from typing import Any, Literal

from promptuary.evaluation.errors import EvaluationError
from promptuary.evaluation.optional import import_optional
from promptuary.evaluation.results import EvaluationResult
from promptuary.evaluation.scoring import Score

__all__ = ["Comparison", "compare", "compare_scores"]

Verdict = Literal["better", "worse", "same"]
_SAME = 1e-9
_RESAMPLES = 9_999
_DRAWS_AT_ONCE = 1_000_000  # keeps the resamples in memory under 16 MB


@dataclass(frozen=True)
class Comparison:
    """The second run compared with the first.

    `difference` is the mean of (second minus first) over the `n` rows that both could score; `low` and `high` are the
    paired bootstrap interval around it. `winner` is None while the interval contains zero. In `rows`, a row that could
    not be scored on both sides is None.
    """

    n: int
    better: int
    worse: int
    same: int
    difference: float | None
    low: float | None
    high: float | None
    level: float
    winner: Literal["first", "second"] | None
    rows: tuple[Verdict | None, ...]


def compare(first: EvaluationResult, second: EvaluationResult, metric: str, **options: Any) -> dict[str, Comparison]:
    """Compare by target. Refuses results on other inputs. Takes the options of `calculate_metrics`."""
    if first.inputs_digest != second.inputs_digest:
        raise EvaluationError("the two results ran on different inputs, so their rows can't be set side by side")
    before, after = first.calculate_metrics(metric, **options), second.calculate_metrics(metric, **options)
    return {target: compare_scores(before[target], after[target]) for target in before if target in after}


def compare_scores(first: Score, second: Score, *, level: float = 0.95, seed: int = 0) -> Comparison:
    """Compare two scores row by row; the interval is the percentile bootstrap over paired rows, 9,999 resamples."""
    pairs = list(zip(first["individual_scores"], second["individual_scores"], strict=True))
    rows = tuple(None if a is None or b is None else _choose_verdict(b - a) for a, b in pairs)
    differences = [b - a for a, b in pairs if a is not None and b is not None]
    low, high = _compute_interval(differences, level, seed)
    winner: Literal["first", "second"] | None = None
    if low is not None and high is not None and (low > 0 or high < 0):
        winner = "second" if low > 0 else "first"
    return Comparison(
        n=len(differences),
        better=rows.count("better"),
        worse=rows.count("worse"),
        same=rows.count("same"),
        difference=sum(differences) / len(differences) if differences else None,
        low=low,
        high=high,
        level=level,
        winner=winner,
        rows=rows,
    )


def _choose_verdict(difference: float) -> Verdict:
    if abs(difference) <= _SAME:
        return "same"
    return "better" if difference > 0 else "worse"


def _compute_interval(differences: list[float], level: float, seed: int) -> tuple[float | None, float | None]:
    """The percentile interval of `scipy.stats.bootstrap`, draw for draw. scipy itself would cost 140 MB of disk, and 70
    MB of memory in each process that imports it.
    """
    if len(differences) < 2:
        return None, None
    if max(differences) - min(differences) <= _SAME:
        return differences[0], differences[0]  # no spread to resample
    numpy = import_optional("numpy", extra="evaluation")
    values, rng = numpy.asarray(differences), numpy.random.default_rng(seed)
    batch = max(1, _DRAWS_AT_ONCE // len(values))
    means = [
        values[rng.integers(0, len(values), (min(batch, _RESAMPLES - drawn), len(values)))].mean(axis=1)
        for drawn in range(0, _RESAMPLES, batch)
    ]
    low, high = numpy.quantile(numpy.concatenate(means), ((1 - level) / 2, (1 + level) / 2))
    return float(low), float(high)
