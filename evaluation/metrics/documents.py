"""Ranked documents compared with the documents that should be among them, through ir-measures (trec_eval's formulas).

Each value is in 0..1. Documents are told apart by `field`, `id` unless said otherwise. A document that comes twice counts
at its first place only, and the second keeps its rank. `k` looks at the first k alone.
"""

import math
from typing import Any

from evaluation.errors import MetricError
from evaluation.metrics.rows import document_keys, gold_gains
from evaluation.packages import need

__all__ = ["average_precision", "ndcg", "precision", "recall_multi_hit", "recall_single_hit", "reciprocal_rank"]


def recall_single_hit(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """1 when any expected document was retrieved (trec_eval: success)."""
    return _measure("Success@{all}", expected, actual, row, field, k)


def recall_multi_hit(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """The share of distinct expected documents that were retrieved (trec_eval: set_recall)."""
    return _measure("SetR", expected, actual, row, field, k)


def precision(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """The share of retrieved documents that were expected (trec_eval: set_P); 0 when none was retrieved."""
    return _measure("SetP", expected, actual, row, field, k)


def reciprocal_rank(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """1 / rank of the first expected document, 0 when there is none (trec_eval: recip_rank)."""
    return _measure("RR", expected, actual, row, field, k)


def average_precision(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """Precision at each hit, summed, over the number of distinct expected documents (trec_eval: map)."""
    return _measure("AP", expected, actual, row, field, k)


def ndcg(expected: Any, actual: Any, row: int, *, field: str = "id", k: int | None = None) -> float:
    """Sum of gain / log2(rank + 1) over the best possible sum (Järvelin and Kekäläinen 2002, linear gain).

    Gains are the expected documents' scores, or 1 each. trec_eval rounds gains to whole numbers, so this one is ours.
    """
    gains = gold_gains(expected, field, row)
    found: list[float] = []
    seen: set[str] = set()
    for key in document_keys(actual, field, row)[: _check_k(k)]:
        found.append(0.0 if key in seen else gains.get(key, 0.0))
        seen.add(key)
    ideal = _discounted(sorted(gains.values(), reverse=True)[: _check_k(k)])
    return _discounted(found) / ideal if ideal else 0.0


def _discounted(gains: list[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _measure(measure: str, expected: Any, actual: Any, row: int, field: str, k: int | None) -> float:
    retrieved = document_keys(actual, field, row)[: _check_k(k)]
    if not retrieved:
        return 0.0
    ir_measures = need("ir_measures", extra="evaluation")
    relevant = {"q": dict.fromkeys(document_keys(expected, field, row), 1)}
    ranked: dict[str, float] = {}
    for rank, key in enumerate(retrieved):
        # A key seen before keeps its rank under a name that nothing expects.
        ranked[key if key not in ranked else f"\x00{rank}"] = float(len(retrieved) - rank)
    wanted = ir_measures.parse_measure(measure.format(all=len(retrieved)))
    return float(ir_measures.calc_aggregate([wanted], relevant, {"q": ranked})[wanted])


def _check_k(k: object) -> int | None:
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise MetricError("k is a whole number from 1, or None for all")
    return k
