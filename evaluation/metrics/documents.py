"""Ranked documents compared with the documents that should be among them: the formulas of trec_eval.

Each value is in 0..1, and each function gives one a row. Documents are told apart by `field`, `id` unless said otherwise. A
document that comes twice counts at its first place only, and the second keeps its rank. `k` looks at the first k alone.
The tests hold these values to those that ir-measures and haystack-ai give; calling either per row took twenty times as long.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import truediv
from typing import Any

from evaluation.errors import MetricError
from evaluation.metrics.rows import document_keys, gold_gains

__all__ = ["average_precision", "ndcg", "precision", "recall_multi_hit", "recall_single_hit", "reciprocal_rank"]

Columns = tuple[Sequence[Any], Sequence[Any], Sequence[int]]
Values = tuple[None, list[float]]
Keys = list[str]


def recall_single_hit(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """1 when any expected document was retrieved (trec_eval: success)."""
    return _by_row(lambda wanted, found: float(not wanted.isdisjoint(found)), (expected, actual, rows), field, k)


def recall_multi_hit(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """The share of distinct expected documents that were retrieved (trec_eval: set_recall)."""
    return _by_row(
        lambda wanted, found: len(wanted.intersection(found)) / len(wanted), (expected, actual, rows), field, k
    )


def precision(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """The share of retrieved documents that were expected (trec_eval: set_P); 0 when none was retrieved."""
    return _by_row(
        lambda wanted, found: len(wanted.intersection(found)) / len(found) if found else 0.0,
        (expected, actual, rows),
        field,
        k,
    )


def reciprocal_rank(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """1 / rank of the first expected document, 0 when there is none (trec_eval: recip_rank)."""
    return _by_row(_reciprocal_rank, (expected, actual, rows), field, k)


def average_precision(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """Precision at each hit, summed, over the number of distinct expected documents (trec_eval: map)."""
    return _by_row(_average_precision, (expected, actual, rows), field, k)


def ndcg(
    expected: Sequence[Any], actual: Sequence[Any], rows: Sequence[int], *, field: str = "id", k: int | None = None
) -> Values:
    """Sum of gain / log2(rank + 1) over the best possible sum (Järvelin and Kekäläinen 2002, linear gain).

    Gains are the expected documents' scores, or 1 each.
    """
    most = _check_k(k)
    return None, [
        _gained(_gains(gold, field, row), _keys(given, field, row)[:most], most)
        for gold, given, row in zip(expected, actual, rows, strict=True)
    ]


def _by_row(measure: Callable[[set[str], Keys], float], columns: Columns, field: str, k: int | None) -> Values:
    most = _check_k(k)
    expected, actual, rows = columns
    found = [_keys(given, field, row) for given, row in zip(actual, rows, strict=True)]
    if most is not None:
        found = [keys[:most] for keys in found]
    wanted = [set(_keys(gold, field, row)) for gold, row in zip(expected, rows, strict=True)]
    return None, list(map(measure, wanted, found))


def _reciprocal_rank(wanted: set[str], found: Keys) -> float:
    for rank, key in enumerate(found, start=1):
        if key in wanted:
            return 1 / rank
    return 0.0


def _average_precision(wanted: set[str], found: Keys) -> float:
    if wanted.isdisjoint(found):
        return 0.0
    total, of, hits = 0.0, len(wanted), 0
    for rank, key in enumerate(found, start=1):
        if key in wanted:
            hits += 1
            total += hits / rank
            wanted.remove(key)  # a second coming earns nothing
            if not wanted:
                break
    return total / of


def _gains(documents: Any, field: str, row: int) -> dict[str, float]:
    if type(documents) is list and not any(
        isinstance(document, dict) and "score" in document for document in documents
    ):
        return dict.fromkeys(_keys(documents, field, row), 1.0)
    return gold_gains(documents, field, row)


def _gained(gains: dict[str, float], found: Keys, most: int | None) -> float:
    best = sorted(gains.values(), reverse=True)[:most] if len(gains) > 1 else gains.values()
    ideal = sum(map(truediv, best, _discounts(len(gains))))
    total = 0.0
    for key, discount in zip(found, _discounts(len(found)), strict=False):
        if key in gains:
            total += gains.pop(key) / discount  # a second coming earns nothing
    return total / ideal if ideal else 0.0


@lru_cache(maxsize=256)
def _discounts(ranks: int) -> tuple[float, ...]:
    """log2(rank + 1) for the first ranks."""
    return tuple(math.log2(rank + 1) for rank in range(1, ranks + 1))


def _keys(documents: Any, field: str, row: int) -> Keys:
    """Keys of documents; the usual case, mappings with text at the field, without a call a document."""
    if type(documents) is list:
        try:
            keys = [document[field] for document in documents]
            "".join(keys)  # the quickest way to learn that each is text
        except (TypeError, KeyError):
            pass  # keys by themselves, numbers, nested fields, or a document without the field, which is told below
        else:
            return keys
    return document_keys(documents, field, row)


def _check_k(k: object) -> int | None:
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise MetricError("k is a whole number from 1, or None for all")
    return k
