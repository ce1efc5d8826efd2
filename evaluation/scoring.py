"""Scoring rows with a metric: one overall value, one per row, and how many rows could be scored."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from promptuary.evaluation.errors import EvaluationError, MetricError
from promptuary.evaluation.metrics import catalogue
from promptuary.evaluation.metrics.row_values import has_gold

__all__ = ["Score", "score"]

NoGold = Literal["skip"] | float


class Score(TypedDict):
    """`score` is None if no row could be scored; in `individual_scores`, rows that were not scored are None."""

    score: float | None
    individual_scores: list[float | None]
    scored: int
    of: int


def score(
    metric: str, expected: Sequence[Any], actual: Sequence[Any], *, no_gold: NoGold = "skip", **options: Any
) -> Score:
    """Compare expected with actual values, row by row.

    Args:
        metric: a name of `Metric`. expected: a row's acceptable answer or answers, or its relevant documents. None or
        [] means no gold. actual: an answer or a list of answers, or ranked documents. None means the row
        failed and is not scored. no_gold: the score of a row without a gold: "skip" leaves it out, 0.0 and 1.0 count it
        as that. options: the metric's own, such as `field` and `k` for documents.

    Raises:
        EvaluationError: not lists, different lengths, or a row of the wrong shape (named, counted from 1).
    """
    if any(isinstance(rows, str | Mapping) or not isinstance(rows, Sequence) for rows in (expected, actual)):
        raise EvaluationError("expected and actual are lists, an item a row")
    if len(expected) != len(actual):
        raise EvaluationError(f"expected has {len(expected)} rows and actual has {len(actual)}; they must be as many")
    if no_gold != "skip" and no_gold not in (0.0, 1.0):
        raise MetricError('no_gold is "skip", 0.0 or 1.0')
    definition = catalogue.find_metric(metric)
    catalogue.check_options(definition, options)
    values: list[float | None] = [None] * len(actual)
    rows: Sequence[int] = range(len(actual))
    if None in actual:
        rows = [row for row in rows if actual[row] is not None]
    wants_gold = definition.needs_gold and "pattern" not in options
    if wants_gold and not (all(expected) or all(map(has_gold, expected))):
        without = [row for row in rows if not has_gold(expected[row])]
        for row in without:
            values[row] = None if no_gold == "skip" else float(no_gold) * definition.top
        rows = sorted(set(rows) - set(without))
    corpus = _fill(definition, expected, actual, rows, values, options)
    numbers = [value for value in values if value is not None] if None in values else cast("list[float]", values)
    mean = sum(numbers) / len(numbers) if numbers else None
    # A corpus value covers the compared rows only; if rows without a gold count too, the score is a plain mean.
    total = corpus if corpus is not None and len(numbers) == len(rows) else mean
    return {"score": total, "individual_scores": values, "scored": len(numbers), "of": len(values)}


def _fill(
    definition: catalogue.Definition,
    expected: Sequence[Any],
    actual: Sequence[Any],
    rows: Sequence[int],
    values: list[float | None],
    options: dict[str, Any],
) -> float | None:
    if definition.by_row is not None:
        for row in rows:
            values[row] = definition.by_row(expected[row], actual[row], row, **options)
        return None
    if definition.by_corpus is None or not rows:
        return None
    if len(rows) == len(actual):
        total, values[:] = definition.by_corpus(expected, actual, rows, **options)
        return total
    total, row_values = definition.by_corpus([expected[r] for r in rows], [actual[r] for r in rows], rows, **options)
    for row, value in zip(rows, row_values, strict=True):
        values[row] = value
    return total
