"""Ranking metrics of retrieved documents, by the formulas of trec_eval.

Each function returns one value in 0..1 per row. Documents are identified by `field`, by default `id`. A document that
occurs twice counts at its first rank only; the second occurrence still takes up a rank. `k` limits the metric to the
first k documents. The tests check these values against ir-measures and haystack-ai, which take twenty times as long per
row.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import accumulate, islice
from operator import itemgetter, truediv
from typing import Any

from promptuary.evaluation.errors import EvaluationError, MetricError
from promptuary.evaluation.metrics.row_values import list_document_keys, list_gold_gains

__all__ = ["average_precision", "ndcg", "precision", "recall_multi_hit", "recall_single_hit", "reciprocal_rank"]

Columns = tuple[Sequence[Any], Sequence[Any], Sequence[int]]
Values = tuple[None, list[float]]
Keys = list[str | None]  # None: a document without the field, which equals no other


def recall_single_hit(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """1 when any expected document was retrieved (trec_eval: success)."""
    return _measure_by_row(
        lambda relevant, retrieved: float(not relevant.isdisjoint(retrieved)), (expected, actual, rows), field, k
    )


def recall_multi_hit(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """The share of distinct expected documents that were retrieved (trec_eval: set_recall)."""
    return _measure_by_row(
        lambda relevant, retrieved: len(relevant.intersection(retrieved)) / len(relevant),
        (expected, actual, rows),
        field,
        k,
    )


def precision(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """The share of retrieved documents that were expected (trec_eval: set_P); 0 when none was retrieved."""
    return _measure_by_row(
        lambda relevant, retrieved: len(relevant.intersection(retrieved)) / len(retrieved) if retrieved else 0.0,
        (expected, actual, rows),
        field,
        k,
    )


def reciprocal_rank(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """1 / rank of the first expected document, 0 when there is none (trec_eval: recip_rank)."""
    cutoff, get = _check_k(k), itemgetter(field)
    values = [
        _find_first_hit(_list_expected_keys(gold, field, row, get), documents, field, row, cutoff)
        for gold, documents, row in zip(expected, actual, rows, strict=True)
    ]
    return _check_values(values, actual, rows, field)


def average_precision(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """Precision at each hit, summed, over the number of distinct expected documents (trec_eval: map)."""
    return _measure_by_row(_compute_average_precision, (expected, actual, rows), field, k)


def ndcg(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """Sum of gain / log2(rank + 1) over the best possible sum (Järvelin and Kekäläinen 2002, linear gain).

    Gains are the expected documents' scores, or 1 each.
    """
    if not any(map(_is_graded, expected)):
        return _measure_by_row(partial(_sum_equal_gains, cutoff=_check_k(k)), (expected, actual, rows), field, k)
    cutoff, get = _check_k(k), itemgetter(field)
    values = [
        _sum_gains(list_gold_gains(gold, field, row), _list_keys(documents, field, row, get)[:cutoff], cutoff)
        for gold, documents, row in zip(expected, actual, rows, strict=True)
    ]
    return _check_values(values, actual, rows, field)


def _is_graded(gold: Any) -> bool:
    scored = [isinstance(document, dict) and document.get("score") is not None for document in gold]
    return any(scored)  # for a few documents a list is faster than a generator


def _measure_by_row(measure: Callable[[set[str], Keys], float], columns: Columns, field: str, k: int | None) -> Values:
    """Measure row by row without keeping intermediate results, which halves the time for many rows."""
    cutoff, get = _check_k(k), itemgetter(field)
    expected, actual, rows = columns
    values = []
    for gold, documents, row in zip(expected, actual, rows, strict=True):
        retrieved = _list_keys(documents, field, row, get)
        values.append(
            measure(_list_expected_keys(gold, field, row, get), retrieved if cutoff is None else retrieved[:cutoff])
        )
    return _check_values(values, actual, rows, field)


def _check_values(values: list[float], actual: Sequence[Any], rows: Sequence[int], field: str) -> Values:
    """The values. Raises if no document has the field and nothing was found."""
    if not any(values) and any(actual):
        retrieved = [list_document_keys(documents, field, row) for documents, row in zip(actual, rows, strict=True)]
        if not any(key is not None for keys in retrieved for key in keys):
            raise EvaluationError(f"no retrieved document has {field!r} to compare by")
    return None, values


def _list_keys(documents: Any, field: str, row: int, get: Callable[[Any], Any]) -> Keys:
    """Keys of documents. Mappings with text at the field, the usual case, take no function call per document."""
    try:
        keys: Keys = list(map(get, documents))
        "".join(keys)  # type: ignore[arg-type]  # the quickest way to learn that each is text
    except (TypeError, KeyError):
        return list_document_keys(documents, field, row)  # plain keys, numbers, nested or missing fields
    return keys or list_document_keys(documents, field, row)


def _list_expected_keys(gold: Any, field: str, row: int, get: Callable[[Any], Any]) -> set[str]:
    try:
        relevant = set(map(get, gold))
        "".join(relevant)  # as in `_list_keys`
    except (TypeError, KeyError):
        relevant = {key for key in list_document_keys(gold, field, row) if key is not None}
    if not relevant:
        raise EvaluationError(f"row {row + 1}: no expected document has {field!r} to compare by")
    return relevant


def _find_first_hit(relevant: set[str], documents: Any, field: str, row: int, cutoff: int | None) -> float:
    """The reciprocal rank, reading only up to the first hit if the keys are text."""
    rank = 0
    try:
        for key in map(itemgetter(field), islice(documents, cutoff)):
            rank += 1  # enumerate takes a third longer here
            if type(key) is not str:
                break
            if key in relevant:
                return 1 / rank
        else:
            if rank:
                return 0.0
    except (TypeError, KeyError):
        pass  # as in `_list_keys`
    return _compute_reciprocal_rank(relevant, list_document_keys(documents, field, row)[:cutoff])


def _compute_reciprocal_rank(relevant: set[str], retrieved: Keys) -> float:
    rank = 0
    for key in retrieved:
        rank += 1  # noqa: SIM113  # enumerate takes a third longer here
        if key in relevant:
            return 1 / rank
    return 0.0


def _compute_average_precision(relevant: set[str], retrieved: Keys) -> float:
    total, of, hits, rank = 0.0, len(relevant), 0, 0
    for key in retrieved:
        rank += 1  # noqa: SIM113  # as above
        if key in relevant:
            hits += 1
            total += hits / rank
            if hits == of:
                break
            relevant.remove(key)  # a duplicate earns nothing
    return total / of


def _sum_gains(gains: dict[str, float], retrieved: Keys, cutoff: int | None) -> float:
    best = sorted(gains.values(), reverse=True)[:cutoff]
    ideal = sum(map(truediv, best, _compute_discounts(len(gains))))
    total = 0.0
    for key, discount in zip(retrieved, _compute_discounts(len(retrieved)), strict=False):
        if key in gains:
            total += gains.pop(key) / discount  # a duplicate earns nothing
    return total / ideal if ideal else 0.0


def _sum_equal_gains(relevant: set[str], retrieved: Keys, *, cutoff: int | None) -> float:
    """What `_sum_gains` returns if the gain of each expected document is 1."""
    if relevant.isdisjoint(retrieved):
        return 0.0
    ideal = _compute_sums(len(relevant))[-1 if cutoff is None else min(cutoff, len(relevant)) - 1]
    total = 0.0
    for key, discount in zip(retrieved, _compute_discounts(len(retrieved)), strict=False):
        if key in relevant:
            total += 1.0 / discount
            relevant.remove(key)  # a duplicate earns nothing
            if not relevant:
                break
    return total / ideal


@lru_cache(maxsize=256)
def _compute_discounts(ranks: int) -> tuple[float, ...]:
    """log2(rank + 1) for the first ranks."""
    return tuple(math.log2(rank + 1) for rank in range(1, ranks + 1))


@lru_cache(maxsize=256)
def _compute_sums(ranks: int) -> tuple[float, ...]:
    """Cumulative sums of gains of 1 at all ranks."""
    return tuple(accumulate(1.0 / discount for discount in _compute_discounts(ranks)))


def _check_k(k: object) -> int | None:
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise MetricError("k is a whole number from 1, or None for all")
    return k
