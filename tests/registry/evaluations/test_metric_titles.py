"""Titles of metrics and thresholds instead of their code names, in the language of the page."""

import pytest
from django.utils import translation

from promptuary.evaluation.metrics import catalogue
from registry.evaluations.metric_titles import TITLES, describe_gate, name_gates, title_metric
from registry.evaluations.person_score_queries import PEOPLE_METRIC

FINDING = "0.85 against 0.975 (-0.125; 0 rows better, 5 worse), at most 0.02 less is allowed"


def test_each_metric_has_a_title():
    assert set(TITLES) == {*catalogue.list_names(), PEOPLE_METRIC}


@pytest.mark.parametrize(
    ("metric", "target", "title"),
    [
        ("squad_exact_match", "answer", "Same answer"),
        ("squad_exact_match", "", "Same answer"),
        ("reviewed_by_people", "people", "Reviewed by people"),
        ("bleu", "summary", "BLEU, summary"),
        ("our_own", "answer", "our_own"),
    ],
)
def test_a_metric_is_named_with_an_output_that_is_not_the_answer(metric, target, title):
    assert title_metric(metric, target) == title


@pytest.mark.parametrize(
    ("gate", "target", "words"),
    [
        ("squad_exact_match >= 0.95", "", "Same answer, at least 0.95"),
        ("squad_exact_match - 0.02", "answer", "Same answer, at most 0.02 less"),
        ("squad_f1[summary] >= .5", "", "Words in common, summary, at least 0.5"),
        ("squad_f1 >= 0.5", "summary", "Words in common, summary, at least 0.5"),
        ("our_own >= 1", "", "our_own, at least 1"),
        ("rows", "", "rows"),
    ],
)
def test_a_threshold_is_described_in_words(gate, target, words):
    assert describe_gate(gate, target) == words


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (f"decisions: squad_exact_match - 0.02: {FINDING}.", f"decisions: Same answer: {FINDING}."),
        ("a: squad_f1[summary] >= 0.5: 0.4; b: bleu >= 30: 20", "a: Words in common, summary: 0.4; b: BLEU: 20"),
        ("contains - 0.02", "Contains the answer"),
        ("The text contains - 2 of 3 lines.", "The text contains - 2 of 3 lines."),
        ("my_squad_f1 >= 0.5", "my_squad_f1 >= 0.5"),
        ("Budget: 98 of 2,995 tokens.", "Budget: 98 of 2,995 tokens."),
    ],
)
def test_thresholds_in_a_text_are_named(text, named):
    assert name_gates(text) == named


def test_titles_are_in_the_language_of_the_reader():
    with translation.override("de"):
        assert describe_gate("squad_exact_match >= 0.95") == "Gleiche Antwort, mindestens 0.95"
        assert name_gates("a: squad_exact_match >= 0.95: 0.5") == "a: Gleiche Antwort: 0.5"
