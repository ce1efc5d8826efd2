"""Adapters: a prompt as the arguments of a provider's call."""

import pytest

from renderer import RenderError, adapters, load

TOOL = "{type: function, function: {name: find, description: Finds, parameters: {type: object, properties: {q: {type: string}}}}}"


def document(*, model="gpt-4o", settings="{temperature: 0.2, max_tokens: 50}", body=None, extra=""):
    parts = (
        body or "- name: rules\n  role: system\n  content: Be brief.\n- name: question\n  content: '{{ question }}'\n"
    )
    return f"---\nmodel: {model}\nsettings: {settings}\n{extra}---\n{parts}"


def prompt(**more):
    return load(document(**more)).render({"question": "Why?"})


def test_openai_gets_model_messages_and_settings():
    assert adapters.openai(prompt()) == {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_tokens": 50,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    }


def test_the_stamp_travels_as_metadata_of_short_texts():
    found = adapters.openai(prompt(), stamp=True)["metadata"]
    assert found["prompt_digest"].startswith("sha256:")
    assert all(isinstance(value, str) and len(value) < 512 for value in found.values())


def test_a_setting_cannot_replace_the_prompt():
    assert adapters.openai(prompt(settings="{messages: []}"))["messages"]


def test_openai_gets_the_tools_as_declared():
    assert adapters.openai(prompt(extra=f"tools: [{TOOL}]\n"))["tools"][0]["function"]["name"] == "find"


def test_anthropic_gets_system_apart_and_its_own_words():
    found = adapters.anthropic(
        prompt(model="claude-sonnet-4", settings="{max_tokens: 9, stop: END}", extra=f"tools: [{TOOL}]\n")
    )
    assert found == {
        "model": "claude-sonnet-4",
        "max_tokens": 9,
        "stop_sequences": ["END"],
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Why?"}],
        "tools": [
            {
                "name": "find",
                "description": "Finds",
                "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}},
            }
        ],
    }


def test_anthropic_takes_the_reserve_for_max_tokens_and_needs_one():
    assert adapters.anthropic(prompt(settings="{}", extra="reserve: 70\n"))["max_tokens"] == 70
    with pytest.raises(RenderError, match="max_tokens"):
        adapters.anthropic(prompt(settings="{}"))


def test_anthropic_wants_the_user_first():
    body = "- name: a\n  role: assistant\n  content: Hi\n"
    with pytest.raises(RenderError, match="user's message first"):
        adapters.anthropic(prompt(body=body))


def test_a_completion_gets_one_text_and_the_profiles_stops():
    found = adapters.completion(prompt(model="qwen2.5-7b", settings="{}"))
    assert found["prompt"].endswith("<|im_start|>assistant\n")
    assert found["stop"] == ["<|im_end|>", "<|endoftext|>"]


def test_a_document_without_a_model_leaves_the_choice_to_the_caller():
    bare = load("- name: q\n  content: Why?\n").render({})
    assert adapters.openai(bare) == {"messages": [{"role": "user", "content": "Why?"}]}
    assert adapters.completion(bare) == {"prompt": "Why?"}
