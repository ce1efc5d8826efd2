"""Streamed replies: the three protocols on the wire, and every way in which a stream can fail."""

import asyncio
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptuary.evaluation import EchoModel, ModelError
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.protocols import PROTOCOLS
from promptuary.evaluation.streaming_models import HTTPStream, StreamRequest, WordStream, _read_events
from tests.support.stream_server import TOOL, StreamServer

REQUEST = StreamRequest([{"role": "user", "content": "May I return it?"}], {"temperature": 0.2, "max_tokens": 50})


@pytest.fixture
def server():
    with StreamServer() as model_server:
        yield model_server


def ask(server, request=REQUEST, **options):
    """The pieces and the reply."""
    reply = PartialReply()

    async def collect():
        return [piece async for piece in HTTPStream("m", server.url, key="k", **options).stream(request, reply)]

    return asyncio.run(collect()), reply


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reply_comes_in_pieces_with_its_counts(server, protocol):
    pieces, reply = ask(server, protocol=protocol)
    assert pieces == ["Yes,", " you", " can."]
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Yes, you can.", 100, 10)
    assert (reply.finish_reason, reply.is_complete) == ("stop", True)
    assert server.bodies[0]["stream"] is True


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tool_calls_are_read(server, protocol):
    server.faults = ["tool"]
    _, reply = ask(server, protocol=protocol)
    assert [(call.name, call.arguments) for call in reply.tool_calls.values()] == [(TOOL["name"], TOOL["arguments"])]
    assert reply.finish_reason == "tool_calls"


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_stream_that_is_cut_keeps_what_came(server, protocol):
    server.faults = ["cut"]
    reply = PartialReply()

    async def collect():
        async for _ in HTTPStream("m", server.url, protocol=protocol).stream(REQUEST, reply):
            pass

    with pytest.raises(ModelError, match="broke off") as caught:
        asyncio.run(collect())
    assert caught.value.retryable
    assert reply.text in ("Yes,", "Yes, you")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_in_the_middle_is_reported(server, protocol):
    server.faults = ["error"]
    with pytest.raises(ModelError, match="the provider stopped with") as caught:
        ask(server, protocol=protocol)
    assert caught.value.retryable


@pytest.mark.parametrize(("fault", "status", "retryable"), [("busy", 429, True), ("rejected", 401, False)])
def test_a_refusal_says_its_status_and_when_to_ask_again(server, fault, status, retryable):
    server.faults = [fault]
    with pytest.raises(ModelError, match=str(status)) as caught:
        ask(server)
    assert (caught.value.status, caught.value.retryable) == (status, retryable)
    assert caught.value.retry_after == (0.05 if fault == "busy" else None)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_server_that_does_not_stream_is_read_whole(server, protocol):
    server.faults = ["whole"]
    pieces, reply = ask(server, protocol=protocol)
    assert (pieces, reply.text) == (["Yes, you can."], "Yes, you can.")
    assert (reply.prompt_tokens, reply.completion_tokens) == (100, 10)
    assert (reply.finish_reason, reply.tool_calls) == ("stop", {})


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_tool_calls_of_a_server_that_does_not_stream_are_read(server, protocol):
    server.faults = ["whole tool"]
    _, reply = ask(server, protocol=protocol)
    assert [(call.name, call.arguments) for call in reply.tool_calls.values()] == [(TOOL["name"], TOOL["arguments"])]
    assert (reply.finish_reason, reply.is_complete) == ("tool_calls", True)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_refusal_of_a_server_that_does_not_stream_is_its_text(server, protocol):
    server.faults, server.words = ["whole refusal"], ["I can't", " help."]
    _, reply = ask(server, protocol=protocol)
    assert (reply.text, reply.finish_reason, reply.completion_tokens) == ("I can't help.", "refusal", 10)


