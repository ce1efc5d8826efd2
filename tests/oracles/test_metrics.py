"""evaluation.score gives the same results as haystack-ai, sacrebleu, rouge-score and ir-measures."""

import json
from pathlib import Path

import pytest

from promptuary.evaluation import score

RECORD = json.loads((Path(__file__).parent / "metrics.json").read_text(encoding="utf-8"))
RANKED = ["recall_single_hit", "recall_multi_hit", "mrr", "map", "ndcg"]
CUTS = [(metric, cut) for metric, cuts in RECORD["ranked"]["trec"].items() for cut in cuts]
NON_ENGLISH = [
    n for n, (golds, answer) in enumerate(RECORD["texts"]["rows"]) if not "".join([*golds, answer]).isascii()
]


def columns(rows):
    return [row[0] for row in rows], [row[1] for row in rows]


def documents(keys):
    return [{"id": key, "content": key} for key in keys]


def test_there_are_more_than_fifty_cases():
    rows = sum(len(RECORD[name]["rows"]) for name in ("ranked", "repeated", "graded", "answers", "texts"))
    assert rows + sum(len(kind["replies"]) for kind in RECORD["judged"].values()) > 50


@pytest.mark.parametrize("metric", RANKED)
def test_ranked_documents_score_as_haystack_scores_them(metric):
    golds, found = columns(RECORD["ranked"]["rows"])
    scored = score(metric, list(map(documents, golds)), list(map(documents, found)))
    assert scored["individual_scores"] == pytest.approx(RECORD["ranked"]["values"][metric])


@pytest.mark.parametrize(("metric", "cut"), CUTS)
def test_ranked_documents_score_as_trec_eval_scores_them(metric, cut):
    golds, found = columns(RECORD["ranked"]["rows"])
    options = {} if cut == "all" else {"k": int(cut)}
    ours = score(metric, golds, found, **options)["individual_scores"]
    if metric == "precision" and cut != "all":  # known: trec_eval divides by k, we by what was retrieved, at most k
        ours = [value * min(int(cut), len(keys)) / int(cut) for value, keys in zip(ours, found, strict=True)]
    assert ours == pytest.approx(RECORD["ranked"]["trec"][metric][cut])


@pytest.mark.parametrize("metric", RANKED)
def test_documents_that_come_twice_score_as_haystack_scores_them(metric):
    scored = score(metric, *columns(RECORD["repeated"]["rows"]))
    assert scored["individual_scores"] == pytest.approx(RECORD["repeated"]["values"][metric])


def test_graded_gains_score_as_haystack_scores_them():
    golds, found = columns(RECORD["graded"]["rows"])
    gained = [[{"id": key, "score": gain} for key, gain in row] for row in golds]
    assert score("ndcg", gained, found)["individual_scores"] == pytest.approx(RECORD["graded"]["ndcg"])


def test_exact_match_compares_raw_text_as_haystack_does():
    scored = score("exact_match", *columns(RECORD["answers"]["rows"]))
    assert scored["individual_scores"] == RECORD["answers"]["exact_match"]


@pytest.mark.parametrize(
    ("metric", "recorded", "options"),
    [
        ("bleu", "bleu", {}),
        ("bleu", "bleu lowercase", {"lowercase": True}),
        ("chrf", "chrf", {}),
        ("chrf", "chrf word_order", {"word_order": 2}),
    ],
)
def test_bleu_and_chrf_are_the_corpus_value_of_sacrebleu(metric, recorded, options):
    scored = score(metric, *columns(RECORD["texts"]["rows"]), **options)
    assert scored["score"] == pytest.approx(RECORD["texts"]["values"][recorded])


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_the_rows_of_bleu_and_chrf_are_sacrebleus_sentence_values(metric):
    scored = score(metric, *columns(RECORD["texts"]["rows"]))
    assert scored["individual_scores"] == pytest.approx(RECORD["texts"]["values"][f"{metric} rows"])


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL"])
def test_rouge_on_english_is_that_of_rouge_score(metric):
    assert not NON_ENGLISH  # beyond ASCII the values differ, and are meant to
    scored = score(metric, *columns(RECORD["texts"]["rows"]))
    assert scored["individual_scores"] == pytest.approx(RECORD["texts"]["values"][metric])


@pytest.mark.parametrize("metric", ["faithfulness", "context_relevance"])
def test_judges_that_count_statements_score_as_in_haystack(metric):
    replies = RECORD["judged"][metric]["replies"]
    assert score(metric, [None] * len(replies), replies)["individual_scores"] == RECORD["judged"][metric]["values"]
