"""Messages that LangChain stored or serialised, without a prompt around them."""

import json

import pytest

from promptuary.renderer.interop.reading import detect_format
from promptuary.renderer.interop.source_file import read_source_file
from tests.renderer.interop.imports import list_differences, read_one, render_messages

STORED = [
    {"type": "system", "data": {"content": "Be kind.", "type": "system"}},
    {"type": "human", "data": {"content": "Weather in {place}?"}},
    {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "get", "args": {"a": 1}, "id": "c"}]}},
    {"type": "tool", "data": {"content": "Rain", "tool_call_id": "c"}},
    {"type": "chat", "data": {"content": "It rains.", "role": "assistant"}},
]
STORED_ROWS = [
    ("system", "Be kind."),
    ("user", "Weather in Bonn?"),
    ("assistant", '{"name": "get", "arguments": {"a": 1}}'),
    ("tool", "Rain"),
    ("assistant", "It rains."),
]


def _serialised(name, **fields):
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": fields}


@pytest.mark.parametrize("value", [STORED, {"messages": STORED}], ids=["list", "history"])
def test_messages_that_langchain_stored_are_read(value):
    template = read_one("pasted", value)
    assert render_messages(template, place="Bonn") == STORED_ROWS
    assert "message 3: its call of `get` is text without its id" in list_differences(template)


def test_messages_that_langchain_serialised_are_read():
    value = [_serialised("HumanMessage", content="Hi"), _serialised("AIMessage", content="Hello")]
    assert render_messages(read_one("pasted", value)) == [("user", "Hi"), ("assistant", "Hello")]
    assert render_messages(read_one("pasted", value[0])) == [("user", "Hi")]


def test_a_call_in_a_chat_prompt_of_langchain_is_text_and_named():
    message = _serialised("AIMessage", content="So:", tool_calls=[{"name": "get", "args": {}, "id": "c"}])
    prompt = _serialised("ChatPromptTemplate", messages=[message], input_variables=[])
    template = read_one("pasted", prompt)
    assert render_messages(template) == [("assistant", 'So:\n{"name": "get", "arguments": {}}')]
    assert "the call of `get` is text without its id" in list_differences(template)


@pytest.mark.parametrize("value", [[{"type": "human"}], [{"type": "cat", "data": {"content": "x"}}], [STORED[0], 3]])
def test_a_list_of_other_things_is_not_a_stored_conversation(value):
    assert detect_format(read_source_file("pasted", json.dumps(value).encode())).name == "text"