@pytest.mark.parametrize(
    ("protocol", "content"),
    [
        ("openai", {"choices": [{"message": {"content": "Yes.", "reasoning_content": "Boots?"}}]}),
        (
            "responses",
            {
                "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Boots?"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]},
                ]
            },
        ),
        ("anthropic", {"content": [{"type": "thinking", "thinking": "Boots?"}, {"type": "text", "text": "Yes."}]}),
    ],
)
def test_thoughts_of_a_whole_reply_are_not_text(protocol, content):
    reply = PartialReply()
    assert (PROTOCOLS[protocol].read_whole(content, reply), reply.thoughts) == ("Yes.", "Boots?")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_error_that_comes_with_status_200_is_reported(protocol):
    error = {"error": {"type": "overloaded_error", "message": "Overloaded"}}
    with pytest.raises(ModelError, match=r"^the provider stopped with overloaded_error: Overloaded$") as caught:
        PROTOCOLS[protocol].read_whole(error, PartialReply())
    assert caught.value.retryable


def test_a_silent_server_is_left_after_the_timeout(server):
    server.faults, server.pause = ["silent"], 1.0
    with pytest.raises(ModelError, match=r"gave no answer for 0\.1 s"):
        ask(server, timeout=0.1)


def test_closing_the_iterator_ends_the_call(server):
    server.words, server.pause = ["word "] * 100, 0.05

    async def read_two():
        stream = HTTPStream("m", server.url).stream(REQUEST, PartialReply())
        pieces = [await anext(stream), await anext(stream)]
        await stream.aclose()
        while server.open_calls:
            await asyncio.sleep(0.01)
        return pieces

    assert asyncio.run(asyncio.wait_for(read_two(), 4)) == ["word ", "word "]


def test_the_events_are_those_that_the_openai_package_reads(server):
    import openai  # noqa: PLC0415 here: it takes half a second, which each process of a run would pay

    client: Any = openai.OpenAI(api_key="k", base_url=server.url, max_retries=0)
    arguments = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    chunks = list(client.chat.completions.create(messages=REQUEST.messages, **arguments))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Yes, you can."
    events = list(client.responses.create(model="m", input="May I?", stream=True))
    assert events[-1].response.output_text == "Yes, you can."
    server.faults = ["whole tool", "whole refusal", "whole refusal"]
    whole = client.chat.completions.create(model="m", messages=REQUEST.messages).choices[0].message
    assert whole.tool_calls[0].function.name == TOOL["name"]
    assert client.chat.completions.create(model="m", messages=REQUEST.messages).choices[0].message.refusal
    assert client.responses.create(model="m", input="May I?").output[0].content[0].refusal == "Yes, you can."
    ask(server)
    assert {name: server.bodies[-1][name] for name in arguments} == {name: server.bodies[0][name] for name in arguments}


def test_the_events_are_those_that_the_anthropic_package_reads(server):
    import anthropic  # noqa: PLC0415 here, for the same reason

    client: Any = anthropic.Anthropic(api_key="k", base_url=server.url.removesuffix("/v1"), max_retries=0)
    with client.messages.stream(model="m", max_tokens=50, messages=REQUEST.messages) as stream:
        assert stream.get_final_text() == "Yes, you can."
    server.faults = ["whole tool"]
    whole = client.messages.create(model="m", max_tokens=50, messages=REQUEST.messages)
    assert (whole.stop_reason, whole.content[1].name) == ("tool_use", TOOL["name"])
    ask(server, protocol="anthropic")
    sent, _, own = server.bodies
    assert {**own, "temperature": None} == {**sent, "temperature": None}


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)), st.data())
def test_events_are_read_wherever_the_bytes_are_cut(texts, data):
    content = "".join(f"event: x\r\ndata: {text}\r\n\r\n" for text in texts).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=6)))
    chunks = [content[start:end] for start, end in zip([0, *cuts], [*cuts, len(content)], strict=True)]

    async def send():
        for chunk in chunks:
            yield chunk

    async def collect():
        return [event async for event in _read_events(httpx.Response(200, content=send()))]

    assert asyncio.run(collect()) == texts


def test_echo_streams_word_by_word():
    reply = PartialReply()

    async def collect():
        return [piece async for piece in WordStream(EchoModel(), pause=0).stream(REQUEST, reply)]

    assert asyncio.run(collect()) == ["May", " I", " return", " it?"]
    assert (reply.text, reply.finish_reason) == ("May I return it?", "stop")
