"""Records what the field's own packages say of small cases, with their versions, into tests/oracles/metrics.json.

Run by hand, in an environment that has haystack-ai beside requirements-evaluation.txt:

    python tests/oracles/record_metrics.py

The tests assert the recorded values always, so haystack-ai (200 MB) is not needed to run them.
"""

import json
from importlib import metadata
from pathlib import Path

from haystack import Document
from haystack.components.evaluators import (
    AnswerExactMatchEvaluator,
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
)
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF

RANKED = [  # expected ids, retrieved ids
    (["a"], ["a"]),
    (["a"], ["b"]),
    (["a", "b"], ["b", "a"]),
    (["a", "b"], ["x", "a", "y", "b"]),
    (["a", "b", "c"], ["c", "x", "a"]),
    (["a", "b", "c", "d"], ["d"]),
    (["a"], ["x", "y", "z", "a"]),
    (["a", "b"], ["x", "y"]),
    (["a", "b", "c"], ["a", "b", "c"]),
    (["a", "b", "c"], ["c", "b", "a", "x", "y"]),
    (["e", "f"], ["a", "b", "c", "d", "e", "f"]),
    (["e", "f", "g"], ["g", "a", "f", "b", "e"]),
]
ANSWERS = [("Berlin", "Berlin"), ("Berlin", "berlin"), ("Berlin", "Berlin "), ("", ""), ("42", "42.0")]
TEXTS = [
    ("the cat is on the mat", "the cat sat on the mat"),
    ("there is a cat here", "there is a cat on the mat"),
    ("it is a guide to action", "it is a guide to action which ensures obedience"),
    ("open the door slowly", "slowly open the door"),
    ("one two three four five", "six seven eight nine ten"),
    ("He said: stop!", "he said stop"),
    ("all the same words", "all the same words"),
    ("a much longer reference than what came", "longer reference"),
    ("numbers 1, 2 and 3", "numbers 1 and 2"),
    ("state-of-the-art method", "state of the art methods"),
]


def _documents(ids: list[str]) -> list[Document]:
    return [Document(id=key, content=key) for key in ids]


def _ranked() -> dict[str, list[float]]:
    gold = [_documents(expected) for expected, _ in RANKED]
    found = [_documents(retrieved) for _, retrieved in RANKED]
    evaluators = {
        "recall_single_hit": DocumentRecallEvaluator(mode="single_hit"),
        "recall_multi_hit": DocumentRecallEvaluator(mode="multi_hit"),
        "mrr": DocumentMRREvaluator(),
        "map": DocumentMAPEvaluator(),
        "ndcg": DocumentNDCGEvaluator(),
    }
    return {
        name: [
            float(v) for v in evaluator.run(ground_truth_documents=gold, retrieved_documents=found)["individual_scores"]
        ]
        for name, evaluator in evaluators.items()
    }


def _texts() -> dict[str, object]:
    references, answers = [gold for gold, _ in TEXTS], [answer for _, answer in TEXTS]
    rouge = RougeScorer(["rouge1", "rouge2", "rougeL"])
    rows = [rouge.score(gold, answer) for gold, answer in TEXTS]
    return {
        "bleu": BLEU().corpus_score(answers, [references]).score,
        "chrf": CHRF().corpus_score(answers, [references]).score,
        **{kind: [row[kind].fmeasure for row in rows] for kind in ("rouge1", "rouge2", "rougeL")},
    }


def main() -> None:
    exact = AnswerExactMatchEvaluator().run(
        ground_truth_answers=[gold for gold, _ in ANSWERS], predicted_answers=[given for _, given in ANSWERS]
    )
    recorded = {
        "versions": {name: metadata.version(name) for name in ("haystack-ai", "sacrebleu", "rouge-score")},
        "ranked": {"rows": RANKED, "values": _ranked()},
        "answers": {"rows": ANSWERS, "exact_match": [float(value) for value in exact["individual_scores"]]},
        "texts": {"rows": TEXTS, "values": _texts()},
    }
    target = Path(__file__).with_name("metrics.json")
    target.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
