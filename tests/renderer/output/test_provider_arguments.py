"""Adapters: a prompt as the arguments of a provider's call."""

import pytest

from promptuary.renderer import RenderError, load
from promptuary.renderer.output import provider_arguments

TOOL = (
    "{type: function, function: {name: find, description: Finds, parameters: {type: object, "
    "properties: {q: {type: string}}}}}"
)


def document(*, model="gpt-4o", settings="{temperature: 0.2, max_tokens: 50}", body=None, extra=""):
    parts = (
        body or "- name: rules\n  role: system\n  content: Be brief.\n- name: question\n  content: '{{ question }}'\n"
    )
    return f"---\nmodel: {model}\nsettings: {settings}\n{extra}---\n{parts}"


def prompt(**more):
    return load(document(**more)).render({"question": "Why?"})


def test_openai_gets_model_messages_and_settings():
    assert provider_arguments.openai(prompt()) == {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_tokens": 50,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
    }


def test_the_stamp_travels_as_metadata_of_short_texts():
    arguments = provider_arguments.openai(prompt(), stamp=True)["metadata"]
    assert arguments["prompt_digest"].startswith("sha256:")
    assert all(isinstance(value, str) and len(value) < 512 for value in arguments.values())


def test_a_setting_cannot_replace_the_prompt():
    assert provider_arguments.openai(prompt(settings="{messages: []}"))["messages"]


def test_openai_gets_the_tools_as_declared():
    assert provider_arguments.openai(prompt(extra=f"tools: [{TOOL}]\n"))["tools"][0]["function"]["name"] == "find"


def test_anthropic_gets_system_apart_and_its_own_words():
    arguments = provider_arguments.anthropic(
        prompt(model="claude-sonnet-4", settings="{max_tokens: 9, stop: END}", extra=f"tools: [{TOOL}]\n")
    )
    assert arguments == {
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


@pytest.mark.parametrize(
    ("adapter", "name"),
    [
        (provider_arguments.openai, "max_completion_tokens"),
        (provider_arguments.responses, "max_output_tokens"),
        (provider_arguments.anthropic, "max_tokens"),
        (provider_arguments.completion, "max_tokens"),
    ],
)
def test_the_longest_reply_goes_by_the_name_of_the_call(adapter, name):
    arguments = adapter(prompt(settings="{max_output_tokens: 9}"))
    assert {key: value for key, value in arguments.items() if key.startswith("max_")} == {name: 9}


def test_anthropic_takes_the_reserve_for_max_tokens_and_needs_one():
    assert provider_arguments.anthropic(prompt(settings="{}", extra="reserve: 70\n"))["max_tokens"] == 70
    with pytest.raises(RenderError, match="max_tokens"):
        provider_arguments.anthropic(prompt(settings="{}"))


def test_anthropic_wants_the_user_first():
    body = "- name: a\n  role: assistant\n  content: Hi\n"
    with pytest.raises(RenderError, match="user's message first"):
        provider_arguments.anthropic(prompt(body=body, settings="{max_tokens: 5}"))


def test_a_completion_gets_one_text_and_the_profiles_stops():
    arguments = provider_arguments.completion(prompt(model="qwen2.5-7b", settings="{}"))
    assert arguments["prompt"].endswith("<|im_start|>assistant\n")
    assert arguments["stop"] == ["<|im_end|>", "<|endoftext|>"]


def test_a_document_without_a_model_leaves_the_choice_to_the_caller():
    bare = load("- name: q\n  content: Why?\n").render({})
    assert provider_arguments.openai(bare) == {"messages": [{"role": "user", "content": "Why?"}]}
    assert provider_arguments.completion(bare) == {"prompt": "Why?"}


def old_create(*, model, messages, max_tokens, temperature=None):
    """A call that still takes the temperature."""


def any_create(**options):
    """A call that takes anything, as LiteLLM's does."""


def test_settings_are_held_to_the_call_that_is_given():
    settings = "{temperature: 0.2, max_tokens: 50, top_k: 5}"
    with pytest.warns(provider_arguments.SettingIgnored, match="top_k$"):
        arguments = provider_arguments.anthropic(prompt(settings=settings), call=old_create)
    assert (arguments["temperature"], "top_k" in arguments) == (0.2, False)
    assert provider_arguments.openai(prompt(settings=settings), call=any_create)["top_k"] == 5


def test_a_warning_names_settings_and_never_their_values():
    with pytest.warns(provider_arguments.SettingIgnored) as warned:
        provider_arguments.openai(prompt(settings="{my_key: a-secret-value}"))
    assert "my_key" in str(warned[0].message)
    assert "a-secret-value" not in str(warned[0].message)


def test_responses_take_images_and_files_in_their_form():
    body = (
        "- name: a\n  content:\n  - {type: text, text: See}\n"
        "  - {type: image_url, image_url: {url: 'https://x/y.png', detail: low}}\n"
        "  - {type: file, file: {file_id: f1}}\n- name: b\n  role: assistant\n  content: [{type: text, text: Seen}]\n"
    )
    first, second = provider_arguments.responses(prompt(body=body, settings="{}"))["input"]
    assert first["content"] == [
        {"type": "input_text", "text": "See"},
        {"type": "input_image", "image_url": "https://x/y.png", "detail": "low"},
        {"type": "input_file", "file_id": "f1"},
    ]
    assert second["content"] == [{"type": "output_text", "text": "Seen"}]


def test_responses_refuse_the_reply_of_a_tool():
    with pytest.raises(RenderError, match="role `tool`"):
        provider_arguments.responses(prompt(body="- name: a\n  role: tool\n  content: x\n", settings="{}"))


def test_anthropic_gets_the_choice_of_a_tool_in_its_form():
    arguments = provider_arguments.anthropic(prompt(settings="{max_tokens: 5, tool_choice: required}"))
    assert arguments["tool_choice"] == {"type": "any"}
