"""Records what the field's own packages say of small cases, with their versions, into tests/oracles/metrics.json.

Run by hand, in an environment that has haystack-ai and ir-measures beside requirements-evaluation.txt:

    python tests/oracles/record_metrics.py

The tests assert the recorded values always, so haystack-ai (200 MB) is not needed to run them.
"""

import json
import math
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import ir_measures
from haystack import Document, component
from haystack.components.evaluators import (
    AnswerExactMatchEvaluator,
    ContextRelevanceEvaluator,
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
    FaithfulnessEvaluator,
)
from haystack.dataclasses import ChatMessage
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
    (["a"], ["x", "a", "y", "z"]),
    (["a", "b", "c", "d", "e"], ["x", "e", "y", "d", "z", "c"]),
    (["größe", "日本"], ["x", "日本", "größe"]),
    (["a"], [*"bcdefghijklmnopqrst", "a"]),
]
REPEATED = [  # the same document twice, on either side
    (["a", "b"], ["a", "a", "b"]),
    (["a"], ["x", "a", "a"]),
    (["a", "a", "b"], ["b", "x", "a"]),
    (["a", "b"], ["a", "a", "a"]),
]
GRADED = [  # (expected id, score), retrieved ids
    ([("a", 3), ("b", 2), ("c", 1)], ["a", "b", "c"]),
    ([("a", 3), ("b", 2), ("c", 1)], ["c", "b", "a"]),
    ([("a", 3), ("b", 2), ("c", 1)], ["x", "a", "y"]),
    ([("a", 1), ("b", 1)], ["b", "x", "a"]),
    ([("a", 0.5), ("b", 0.25)], ["b", "a"]),
    ([("a", 5)], ["x", "y"]),
    ([("a", 2), ("b", 0)], ["b", "a"]),
    ([("a", 3), ("b", 2), ("c", 1), ("d", 1)], ["d", "c", "x", "a", "b"]),
]
CUTS = (1, 2, 3, 5)
ANSWERS = [
    ("Berlin", "Berlin"),
    ("Berlin", "berlin"),
    ("Berlin", "Berlin "),
    ("", ""),
    ("", "x"),
    ("42", "42.0"),
    ("naïve", "nai\u0308ve"),
    ("a\nb", "a b"),
    ("“so”", '"so"'),
]
TEXTS = [  # references, answer
    (["The cat sat on the mat."], "The cat sat on a mat."),
    (["The boat leaves the harbour at nine."], "At nine the boat leaves."),
    (["A bell rings in the tower"], "A bell rings in the tower"),
    (["Refunds take five working days."], "You will have your money back within a week."),
    (["The keeper closes the gate in winter."], "the keeper closes the gate in Winter"),
    (["Nothing in common here"], "entirely different words"),
    (["One two three four five six"], "six five four three two one"),
    (["state-of-the-art, isn't it?"], "state of the art isn't it"),
    (["It costs 3.14 euros in 2024"], "It costs 314 euros in 2024"),
    (["word"], "word word word word"),
    (["The cat is on the mat.", "There is a cat on the mat."], "The cat is on the mat there."),
    (["Short.", "A rather longer reference text for it.", "Another one"], "A rather long reference"),
    (["something"], ""),
    (["snake_case and camelCase"], "snake case and camelcase"),
]
FAITHFULNESS = [  # what a judge replies
    '{"statements": ["a", "b"], "statement_scores": [1, 0]}',
    '{"statements": ["a"], "statement_scores": [1]}',
    '{"statements": [], "statement_scores": []}',
    '{"statements": ["a", "b", "c"], "statement_scores": [0, 0, 1]}',
]
RELEVANCE = ['{"relevant_statements": ["a"]}', '{"relevant_statements": []}', '{"relevant_statements": ["a", "b"]}']


@component
class Replies:
    """A generator that says what it was given, a reply a call."""

    def __init__(self, replies: list[str]) -> None:
        self.replies = list(replies)

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, list[ChatMessage]]:
        """The next reply."""
        del messages
        return {"replies": [ChatMessage.from_assistant(self.replies.pop(0))]}


def _documents(keys: list[str]) -> list[Document]:
    return [Document(id=key, content=key) for key in keys]


def _haystack(rows: list[tuple[list[str], list[str]]]) -> dict[str, list[float]]:
    arguments = {
        "ground_truth_documents": [_documents(gold) for gold, _ in rows],
        "retrieved_documents": [_documents(retrieved) for _, retrieved in rows],
    }
    evaluators = {
        "recall_single_hit": DocumentRecallEvaluator(mode="single_hit"),
        "recall_multi_hit": DocumentRecallEvaluator(mode="multi_hit"),
        "mrr": DocumentMRREvaluator(),
        "map": DocumentMAPEvaluator(),
        "ndcg": DocumentNDCGEvaluator(),
    }
    return {
        name: [float(value) for value in evaluator.run(**arguments)["individual_scores"]]
        for name, evaluator in evaluators.items()
    }


