"""The findings of metrics in one row, as sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.evaluation import scoring
from promptuary.evaluation.metrics.explanations import explain_score

DOCUMENTS = [{"id": "a"}, {"id": "b"}]


@pytest.mark.parametrize(
    ("metric", "expected", "actual", "expected_text"),
    [
        ("exact_match", "Refuse", "refuse.", "differs only in case, punctuation, articles or blanks"),
        ("exact_match", "Refuse", "Refund", 'expected "Refuse", the reply says "Refund"'),
        ("exact_match", ["Ask", "Refuse it"], "Refuse", 'expected "Refuse it", the reply says "Refuse"'),
        ("exact_match", "x", "x", ""),
        ("squad_exact_match", "a" * 200, "b", f'expected "{"a" * 80}…", the reply says "b"'),
        ("squad_f1", "sixty days", "60 days", 'expected but not said: "sixty"; said but not expected: "60"'),
        ("squad_f1", "in sixty days", "sixty days", 'expected but not said: "in"'),
        ("squad_f1", "days", "sixty days", 'said but not expected: "sixty"'),
        ("contains", "60 days", "Within 30 days", '"60 days" is not in the reply'),
        ("contains", ["60 days", "30 days"], "Within 30 days", '"30 days" is in the reply'),
        ("regex", "[0-9]+ days", "some days", 'the pattern "[0-9]+ days" is not found in the reply'),
        ("json_schema", {"type": "object"}, "no", "the reply is not JSON"),
        ("json_schema", {"type": "object"}, "[1]", "the reply is JSON that the schema does not accept"),
        ("mrr", DOCUMENTS, [{"id": "c"}, {"id": "b"}], "1 of 2 expected documents came, the first at place 2"),
        ("map", DOCUMENTS, [{"id": "c"}], "none of the 2 expected documents came"),
    ],
)
def test_a_score_is_explained_by_what_was_expected_and_what_came(metric, expected, actual, expected_text):
    (score,) = scoring.score(metric, [expected], [actual])["individual_scores"]
    assert explain_score(metric, expected, actual, score) == expected_text


def test_nothing_is_explained_without_a_score_or_for_a_metric_that_explains_nothing():
    assert explain_score("exact_match", "x", None, None) == ""
    assert explain_score("bleu", "x", "y", 0.0) == ""
    assert explain_score("exact_match", {"x": 1}, 3.5, 0.0) == ""


TEXTS = st.text("abc .,Ä\n\"'`{}", max_size=40)


@given(st.sampled_from(["exact_match", "squad_exact_match", "squad_f1"]), TEXTS, TEXTS)
def test_a_full_score_needs_no_words_and_a_lower_one_has_some(metric, expected, actual):
    (score,) = scoring.score(metric, [expected], [actual])["individual_scores"]
    assert bool(explain_score(metric, expected, actual, score)) == (score < 1)
