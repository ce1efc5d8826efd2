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


def scores(**changes: Any) -> dict[str, Any]:
    return trace_scores(reply(**changes), DOCUMENTS)


def test_shares_are_counted_in_sentences():
    found = scores()
    assert (found["relevance"], found["utilization"], found["completeness"]) == (0.4, 0.2, 0.5)


def test_shares_are_counted_in_characters():
    found = trace_scores(reply(), DOCUMENTS, unit="character")
    assert (found["relevance"], found["utilization"], found["completeness"]) == (24 / 60, 12 / 60, 12 / 24)


def test_shares_are_counted_in_tokens_of_a_function():
    found = trace_scores(reply(), DOCUMENTS, unit="token", tokenizer=list)
    assert found == trace_scores(reply(), DOCUMENTS, unit="character")


def test_shares_are_counted_in_tokens_of_a_vocabulary():
    documents = [[("0a", "One two three."), ("0b", "Four.")]]
    found = trace_scores(reply(all_relevant_sentence_keys=["0b"]), documents, unit="token", tokenizer="o200k_base")
    assert found["relevance"] == pytest.approx(2 / 6)


def test_the_outcome_has_these_fields_and_no_others():
    assert list(scores()) == [
        "relevance", "utilization", "completeness", "adherence", "unsupported_keys", "unknown_keys", "duplicate_keys",
        "repairs", "reasons",
    ]  # fmt: skip


def test_a_clean_reply_has_nothing_to_report():
    found = scores()
    assert (found["adherence"], found["repairs"], found["reasons"]) == (True, [], {})


def test_one_sentence_that_is_not_fully_supported_breaks_adherence():
    found = scores(sentence_support_information=[sentence("a"), sentence("b", fully=False)], overall_supported=False)
    assert (found["adherence"], found["unsupported_keys"], found["reasons"]) == (False, ["b"], {})


def test_an_overall_verdict_that_contradicts_the_sentences_is_reported():
    found = scores(sentence_support_information=[sentence("a", (), False)])
    assert found["adherence"] is False
    assert found["reasons"]["adherence"] == "`overall_supported` says true, but not fully supported: a"


def test_an_overall_no_against_supported_sentences_is_reported():
    found = scores(overall_supported=False)
    assert found["adherence"] is True
    assert "says false, but every sentence is fully supported" in found["reasons"]["adherence"]


@pytest.mark.parametrize("special", ["supported_without_sentence", "general", "well_known_fact", "numerical_reasoning"])
def test_special_reasons_support_a_sentence_and_are_not_unknown_keys(special):
    found = scores(sentence_support_information=[sentence("a", (special,))])
    assert (found["adherence"], found["unknown_keys"]) == (True, [])


def test_special_reasons_never_count_as_relevant():
    assert scores(all_relevant_sentence_keys=["general"])["relevance"] == 0


def test_full_support_by_nothing_is_not_support():
    found = scores(sentence_support_information=[sentence("a", ())])
    assert found["adherence"] is False
    assert "a is called fully supported, but by no sentence" in found["reasons"]["adherence"]


def test_keys_count_once_and_doubles_are_listed():
    found = scores(all_relevant_sentence_keys=["0a", "0a", "0b"], all_utilized_sentence_keys=["0a"])
    assert (found["relevance"], found["duplicate_keys"]) == (0.2, ["0a"])


def test_unknown_keys_are_left_out_and_listed():
    found = scores(all_relevant_sentence_keys=["0a", "7c"], all_utilized_sentence_keys=["9z", "0a"])
    assert (found["relevance"], found["completeness"], found["unknown_keys"]) == (0.1, 1.0, ["7c", "9z"])


def test_used_but_not_relevant_sentences_do_not_complete_anything():
    found = scores(all_relevant_sentence_keys=["0a"], all_utilized_sentence_keys=["0b"])
    assert (found["utilization"], found["completeness"]) == (0.1, 0.0)


@pytest.mark.parametrize("written", ["0a.", " 0a", "0A", "'0a'", "[0a]", "0 a", "“0a”"])
def test_keys_are_read_as_judges_write_them(written):
    found = scores(all_relevant_sentence_keys=[written])
    assert (found["relevance"], found["unknown_keys"]) == (0.1, [])
    assert found["repairs"] == [f"read the keys {written!r} without their dots, quotes, capitals or space"]


def test_a_text_of_keys_is_read_as_a_list():
    assert scores(all_relevant_sentence_keys="0a, 0b")["relevance"] == 0.2


def test_nothing_relevant_leaves_completeness_open():
    found = scores(all_relevant_sentence_keys=[])
    assert (found["relevance"], found["completeness"]) == (0, None)
    assert found["reasons"]["completeness"] == "no sentence is relevant"


