"""Chat markup of open models, and turns that begin with labels: one part per message."""

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.labelled_turns import count_labelled_turns
from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import read_templates
from tests.renderer.interop.imports import list_differences, read_one, render_messages

LLAMA_2 = "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\n{question} [/INST]"
LLAMA_3 = (
    "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe kind.<|eot_id|>"
    "<|start_header_id|>user<|end_header_id|>\n\n{question}<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
)
ZEPHYR = "<|system|>\nBe kind.</s>\n<|user|>\n{question}</s>\n<|assistant|>\n"
PHI = "<|system|>\nBe kind.<|end|>\n<|user|>\n{question}<|end|>\n<|assistant|>"
GEMMA = "<bos><start_of_turn>system\nBe kind.<end_of_turn>\n<start_of_turn>user\n{question}<end_of_turn>\n"
ASKED = [("system", "Be kind."), ("user", "Why?")]


@pytest.mark.parametrize("text", [LLAMA_2, LLAMA_3, ZEPHYR, PHI, GEMMA])
def test_each_markup_becomes_parts_without_its_marks(text):
    template = read_one("pasted", text)
    assert template.source_format == "chat-markup"
    assert render_messages(template, question="Why?") == ASKED
    assert "the markers are left out" in list_differences(template)


def test_a_conversation_keeps_its_answers():
    template = read_one("pasted", "<s>[INST] Hi [/INST] Hello! </s><s>[INST] {question} [/INST]")
    assert render_messages(template, question="Why?") == [("user", "Hi"), ("assistant", "Hello!"), ("user", "Why?")]


def test_a_model_is_an_assistant():
    template = read_one("pasted", "<start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>")
    assert render_messages(template) == [("user", "Hi"), ("assistant", "Hello")]


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("[INST] {question}", "is not closed"),
        ("<|user|>\nHi<|end|>\nand more\n<|assistant|>\n", "line 2: there is text between two messages"),
    ],
)
def test_markup_that_is_not_whole_is_refused(text, expected_text):
    with pytest.raises(LossError, match=expected_text):
        read_templates("pasted", text.encode())


@pytest.mark.parametrize("text", ["Explain what <|user|> marks.", "The marker [INST] starts a turn."])
def test_a_text_about_markup_stays_a_text(text):
    assert read_one("pasted", text).source_format == "text"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("SYSTEM: Be kind.\nUSER: {question}\nASSISTANT:", ASKED),
        ("Be kind.\n\nHuman: {question}\n\nAssistant:", ASKED),
        ("Be kind. USER: {question} ASSISTANT: ", ASKED),
        ("### System:\nBe kind.\n### User:\n{question}\n### Assistant:\n", ASKED),
        ("**User:** {question}\n**Assistant:** Because.", [("user", "Why?"), ("assistant", "Because.")]),
    ],
)
def test_labels_become_roles_on_request(text, messages):
    assert read_one("pasted", text).source_format == "text"
    assert count_labelled_turns(text) == len(messages)
    template = read_one("pasted", text, "labelled-turns")
    assert render_messages(template, question="Why?") == messages
    assert "the labels of the turns" in list_differences(template)


@pytest.mark.parametrize("text", ["User: {question}", "No label at all.", "The user: a person. The assistant: a tool."])
def test_a_text_without_both_roles_has_no_turns(text):
    assert count_labelled_turns(text) == 0


def test_a_text_without_labels_is_refused_as_turns():
    with pytest.raises(LossError, match="no line starts with"):
        read_templates("pasted", b"Hello", "labelled-turns")


@pytest.mark.parametrize(
    "text",
    [
        "{% for turn in turns %}\nUSER: {{ turn.asked }}\nASSISTANT: {{ turn.told }}\n{% endfor %}\n",
        "{% set example %}\nUSER: Hi\nASSISTANT: Hello\n{% endset %}\nDo as here: {{ example }}\n",
    ],
)
def test_turns_with_a_block_over_several_of_them_are_one_text(text):
    assert count_labelled_turns(text) == 0
    with pytest.raises(LossError, match="goes over several turns"):
        read_templates("pasted", text.encode(), "labelled-turns")
    pasted = read_pasted_prompt(text)
    assert pasted is None or pasted.count == 1


def test_turns_with_whole_blocks_are_split():
    text = "USER: Hi{% if name %} {{ name }}{% endif %}{% set x = 1 %}\nASSISTANT: Hello\n"
    assert count_labelled_turns(text) == 2
    assert render_messages(read_one("pasted", text, "labelled-turns"), name="Ann") == [
        ("user", "Hi Ann"),
        ("assistant", "Hello"),
    ]