def _graded() -> list[float]:
    gold = [[Document(id=key, content=key, score=gain) for key, gain in row] for row, _ in GRADED]
    retrieved = [_documents(keys) for _, keys in GRADED]
    run = DocumentNDCGEvaluator().run(ground_truth_documents=gold, retrieved_documents=retrieved)
    return [float(value) for value in run["individual_scores"]]


def _trec() -> dict[str, dict[str, list[float]]]:
    """By metric and cut-off ("all" for none): each row's value, each row a query of its own."""
    qrels = [ir_measures.Qrel(str(n), key, 1) for n, (gold, _) in enumerate(RANKED) for key in gold]
    scored = [
        ir_measures.ScoredDoc(str(n), key, float(-rank))
        for n, (_, keys) in enumerate(RANKED)
        for rank, key in enumerate(keys)
    ]
    kinds = {
        "recall_single_hit": "Success",
        "recall_multi_hit": "R",
        "precision": "P",
        "mrr": "RR",
        "map": "AP",
        "ndcg": "nDCG",
    }
    whole = {"mrr": "RR", "map": "AP", "ndcg": "nDCG", "precision": "SetP", "recall_multi_hit": "SetR"}
    measures = {(name, str(k)): f"{kind}@{k}" for name, kind in kinds.items() for k in CUTS}
    measures |= {(name, "all"): kind for name, kind in whole.items()}
    recorded: dict[str, dict[str, list[float]]] = {}
    for (name, cut), measure in measures.items():
        values = [0.0] * len(RANKED)
        for metric in ir_measures.iter_calc([ir_measures.parse_measure(measure)], qrels, scored):
            values[int(metric.query_id)] = float(metric.value)
        recorded.setdefault(name, {})[cut] = values
    return recorded


def _texts() -> dict[str, Any]:
    answers = [answer for _, answer in TEXTS]
    column_count = max(len(references) for references, _ in TEXTS)
    columns = [[row[n] if n < len(row) else None for row, _ in TEXTS] for n in range(column_count)]
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    rows = [scorer.score_multi(references, answer) for references, answer in TEXTS]
    bleu, chrf, sentences = BLEU(), CHRF(), BLEU(effective_order=True)
    return {
        "bleu": bleu.corpus_score(answers, columns).score,
        "bleu lowercase": BLEU(lowercase=True).corpus_score(answers, columns).score,
        "chrf": chrf.corpus_score(answers, columns).score,
        "chrf word_order": CHRF(word_order=2).corpus_score(answers, columns).score,
        "bleu rows": [sentences.sentence_score(answer, references).score for references, answer in TEXTS],
        "chrf rows": [chrf.sentence_score(answer, references).score for references, answer in TEXTS],
        "signatures": [str(bleu.get_signature()), str(chrf.get_signature())],
        **{kind: [float(row[kind].fmeasure) for row in rows] for kind in ("rouge1", "rouge2", "rougeL")},
    }


def _judged() -> dict[str, Any]:
    faithful = FaithfulnessEvaluator(chat_generator=Replies(FAITHFULNESS), progress_bar=False)
    relevant = ContextRelevanceEvaluator(chat_generator=Replies(RELEVANCE), progress_bar=False)
    count = len(FAITHFULNESS)
    scores = faithful.run(questions=["q"] * count, contexts=[["c"]] * count, predicted_answers=["p"] * count)
    result = relevant.run(questions=["q"] * len(RELEVANCE), contexts=[["c"]] * len(RELEVANCE))
    return {
        "faithfulness": {"replies": FAITHFULNESS, "values": [float(v) for v in scores["individual_scores"]]},
        "context_relevance": {"replies": RELEVANCE, "values": [float(v) for v in result["individual_scores"]]},
    }


def main() -> None:
    exact = AnswerExactMatchEvaluator().run(
        ground_truth_answers=[gold for gold, _ in ANSWERS], predicted_answers=[answer for _, answer in ANSWERS]
    )
    packages = ("haystack-ai", "sacrebleu", "rouge-score", "ir-measures")
    recorded = {
        "versions": {name: metadata.version(name) for name in packages},
        "ranked": {"rows": RANKED, "values": _haystack(RANKED), "trec": _trec()},
        "repeated": {"rows": REPEATED, "values": _haystack(REPEATED)},
        "graded": {"rows": GRADED, "ndcg": _graded()},
        "answers": {"rows": ANSWERS, "exact_match": [float(value) for value in exact["individual_scores"]]},
        "texts": {"rows": TEXTS, "values": _texts()},
        "judged": _judged(),
    }
    if not all(math.isfinite(value) for value in _numbers(recorded)):
        sys.exit("a value is no number: the record would not be JSON")
    target = Path(__file__).with_name("metrics.json")
    target.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict | list | tuple):
        items = value.values() if isinstance(value, dict) else value
        return [number for item in items for number in _numbers(item)]
    return [value] if isinstance(value, float) else []


if __name__ == "__main__":
    main()
