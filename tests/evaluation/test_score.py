"""evaluation.score: edge cases, invariants and errors. Comparisons with other packages are in tests/oracles."""

import math
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import rouge_scorer

from promptuary.evaluation import EvaluationError, Metric, MetricError, metrics_for, score
from promptuary.evaluation.metrics.answers import normalise
from promptuary.evaluation.metrics.texts import WordTokenizer


def test_rouge_sees_words_of_scripts_that_rouge_score_drops():
    assert score("rouge1", ["日本語の文"], ["日本語の文"])["score"] == 1.0
    assert score("rouge1", ["größer als"], ["größer als"])["score"] == 1.0


@pytest.mark.parametrize(
    ("expected", "actual", "value"),
    [
        ("The Cat!", "cat", 1.0),
        ("", "", 1.0),
        ("the", "", 1.0),
        ("", "x", 0.0),
        ("3.14", "314", 1.0),
        ("cat sat on", "the cat sat", 0.8),
        (["Rome", "the city of Rome"], "city of Rome", 1.0),
        ("b b c", "b c c", 2 / 3),
    ],
)
def test_squad_f1_takes_the_best_gold_over_word_multisets(expected, actual, value):
    assert score("squad_f1", [expected], [actual])["score"] == pytest.approx(value)


def test_the_best_of_several_answers_counts():
    assert score(Metric.EM, ["Rome"], [["Paris", {"answer": "rome"}]])["score"] == 1.0


def test_spans_in_other_documents_do_not_overlap():
    gold = {"answer": "x", "document_ids": ["d"], "offsets_in_document": [{"start": 0, "end": 10}]}
    half = {**gold, "offsets_in_document": [{"start": 5, "end": 15}]}
    elsewhere = {**gold, "document_ids": ["e"]}
    assert score("span_f1", [gold, gold, gold], [gold, half, elsewhere])["individual_scores"] == [1.0, 0.5, 0.0]


def test_a_document_that_comes_twice_counts_once_and_keeps_its_rank():
    assert score("map", [["a", "b"]], [["a", "a", "b"]])["score"] == pytest.approx((1 + 2 / 3) / 2)


def test_documents_compare_by_the_field_that_is_named():
    outcome = score(
        "mrr", [[{"meta": {"page": 3}}]], [[{"meta": {"page": 9}}, {"meta": {"page": 3}}]], field="meta.page"
    )
    assert outcome["score"] == 0.5


def test_k_looks_at_the_first_k_alone():
    assert score("recall_multi_hit", [["a", "b"]], [["x", "a", "b"]], k=2)["score"] == 0.5


def test_gains_that_are_given_for_some_documents_only_are_refused():
    with pytest.raises(EvaluationError, match=r"row 1.*score"):
        score("ndcg", [[{"id": "a", "score": 2}, {"id": "b"}]], [[{"id": "a"}]])


@pytest.mark.parametrize(("no_gold", "value", "scored"), [("skip", 0.0, 1), (0.0, 0.0, 2), (1.0, 0.5, 2)])
def test_a_row_without_gold_is_left_out_or_counted_as_the_options_say(no_gold, value, scored):
    outcome = score("exact_match", [None, "a"], ["x", "b"], no_gold=no_gold)
    assert (outcome["score"], outcome["scored"], outcome["of"]) == (value, scored, 2)


def test_a_row_that_failed_is_null_and_not_scored():
    outcome = score("exact_match", ["a", "b"], [None, "b"])
    assert outcome == {"score": 1.0, "individual_scores": [None, 1.0], "scored": 1, "of": 2}


def test_nothing_to_score_gives_null_not_zero():
    assert score("bleu", [], []) == {"score": None, "individual_scores": [], "scored": 0, "of": 0}


def test_json_schema_judges_the_reply_as_data():
    schema = {"type": "object", "required": ["answer"]}
    outcome = score("json_schema", [None] * 3, ['{"answer": 1}', "{}", "no json"], schema=schema)
    assert outcome["individual_scores"] == [1.0, 0.0, 0.0]


def test_regex_names_the_row_of_an_invalid_pattern():
    with pytest.raises(MetricError, match=r"^row 2: "):
        score("regex", ["a+", "("], ["caat", "x"])


def test_lists_of_different_length_are_refused():
    with pytest.raises(EvaluationError, match="2 rows and actual has 1"):
        score("exact_match", ["a", "b"], ["a"])


def test_an_unknown_metric_is_refused_with_the_names_there_are():
    with pytest.raises(MetricError, match="squad_f1"):
        score("f2", ["a"], ["a"])


