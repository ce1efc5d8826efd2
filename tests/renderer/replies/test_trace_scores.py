"""TRACe scores of a judge's reply: shares, adherence, odd keys, and replies in every state of repair."""

import json
from typing import Any

import pytest

from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies.trace_scores import trace_scores

# Ten sentences in two documents; lengths 10 x 4 and 5 x 8 characters.
DOCUMENTS = [[(f"0{key}", "abcd") for key in "abcdefghij"][:5], [(f"1{key}", "abcdefgh") for key in "abcde"]]


def sentence(key: str, support: Any = ("0a",), fully: Any = True) -> dict[str, Any]:
    return {"response_sentence_key": key, "supporting_sentence_keys": list(support), "fully_supported": fully}


def reply(**changes: Any) -> dict[str, Any]:
    return {
        "relevance_explanation": "…",
        "all_relevant_sentence_keys": ["0a", "0b", "1a", "1b"],
        "overall_supported_explanation": "…",
        "overall_supported": True,
        "sentence_support_information": [sentence("a"), sentence("b", ("1a", "0b"))],
        "all_utilized_sentence_keys": ["0a", "1a"],
    } | changes


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in reply().items() if key != name}


def score_reply(**changes: Any) -> dict[str, Any]:
    return trace_scores(reply(**changes), DOCUMENTS)


def test_shares_are_counted_in_sentences():
    scores = score_reply()
    assert (scores["relevance"], scores["utilization"], scores["completeness"]) == (0.4, 0.2, 0.5)


def test_shares_are_counted_in_characters():
    scores = trace_scores(reply(), DOCUMENTS, unit="character")
    assert (scores["relevance"], scores["utilization"], scores["completeness"]) == (24 / 60, 12 / 60, 12 / 24)


def test_shares_are_counted_in_tokens_of_a_function():
    scores = trace_scores(reply(), DOCUMENTS, unit="token", tokenizer=list)
    assert scores == trace_scores(reply(), DOCUMENTS, unit="character")


def test_shares_are_counted_in_tokens_of_a_vocabulary():
    documents = [[("0a", "One two three."), ("0b", "Four.")]]
    scores = trace_scores(reply(all_relevant_sentence_keys=["0b"]), documents, unit="token", tokenizer="o200k_base")
    assert scores["relevance"] == pytest.approx(2 / 6)


def test_the_outcome_has_these_fields_and_no_others():
    assert list(score_reply()) == [
        "relevance", "utilization", "completeness", "adherence", "unsupported_keys", "unknown_keys", "duplicate_keys",
        "repairs", "reasons",
    ]  # fmt: skip


def test_a_clean_reply_has_nothing_to_report():
    scores = score_reply()
    assert (scores["adherence"], scores["repairs"], scores["reasons"]) == (True, [], {})


def test_one_sentence_that_is_not_fully_supported_breaks_adherence():
    scores = score_reply(
        sentence_support_information=[sentence("a"), sentence("b", fully=False)], overall_supported=False
    )
    assert (scores["adherence"], scores["unsupported_keys"], scores["reasons"]) == (False, ["b"], {})


def test_an_overall_verdict_that_contradicts_the_sentences_is_reported():
    scores = score_reply(sentence_support_information=[sentence("a", (), False)])
    assert scores["adherence"] is False
    assert scores["reasons"]["adherence"] == "`overall_supported` says true, but not fully supported: a"


def test_an_overall_no_against_supported_sentences_is_reported():
    scores = score_reply(overall_supported=False)
    assert scores["adherence"] is True
    assert "says false, but every sentence is fully supported" in scores["reasons"]["adherence"]


@pytest.mark.parametrize("special", ["supported_without_sentence", "general", "well_known_fact", "numerical_reasoning"])
def test_special_reasons_support_a_sentence_and_are_not_unknown_keys(special):
    scores = score_reply(sentence_support_information=[sentence("a", (special,))])
    assert (scores["adherence"], scores["unknown_keys"]) == (True, [])