@pytest.mark.parametrize(
    ("name", "metrics"),
    [
        ("all_relevant_sentence_keys", ["relevance", "completeness"]),
        ("all_utilized_sentence_keys", ["utilization", "completeness"]),
        ("sentence_support_information", ["adherence"]),
    ],
)
def test_a_missing_list_leaves_its_scores_open_with_the_reason(name, metrics):
    found = trace_scores(without(name), DOCUMENTS)
    assert [
        metric for metric in ("relevance", "utilization", "completeness", "adherence") if found[metric] is None
    ] == metrics
    assert all(f"`{name}` is missing in the reply" in found["reasons"][metric] for metric in metrics)


def test_a_list_that_is_not_a_list_is_named():
    assert (
        scores(all_relevant_sentence_keys=None)["reasons"]["relevance"] == "`all_relevant_sentence_keys` is not a list"
    )


def test_documents_without_sentences_leave_the_shares_open():
    found = trace_scores(reply(), [])
    assert found["relevance"] is None
    assert found["reasons"]["relevance"] == "the documents have no sentences"


@pytest.mark.parametrize(
    ("written", "verdict"), [("true", True), ("True", True), ("false", False), ("no", False), (1, True)]
)
def test_a_boolean_written_as_text_is_read_and_reported(written, verdict):
    found = scores(sentence_support_information=[sentence("a", fully=written)])
    assert found["adherence"] is verdict
    assert found["repairs"] == [f"read {written!r} in `fully_supported` as {str(verdict).lower()}"]


def test_a_missing_verdict_is_not_full_support():
    found = scores(sentence_support_information=[sentence("a", fully=None)])
    assert (found["adherence"], found["unsupported_keys"]) == (False, ["a"])
    assert "a has no verdict" in found["reasons"]["adherence"]


def test_ragbenchs_own_list_of_unsupported_sentences_replaces_missing_verdicts():
    found = scores(
        sentence_support_information=[sentence("a", fully=None), sentence("b", fully=None)],
        unsupported_response_sentence_keys=["b"],
        overall_supported=False,
    )
    assert (found["adherence"], found["unsupported_keys"]) == (False, ["b"])


def test_an_empty_list_of_sentences_leaves_adherence_open():
    found = scores(sentence_support_information=[])
    assert (found["adherence"], found["reasons"]["adherence"]) == (None, "`sentence_support_information` is empty")


@pytest.mark.parametrize(
    ("wrap", "repair"),
    [
        ("{}", None),
        ("```json\n{}\n```", "took the JSON out of its code fence"),
        ("Here is my review:\n{}\nThat is all.", "left out the text around the JSON"),
    ],
)
def test_a_reply_is_read_from_its_text(wrap, repair):
    found = trace_scores(wrap.replace("{}", json.dumps(reply())), DOCUMENTS)
    assert (found["relevance"], found["adherence"]) == (0.4, True)
    assert found["repairs"] == ([repair] if repair else [])


def test_trailing_commas_are_repaired_and_reported():
    found = trace_scores(json.dumps(reply()).replace("]", ",]"), DOCUMENTS)
    assert (found["relevance"], found["repairs"]) == (0.4, ["dropped a comma before a closing bracket"])


def test_a_truncated_reply_keeps_its_scores_and_is_marked():
    text = json.dumps(reply())
    found = trace_scores(text[: text.index("all_utilized") + 3], DOCUMENTS)
    assert (found["relevance"], found["utilization"], found["adherence"]) == (0.4, None, True)
    assert "breaks off" in found["repairs"][0]


def test_a_reply_that_is_not_json_leaves_every_score_open():
    found = trace_scores("I cannot do that.", DOCUMENTS)
    assert [found[name] for name in ("relevance", "utilization", "completeness", "adherence")] == [None] * 4
    assert found["reasons"]["relevance"] == "the reply has no JSON"


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
    found = trace_scores(
        reply(
            all_relevant_sentence_keys=["0a", "0a", "9z"],
            all_utilized_sentence_keys=["0a"],
            unsupported_response_sentence_keys=[],
        ),
        DOCUMENTS,
        mode="ragbench",
    )
    sentences = sum(map(len, DOCUMENTS))
    assert (found["relevance"], found["utilization"]) == (3 / sentences, 1 / sentences)
    assert (found["completeness"], found["adherence"]) == (1 / 3, True)


def test_ragbench_calls_an_answer_to_nothing_relevant_complete():
    found = trace_scores(reply(all_relevant_sentence_keys=[]), DOCUMENTS, mode="ragbench")
    assert found["completeness"] == 1.0


def test_ragbench_counts_sentences_only():
    with pytest.raises(OutputError, match="sentences"):
        trace_scores(reply(), DOCUMENTS, unit="character", mode="ragbench")
