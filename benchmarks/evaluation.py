"""10,000 rows x 5 metrics: evaluation.score against haystack-ai's evaluators on the same rows, in one run.

    python benchmarks/evaluation.py [rows]

Prints CPU seconds and their ratio for each metric, and the memory that scoring and a whole run add per 1,000 rows.
If `haystack-ai` isn't installed, the output says so and there is no ratio.
"""

import importlib.util
import random
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.baseline import record_ratio
from promptuary import evaluation

ROUNDS = 3


def make_rows(count: int) -> tuple[list[list[dict[str, Any]]], list[list[dict[str, Any]]], list[str], list[str]]:
    """Seeded rows with 10 expected and retrieved documents each, and golds and answers of a few words."""
    chance = random.Random(1)
    keys = [f"document {n}" for n in range(200)]
    words = [
        "the",
        "boat",
        "bell",
        "harbour",
        "tower",
        "opens",
        "at",
        "nine",
        "on",
        "weekdays",
        "and",
        "closes",
        "in",
        "winter",
    ]
    expected, retrieved, golds, answers = [], [], [], []
    for _ in range(count):
        keys_of_row = chance.sample(keys, 10)
        expected.append([{"id": key} for key in chance.sample(keys_of_row, 2) + chance.sample(keys, 1)])
        retrieved.append([{"id": key} for key in keys_of_row])
        golds.append(" ".join(chance.choices(words, k=6)))
        answers.append(golds[-1] if chance.random() < 0.3 else " ".join(chance.choices(words, k=6)))
    return expected, retrieved, golds, answers


def measure_time(call: Callable[[], Any]) -> tuple[float, Any]:
    """The lowest CPU time of several rounds in seconds, and the result of the last."""
    best, result = float("inf"), None
    for _ in range(ROUNDS):
        start = time.process_time()
        result = call()
        best = min(best, time.process_time() - start)
    return best, result


def build_peers(expected: Any, retrieved: Any, golds: Any, answers: Any) -> dict[str, Callable[[], Any]]:
    """Haystack's evaluators over the same rows, by the name of our metric."""
    from haystack import Document  # noqa: PLC0415  # an optional peer
    from haystack.components import evaluators  # noqa: PLC0415  # an optional peer

    gold = [[Document(id=d["id"], content=d["id"]) for d in row] for row in expected]
    documents = [[Document(id=d["id"], content=d["id"]) for d in row] for row in retrieved]
    ranked = {"ground_truth_documents": gold, "retrieved_documents": documents}
    return {
        "recall_multi_hit": lambda: evaluators.DocumentRecallEvaluator(mode="multi_hit").run(**ranked)["score"],
        "mrr": lambda: evaluators.DocumentMRREvaluator().run(**ranked)["score"],
        "map": lambda: evaluators.DocumentMAPEvaluator().run(**ranked)["score"],
        "ndcg": lambda: evaluators.DocumentNDCGEvaluator().run(**ranked)["score"],
        "exact_match": lambda: evaluators.AnswerExactMatchEvaluator().run(
            ground_truth_answers=golds, predicted_answers=answers
        )["score"],
    }


def main(count: int) -> None:
    expected, retrieved, golds, answers = make_rows(count)
    ours = dict.fromkeys(("recall_multi_hit", "mrr", "map", "ndcg"), (expected, retrieved))
    ours["exact_match"] = (golds, answers)  # type: ignore[assignment]  # answers are texts, documents are lists
    evaluation.score("mrr", expected[:1], retrieved[:1])  # imports aren't measured
    theirs: dict[str, Callable[[], Any]] = {}
    if importlib.util.find_spec("haystack"):
        making, theirs = measure_time(lambda: build_peers(expected, retrieved, golds, answers))
    if not theirs:
        print("haystack-ai is not installed: only our own figures (pip install haystack-ai)")
    print(f"{count} rows, CPU seconds, least of {ROUNDS}\n{'metric':<18}{'ours':>9}{'haystack':>10}{'ratio':>8}")
    sums = [0.0, 0.0]
    for name, (gold, outputs) in ours.items():
        mine, scored = measure_time(partial(evaluation.score, name, gold, outputs))
        score = scored["score"]
        peer, value = measure_time(theirs[name]) if name in theirs else (0.0, score)
        sums = [sums[0] + mine, sums[1] + peer]
        same = "" if abs(score - value) < 1e-9 else "  DIFFERENT VALUES"
        print(
            f"{name:<18}{mine:>9.3f}{peer or float('nan'):>10.3f}{(peer / mine) if peer else float('nan'):>8.1f}{same}"
        )
    if theirs:
        print(f"{'all five':<18}{sums[0]:>9.3f}{sums[1]:>10.3f}{sums[1] / sums[0]:>8.1f}   the evaluators alone")
        whole = sums[1] + making
        record_ratio("five metrics: Haystack's evaluators / ours", sums[1] / sums[0])
        record_ratio("five metrics from plain rows: Haystack / ours", whole / sums[0])
        print(
            f"{'all five':<18}{sums[0]:>9.3f}{whole:>10.3f}{whole / sums[0]:>8.1f}   from plain rows: theirs "
            f"become Documents"
        )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runnable = evaluation.FunctionRunnable("answer", lambda question: {"answer": question})
    rows = ({"question": text} for text in answers * 10)
    evaluation.run(runnable, rows, ({"answer": text} for text in golds * 10))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"a run of {count * 10} streamed rows added {grown / 1024:.1f} MB to the peak")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