def test_special_reasons_never_count_as_relevant():
    assert score_reply(all_relevant_sentence_keys=["general"])["relevance"] == 0


def test_full_support_by_nothing_is_not_support():
    scores = score_reply(sentence_support_information=[sentence("a", ())])
    assert scores["adherence"] is False
    assert "a is called fully supported, but by no sentence" in scores["reasons"]["adherence"]


def test_keys_count_once_and_doubles_are_listed():
    scores = score_reply(all_relevant_sentence_keys=["0a", "0a", "0b"], all_utilized_sentence_keys=["0a"])
    assert (scores["relevance"], scores["duplicate_keys"]) == (0.2, ["0a"])


def test_unknown_keys_are_left_out_and_listed():
    scores = score_reply(all_relevant_sentence_keys=["0a", "7c"], all_utilized_sentence_keys=["9z", "0a"])
    assert (scores["relevance"], scores["completeness"], scores["unknown_keys"]) == (0.1, 1.0, ["7c", "9z"])


def test_used_but_not_relevant_sentences_do_not_complete_anything():
    scores = score_reply(all_relevant_sentence_keys=["0a"], all_utilized_sentence_keys=["0b"])
    assert (scores["utilization"], scores["completeness"]) == (0.1, 0.0)


@pytest.mark.parametrize("written", ["0a.", " 0a", "0A", "'0a'", "[0a]", "0 a", "“0a”"])
def test_keys_are_read_as_judges_write_them(written):
    scores = score_reply(all_relevant_sentence_keys=[written])
    assert (scores["relevance"], scores["unknown_keys"]) == (0.1, [])
    assert scores["repairs"] == [f"read the keys {written!r} without their dots, quotes, capitals or space"]


def test_a_text_of_keys_is_read_as_a_list():
    assert score_reply(all_relevant_sentence_keys="0a, 0b")["relevance"] == 0.2


def test_nothing_relevant_leaves_completeness_open():
    scores = score_reply(all_relevant_sentence_keys=[])
    assert (scores["relevance"], scores["completeness"]) == (0, None)
    assert scores["reasons"]["completeness"] == "no sentence is relevant"


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("all_relevant_sentence_keys", ["relevance", "completeness"]),
        ("all_utilized_sentence_keys", ["utilization", "completeness"]),
        ("sentence_support_information", ["adherence"]),
    ],
)
def test_a_missing_list_leaves_its_scores_open_with_the_reason(name, metrics):
    scores = trace_scores(without(name), DOCUMENTS)
    assert [
        metric for metric in ("relevance", "utilization", "completeness", "adherence") if scores[metric] is None
    ] == metrics
    assert all(f"`{name}` is missing in the reply" in scores["reasons"][metric] for metric in metrics)


def test_a_list_that_is_not_a_list_is_named():
    assert (
        score_reply(all_relevant_sentence_keys=None)["reasons"]["relevance"]
        == "`all_relevant_sentence_keys` is not a list"
    )


def test_documents_without_sentences_leave_the_shares_open():
    scores = trace_scores(reply(), [])
    assert scores["relevance"] is None
    assert scores["reasons"]["relevance"] == "the documents have no sentences"


@pytest.mark.parametrize(
    ("written", "verdict"), [("true", True), ("True", True), ("false", False), ("no", False), (1, True)]
)
def test_a_boolean_written_as_text_is_read_and_reported(written, verdict):
    scores = score_reply(sentence_support_information=[sentence("a", fully=written)])
    assert scores["adherence"] is verdict
    assert scores["repairs"] == [f"read {written!r} in `fully_supported` as {str(verdict).lower()}"]


def test_a_missing_verdict_is_not_full_support():
    scores = score_reply(sentence_support_information=[sentence("a", fully=None)])
    assert (scores["adherence"], scores["unsupported_keys"]) == (False, ["a"])
    assert "a has no verdict" in scores["reasons"]["adherence"]


