"""Output shapers one by one: `shape(name, inputs, params)`."""

from datetime import UTC, datetime
from typing import Any

import pytest

from promptuary.renderer.errors import OutputError
from promptuary.renderer.replies.shapers import SHAPERS, shape
from promptuary.renderer.replies.shapers.context import Reader

DOCUMENTS = [{"content": "one", "id": "d1"}, {"content": "two", "id": "d2"}, {"content": "three", "id": "d3"}]
NUMBER = r"\[(\d+)\]"


def references(text: str, pattern: str = NUMBER, **params) -> list[str]:
    inputs = {"strings": [text], "documents": params.pop("documents", DOCUMENTS)}
    (answer,) = shape("strings_to_answers", inputs, {"reference_pattern": pattern, **params})
    return list(answer["document_ids"])


def refusal(name: str, inputs: dict[str, Any], params: dict[str, Any] | None = None) -> str:
    with pytest.raises(OutputError) as caught:
        shape(name, inputs, params)
    return caught.value.message


def test_every_shaper_of_haystack_exists():
    assert {
        "rename", "current_datetime", "value_to_list", "join_lists", "join_strings", "format_string", "join_documents",
        "join_documents_and_scores", "join_documents_to_string", "strings_to_answers", "answers_to_strings",
        "strings_to_documents", "documents_to_strings", "json", "trace_scores",
    } == set(SHAPERS)  # fmt: skip


def test_an_unknown_shaper_suggests_the_likely_one():
    assert refusal("string_to_answers", {}) == "`string_to_answers` is not a shaper; did you mean `strings_to_answers`?"


def test_an_unknown_argument_suggests_the_likely_one():
    assert "did you mean `strings`?" in refusal("join_strings", {"string": []})


def test_a_missing_argument_is_named():
    assert refusal("value_to_list", {"value": 1}) == "value_to_list needs `target_list`, which is not given"


def test_inputs_go_before_params():
    assert shape("rename", {"value": 1}, {"value": 2}) == 1


def test_current_datetime_reads_the_given_clock():
    clock = lambda: datetime(2024, 2, 29, 13, 5, 7, tzinfo=UTC)  # noqa: E731 -- a one-line clock
    assert shape("current_datetime", {}, clock=clock) == "13:05:07 29/02/24"
    assert shape("current_datetime", {}, {"format": "%Y-%m-%d"}, clock=clock) == "2024-02-29"


def test_format_string_replaces_in_order():
    assert shape("format_string", {"string": "ab"}, {"str_replace": {"a": "b", "b": "c"}}) == "cc"


def test_documents_are_joined_to_one_text():
    text = shape("join_documents_to_string", {"documents": DOCUMENTS}, {"delimiter": "\n", "pattern": "$idx:$id"})
    assert text == "1:d1\n2:d2\n3:d3"


def test_the_score_may_be_next_to_the_meta():
    (document,) = shape("join_documents_and_scores", {"documents": [{"content": "a", "score": 0.456}]})
    assert document["content"] == "-[0.46] a"


def test_a_document_without_a_score_is_refused():
    assert "has no score" in refusal("join_documents_and_scores", {"documents": DOCUMENTS})


def test_an_answer_has_all_of_haystacks_fields():
    (answer,) = shape("strings_to_answers", {"strings": ["yes"]})
    assert answer == {
        "answer": "yes",
        "type": "generative",
        "score": None,
        "context": None,
        "offsets_in_document": None,
        "offsets_in_context": None,
        "document_ids": None,
        "meta": {"prompt": None},
    }


@pytest.mark.parametrize(
    "text",
    ["as in [1,3]", "as in [1, 3]", "as in [1; 3]", "as in [1 and 3]", "see [1][3]", "see [1] [3] [1]", "[1,3,3]"],
)
def test_each_of_several_references_is_listed_once(text):
    assert references(text) == ["d1", "d3"]


@pytest.mark.parametrize("pattern", [r"Document\[(\d+)\]", r"Document\[([\d, ]+)\]", r"Document\[(?:no )?(\d+)\]"])
def test_several_references_in_one_bracket_are_found_whatever_the_pattern(pattern):
    assert references("as stated in Document[2, 3].", pattern) == ["d2", "d3"]


def test_a_pattern_without_a_group_takes_the_whole_match():
    assert references("3 and 1", r"\d") == ["d3", "d1"]


def test_parentheses_in_classes_and_escapes_are_not_groups():
    assert references(r"see (2)", r"[(](\d)\)") == ["d2"]


def test_references_by_id_with_commas_in_them_are_found():
    documents = [{"content": "x", "id": "a,b"}]
    assert references("<a,b>", "<([^>]+)>", documents=documents, reference_mode="id") == ["a,b"]


def test_references_by_a_meta_number_are_found():
    documents = [{"content": "x", "id": "i", "meta": {"page": 7}}]
    params = {"reference_mode": "meta", "reference_meta_field": "page"}
    assert references("p. 7", r"p\. (\d)", documents=documents, **params) == ["i"]


def test_an_unknown_reference_is_left_out_and_noted():
    reader = Reader()
    SHAPERS["strings_to_answers"].run(
        {"strings": ["[9]", "[1]"], "documents": DOCUMENTS, "reference_pattern": NUMBER}, reader
    )
    assert reader.notes == ["answer 1 refers to 9, which is not a document it was given"]


def test_two_groups_in_a_reference_pattern_are_refused():
    assert "2 groups" in refusal(
        "strings_to_answers", {"strings": ["a"], "documents": DOCUMENTS}, {"reference_pattern": "(a)(b)"}
    )


def test_a_broken_pattern_is_refused_with_its_cause():
    assert "not a regular expression" in refusal("strings_to_answers", {"strings": ["a"]}, {"pattern": "("})


def test_replies_of_a_fan_out_belong_to_their_document():
    inputs = {"strings": ["a", "b", "c", "d", "e", "f"], "prompts": ["p", "q", "r"], "documents": DOCUMENTS}
    answers = shape("strings_to_answers", inputs)
    assert [answer["document_ids"] for answer in answers] == [["d1"], ["d1"], ["d2"], ["d2"], ["d3"], ["d3"]]
    assert [answer["meta"]["prompt"] for answer in answers] == ["p", "p", "q", "q", "r", "r"]


def test_a_text_where_a_list_belongs_is_refused():
    assert "`strings` must be a list" in refusal("strings_to_answers", {"strings": "yes"})


def test_wrong_documents_are_refused_under_the_shapers_name():
    assert refusal("documents_to_strings", {"documents": [1]}).startswith("documents_to_strings: documents must be")


def test_json_of_one_reply_is_its_value():
    assert shape("json", {"strings": '{"a": 1}'}) == {"a": 1}


def test_json_of_several_replies_is_a_list():
    assert shape("json", {"strings": ['{"a": 1}', "```json\n[2]\n```"]}) == [{"a": 1}, [2]]


def test_json_that_does_not_fit_the_schema_names_the_reply_and_the_place():
    schema = {"properties": {"a": {"type": "integer"}}}
    message = refusal("json", {"strings": ['{"a": 1}', '{"a": []}']}, {"schema": schema})
    assert message.startswith("json: reply 2: `a` in the reply must be a whole number")


def test_trace_scores_are_a_shaper_too():
    reply = {"all_relevant_sentence_keys": ["0a"], "all_utilized_sentence_keys": []}
    scores = shape("trace_scores", {"reply": reply, "documents": ["One. Two."]})
    assert (scores["relevance"], scores["utilization"]) == (0.5, 0.0)