def test_an_option_the_metric_does_not_take_is_refused():
    with pytest.raises(MetricError, match="field, k"):
        score("map", [["a"]], [["a"]], depth=3)


def test_metrics_for_an_output_type_are_named():
    assert Metric.NDCG in metrics_for("documents")
    assert Metric.BLEU not in metrics_for("documents")
    with pytest.raises(MetricError, match="documents"):
        metrics_for("pictures")


keys = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8)


@given(expected=keys, retrieved=keys)
def test_every_ranked_metric_stays_between_none_and_all(expected, retrieved):
    for metric in ("recall_single_hit", "recall_multi_hit", "precision", "mrr", "map", "ndcg"):
        assert 0.0 <= score(metric, [expected], [retrieved])["score"] <= 1.0 + 1e-12


@given(expected=keys)
def test_finding_exactly_what_was_expected_scores_one(expected):
    distinct = list(dict.fromkeys(expected))
    for metric in ("recall_single_hit", "recall_multi_hit", "precision", "mrr", "map", "ndcg"):
        assert score(metric, [expected], [distinct])["score"] == pytest.approx(1.0)


@given(text=st.text(max_size=60))
def test_a_text_is_its_own_best_answer(text):
    for metric in ("exact_match", "squad_exact_match", "squad_f1", "contains"):
        assert score(metric, [text], [text])["score"] == 1.0


@pytest.mark.parametrize("metric", ["exact_match", "squad_f1", "contains", "bleu", "chrf", "rouge1", "rougeL", "sas"])
def test_no_answer_at_all_scores_nothing_of_its_gold(metric):
    assert score(metric, ["a boat"], [[]])["individual_scores"] == [pytest.approx(0.0)]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [("true", True), ("3", 3), ("x", {"answer": "x"}), ("x", {"data": "x"}), ("", {"answer": None})],
)
def test_an_answer_is_read_from_every_form_it_comes_in(expected, actual):
    assert score("exact_match", [expected], [actual])["score"] == 1.0


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("The  cat,\tan  owl!", "cat owl"),
        ("“The” cat", "“ ” cat"),
        ("Theatre a-b", "theatre ab"),
        ("ÉCOLE", "école"),
        ("the\x1fcat\x00a", "cat\x00"),
    ],
)
def test_squads_form_of_a_text(text, normal):
    assert normalise(text) == normal


@given(st.text(st.sampled_from("aAntheTHE .,\n\t\x01“é-"), max_size=40))
def test_squads_form_is_that_of_its_own_script(text):
    bare = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    assert normalise(text) == " ".join(re.sub(r"\b(a|an|the)\b", " ", bare).split())


def test_golds_may_differ_in_number_from_row_to_row():
    outcome = score(
        "bleu",
        [["the cat sat on the mat", "a cat sat there"], "one two three four"],
        ["a cat sat there", "one two three four"],
    )
    assert outcome["score"] == pytest.approx(100)
    assert score("rouge1", [["x y", "a b"]], ["a b"])["score"] == 1.0


def test_rouge_keeps_words_with_vowel_signs_and_points_whole():
    assert WordTokenizer().tokenize("हिन्दी مُحَمَّد cafe\u0301") == ["हिन्दी", "مُحَمَّد", "café"]


def test_keys_of_documents_may_be_numbers():
    assert score("mrr", [[{"id": 7}]], [[{"id": "3"}, {"id": "7"}]])["score"] == 0.5
    assert score("mrr", [[7]], [[{"id": "3"}, {"id": 7}]])["score"] == 0.5
    assert score("ndcg", [[7]], [[7]])["score"] == 1.0


@pytest.mark.parametrize("metric", ["recall_single_hit", "recall_multi_hit", "precision", "mrr", "map", "ndcg"])
def test_retrieving_nothing_or_nothing_relevant_scores_zero(metric):
    assert score(metric, [["a"], ["a"]], [[], ["b"]])["individual_scores"] == [0.0, 0.0]


def test_graded_gains_weigh_the_ranks():
    gold = [{"id": "a", "score": 3}, {"id": "b", "score": 1}]
    ndcg = score("ndcg", [gold], [[{"id": "b"}, {"id": "a"}]])["score"]
    assert ndcg == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))


def test_gains_of_zero_leave_nothing_to_gain():
    assert score("ndcg", [[{"id": "a", "score": 0}]], [[{"id": "a"}]])["score"] == 0.0