def test_ragbenchs_own_list_of_unsupported_sentences_replaces_missing_verdicts():
    scores = score_reply(
        sentence_support_information=[sentence("a", fully=None), sentence("b", fully=None)],
        unsupported_response_sentence_keys=["b"],
        overall_supported=False,
    )
    assert (scores["adherence"], scores["unsupported_keys"]) == (False, ["b"])


def test_an_empty_list_of_sentences_leaves_adherence_open():
    scores = score_reply(sentence_support_information=[])
    assert (scores["adherence"], scores["reasons"]["adherence"]) == (None, "`sentence_support_information` is empty")


@pytest.mark.parametrize(
    ("wrap", "repair"),
    [
        ("{}", None),
        ("```json\n{}\n```", "took the JSON out of its code fence"),
        ("Here is my review:\n{}\nThat is all.", "left out the text around the JSON"),
    ],
)
def test_a_reply_is_read_from_its_text(wrap, repair):
    scores = trace_scores(wrap.replace("{}", json.dumps(reply())), DOCUMENTS)
    assert (scores["relevance"], scores["adherence"]) == (0.4, True)
    assert scores["repairs"] == ([repair] if repair else [])


def test_trailing_commas_are_repaired_and_reported():
    scores = trace_scores(json.dumps(reply()).replace("]", ",]"), DOCUMENTS)
    assert (scores["relevance"], scores["repairs"]) == (0.4, ["dropped a comma before a closing bracket"])


def test_a_truncated_reply_keeps_its_scores_and_is_marked():
    text = json.dumps(reply())
    scores = trace_scores(text[: text.index("all_utilized") + 3], DOCUMENTS)
    assert (scores["relevance"], scores["utilization"], scores["adherence"]) == (0.4, None, True)
    assert "breaks off" in scores["repairs"][0]


def test_a_reply_that_is_not_json_leaves_every_score_open():
    scores = trace_scores("I cannot do that.", DOCUMENTS)
    assert [scores[name] for name in ("relevance", "utilization", "completeness", "adherence")] == [None] * 4
    assert scores["reasons"]["relevance"] == "the reply has no JSON"


def test_a_reply_that_is_a_list_of_one_object_is_that_object():
    assert trace_scores(json.dumps([reply()]), DOCUMENTS)["relevance"] == 0.4


def test_plain_documents_are_split_here():
    assert (
        trace_scores(reply(all_relevant_sentence_keys=["0b"]), ["One. Two.", {"content": "Three."}])["relevance"]
        == 1 / 3
    )


@pytest.mark.parametrize(
    ("documents", "unit", "words"),
    [
        ("text", "sentence", "must be a list"),
        ([[("0a", "x"), ("0a", "y")]], "sentence", "two sentences with the key 0a"),
        ([["0a"]], "sentence", "must be a pair"),
        (DOCUMENTS, "word", "`unit` is sentence, character or token"),
        (DOCUMENTS, "token", "needs a tokenizer"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(documents, unit, words):
    with pytest.raises(OutputError, match=words):
        trace_scores(reply(), documents, unit)


def test_ragbenchs_counting_takes_lists_as_they_stand():
    scores = trace_scores(
        reply(
            all_relevant_sentence_keys=["0a", "0a", "9z"],
            all_utilized_sentence_keys=["0a"],
            unsupported_response_sentence_keys=[],
        ),
        DOCUMENTS,
        mode="ragbench",
    )
    sentences = sum(map(len, DOCUMENTS))
    assert (scores["relevance"], scores["utilization"]) == (3 / sentences, 1 / sentences)
    assert (scores["completeness"], scores["adherence"]) == (1 / 3, True)


def test_ragbench_calls_an_answer_to_nothing_relevant_complete():
    scores = trace_scores(reply(all_relevant_sentence_keys=[]), DOCUMENTS, mode="ragbench")
    assert scores["completeness"] == 1.0


def test_ragbench_counts_sentences_only():
    with pytest.raises(OutputError, match="sentences"):
        trace_scores(reply(), DOCUMENTS, unit="character", mode="ragbench")
