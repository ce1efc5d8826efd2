"""The starter documents of the formats shaped and prompter:
sound, sampled, and under the names Haystack's users know."""

from pathlib import Path

import pytest

from promptuary import renderer
from promptuary.renderer.syntax.yaml_reader import compose, read_value

FOLDER = Path(__file__).parents[3] / "registry" / "starter" / "demo"
HAYSTACK = (
    "question-answering", "question-answering-per-document", "question-answering-with-references",
    "question-answering-with-document-scores", "question-generation", "conditioned-question-generation",
    "summarization",
    "question-answering-check", "sentiment-analysis", "multiple-choice-question-answering", "topic-classification",
    "language-detection", "translation", "zero-shot-react", "conversational-agent", "conversational-summary",
    "conversational-agent-without-tools",
)  # fmt: skip
STARTERS = (*HAYSTACK, "product-chat", "one-task", "judge-answer-support")


def document(name: str) -> str:
    return (FOLDER / f"{name}.yml.j2").read_text(encoding="utf-8")


def samples(name: str):
    return read_value(compose((FOLDER / f"{name}.samples.yml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_and_its_samples_have_no_problems(name):
    assert renderer.validate(document(name), samples(name)) == []


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_has_typed_inputs_a_limit_and_a_sample(name):
    found = renderer.load(document(name)).document
    assert found.inputs
    assert found.token_limit
    assert samples(name)


def test_references_are_read_from_a_reply():
    template = renderer.load(document("question-answering-with-references"))
    data = {"query": "q", "documents": [{"content": "a", "id": "x"}, {"content": "b", "id": "y"}]}
    (answer,) = template.read("As stated in Document[2,1].", data)["answers"]
    assert answer["document_ids"] == ["y", "x"]


def test_a_starter_a_document_asks_about_each_by_itself():
    template = renderer.load(document("question-answering-per-document"))
    data = {"query": "why?", "documents": [{"content": "Zebra", "id": "x"}, {"content": "Yak", "id": "y"}]}
    assert ["Zebra" in prompt.text for prompt in template.render_all(data)] == [True, False]
    assert [answer["document_ids"] for answer in template.read(["a", "b"], data)["answers"]] == [["x"], ["y"]]


def test_the_product_chat_serves_an_online_and_a_local_model():
    data = samples("product-chat")["a lamp"]
    online = renderer.load(document("product-chat"), profile="openai-chat").render(data)
    local = renderer.load(document("product-chat"), profile="qwen3").render(data)
    assert [message["role"] for message in online.messages] == ["system", "user", "assistant", "user"]
    assert local.text.startswith("<|im_start|>system\nYou are the voice of a small workshop.\n")


def test_the_judge_numbers_the_sentences_and_scores_the_reply():
    template, data = (
        renderer.load(document("judge-answer-support")),
        samples("judge-answer-support")["supported in part"],
    )
    text = template.render(data).text
    assert "0a. The bridge was opened in 1932.\n0b. It carries" in text
    assert "\na. The bridge was opened in 1932.\nb. Lorries" in text
    reply = (
        '{"all_relevant_sentence_keys": ["0a", "1a"], "all_utilized_sentence_keys": ["0a"], '
        '"sentence_support_information": '
        '[{"response_sentence_key": "b", "supporting_sentence_keys": [], "fully_supported": false}]}'
    )
    scores = template.read(f"```json\n{reply}\n```", data)["scores"]
    assert (scores["completeness"], scores["adherence"], scores["unsupported_keys"]) == (0.5, False, ["b"])