@pytest.mark.parametrize("reply", ["no json", '{"a": NaN}', "", "```json\n{}\n```", "[" * 100_000])
def test_something_that_is_not_json_fits_no_schema(reply):
    assert score("json_schema", [None], [reply], schema={})["score"] == 0.0


@pytest.mark.parametrize(
    "schema", [{"type": "nothing"}, {"$ref": "http://example.org/s.json"}, {"type": "string", "pattern": "("}]
)
def test_a_schema_that_can_not_be_used_is_refused_with_its_row(schema):
    with pytest.raises(MetricError, match="row 1"):
        score("json_schema", [schema], ['"x"'])


def test_a_pattern_for_all_rows_needs_no_golds():
    outcome = score("regex", [None, None], ["Order 12", "order x"], pattern=r"ORDER \d+", ignore_case=True, full=True)
    assert outcome["individual_scores"] == [1.0, 0.0]


def test_spans_are_read_from_both_forms_of_extractive_answers():
    older = {"answer": "x", "document_ids": ["d"], "offsets_in_document": [{"start": 0, "end": 10}]}
    newer = {"data": "x", "document": {"id": "d"}, "document_offset": {"start": 5, "end": 15}}
    none = {"data": None, "document_offset": None}
    assert score("span_f1", [older, none, older], [newer, none, none])["individual_scores"] == [0.5, 1.0, 0.0]
    with pytest.raises(EvaluationError, match=r"row 1.*offsets"):
        score("span_f1", [older], ["x"])


@pytest.mark.parametrize(("expected", "actual"), [("ab", ["a", "b"]), ({"a": 1}, ["a"]), (["a"], iter("a"))])
def test_columns_that_are_not_lists_are_refused(expected, actual):
    with pytest.raises(EvaluationError, match="lists, an item a row"):
        score("exact_match", expected, actual)


def test_a_retrieved_document_without_the_field_keeps_its_rank_and_is_not_a_hit():
    gold, retrieved = [{"meta": {"page": 1}}, {"meta": {}}], [{"meta": {}}, {"meta": {"page": 1}}]
    for metric, value in (("mrr", 0.5), ("recall_multi_hit", 1.0), ("precision", 0.5), ("ndcg", 1 / math.log2(3))):
        assert score(metric, [gold], [retrieved], field="meta.page")["score"] == pytest.approx(value)


@pytest.mark.parametrize("metric", ["map", "ndcg"])
def test_a_field_that_no_document_has_is_reported(metric):
    with pytest.raises(EvaluationError, match="no retrieved document has 'idd'"):
        score(metric, [["a"]], [[{"id": "a"}]], field="idd")
    with pytest.raises(EvaluationError, match="row 1: no expected document has 'idd'"):
        score(metric, [[{"id": "a"}]], [["a"]], field="idd")


@pytest.mark.parametrize("options", [{}, {"k": 2}])
def test_documents_other_than_a_list_are_refused_with_their_row(options):
    for metric in ("mrr", "map", "ndcg"):
        with pytest.raises(EvaluationError, match="row 1: documents come as a list"):
            score(metric, [["a"]], [{"id": "a"}], **options)


def test_the_first_hit_counts_up_to_k_only():
    rows = [[{"id": "a"}]], [[{"id": "x"}, {"id": "a"}]]
    assert [score("mrr", *rows, k=k)["score"] for k in (1, 2)] == [0.0, 0.5]


PAIRS = [
    ("The cats were running quickly", "A cat runs quick"),
    ("studies show improvements", "the study shows an improvement"),
    ("a b c", "nothing alike"),
    ("", "words"),
]


@pytest.mark.parametrize("kind", ["rouge1", "rouge2", "rougeL"])
@pytest.mark.parametrize("stem", [True, False])
def test_rouge_stems_as_rouge_score_does(kind, stem):
    scorer = rouge_scorer.RougeScorer([kind], use_stemmer=stem)
    fmeasures = [scorer.score(gold, answer)[kind].fmeasure for gold, answer in PAIRS]
    outcome = score(kind, [gold for gold, _ in PAIRS], [answer for _, answer in PAIRS], stem=stem)
    assert outcome["individual_scores"] == pytest.approx(fmeasures)


def test_rouge_takes_no_other_option_and_stem_is_a_switch():
    with pytest.raises(MetricError, match="rouge1 takes stem"):
        score("rouge1", ["a"], ["a"], stemmer=True)
    with pytest.raises(MetricError, match="true or false"):
        score("rouge1", ["a"], ["a"], stem="yes")
