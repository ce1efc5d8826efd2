"""Calls of tools in messages become text and their results parts of the role tool; each difference is named."""

import json

import pytest

from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pasted import read_pasted_prompt
from tests.renderer.interop.imports import list_differences, read_one, render_messages

CALL = '{"name": "find_parcel", "arguments": {"number": "7"}}'
ASKED = ("user", "Where is parcel 7?")
ANSWERED = ("tool", "in Bonn")
FUNCTION = {"name": "find_parcel", "arguments": '{"number": "7"}'}

OF_CHAT_COMPLETIONS = [
    {"role": "user", "content": "Where is parcel {number}?"},
    {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": FUNCTION}]},
    {"role": "tool", "tool_call_id": "c1", "content": "in Bonn"},
]
OF_OLD_FUNCTIONS = [
    OF_CHAT_COMPLETIONS[0],
    {"role": "assistant", "content": None, "function_call": FUNCTION},
    {"role": "function", "name": "find_parcel", "content": "in Bonn"},
]
OF_ANTHROPIC = [
    OF_CHAT_COMPLETIONS[0],
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Look it up.", "signature": "s"},
            {"type": "tool_use", "id": "t1", "name": "find_parcel", "input": {"number": "7"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "in Bonn"}]},
]
OF_RESPONSES = {
    "model": "gpt-5",
    "input": [
        OF_CHAT_COMPLETIONS[0],
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "function_call", "call_id": "c1", **FUNCTION},
        {"type": "function_call_output", "call_id": "c1", "output": "in Bonn"},
    ],
}


@pytest.mark.parametrize("value", [OF_CHAT_COMPLETIONS, OF_OLD_FUNCTIONS, OF_ANTHROPIC, OF_RESPONSES])
def test_calls_and_results_are_kept_in_their_order(value):
    template = read_one("chat.json", value)
    assert template.source_format == "chat-messages"
    assert render_messages(template, number="7") == [ASKED, ("assistant", CALL), ANSWERED]
    assert "its call of `find_parcel` is text without its id" in list_differences(template)


def test_ids_and_reasoning_are_left_out_by_name():
    assert "message 3: `tool_call_id` is left out" in list_differences(read_one("chat.json", OF_CHAT_COMPLETIONS))
    anthropic = list_differences(read_one("chat.json", OF_ANTHROPIC))
    assert "message 2: its reasoning is left out" in anthropic
    assert "message 3: the result of a call is a part of the role tool" in anthropic
    assert "message 2: its reasoning is left out" in list_differences(read_one("chat.json", OF_RESPONSES))


def test_text_next_to_a_call_and_a_result_stays():
    messages = [
        {"role": "assistant", "content": "I look.", "tool_calls": [{"function": FUNCTION}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "content": [{"type": "text", "text": "in {town}"}]},
                {"type": "text", "text": "And {other}?"},
            ],
        },
    ]
    assert render_messages(read_one("chat.json", messages), town="Bonn", other="8") == [
        ("assistant", f"I look.\n{CALL}"),
        ("tool", "in Bonn"),
        ("user", "And 8?"),
    ]


@pytest.mark.parametrize(("arguments", "written"), [("plain {text}", '"plain x"'), ("", "{}"), (None, "{}")])
def test_arguments_that_are_not_json_are_text(arguments, written):
    messages = [{"role": "assistant", "tool_calls": [{"function": {"name": "say", "arguments": arguments}}]}]
    assert render_messages(read_one("chat.json", messages), text="x") == [
        ("assistant", f'{{"name": "say", "arguments": {written}}}')
    ]


def test_a_call_without_a_name_is_refused_with_its_message():
    with pytest.raises(LossError, match="message 1: the call of a tool has no name"):
        read_one("chat.json", [{"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}])
    with pytest.raises(LossError, match="`tool_calls` isn't a list"):
        read_one("chat.json", [{"role": "assistant", "content": None, "tool_calls": 1}])


def test_pasted_messages_with_calls_are_messages():
    pasted = read_pasted_prompt(json.dumps(OF_CHAT_COMPLETIONS))
    assert (pasted.kind, pasted.count) == ("messages", 3)


def test_an_image_of_anthropic_comes_after_the_text():
    content = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}},
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
        {"type": "text", "text": "Compare them."},
    ]
    template = read_one("chat.json", [{"role": "user", "content": content}])
    ((_, items),) = render_messages(template)
    assert [item.get("text") or item["image_url"]["url"] for item in items] == [
        "Compare them.",
        "data:image/png;base64,iVBORw==",
        "https://a.example/b.png",
    ]
    assert "message 1: its images come after its text" in list_differences(template)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("langfuse.json", {"name": "parcel", "type": "chat", "prompt": OF_CHAT_COMPLETIONS}),
        (
            "promptlayer.json",
            {"prompt_name": "parcel", "prompt_template": {"type": "chat", "messages": OF_CHAT_COMPLETIONS}},
        ),
        (
            "mlflow.json",
            {
                "name": "parcel",
                "version": 1,
                "tags": [
                    {"key": "mlflow.prompt.is_prompt", "value": "true"},
                    {"key": "_mlflow_prompt_type", "value": "chat"},
                    {"key": "mlflow.prompt.text", "value": json.dumps(OF_CHAT_COMPLETIONS)},
                ],
            },
        ),
    ],
)
def test_prompts_of_other_registries_keep_their_calls(path, value):
    template = read_one(path, value)
    assert [role for role, _ in render_messages(template, number="7")] == ["user", "assistant", "tool"]
    assert render_messages(template, number="7")[1] == ("assistant", CALL)
