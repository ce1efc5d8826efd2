"""Unusual forms of streamed replies that providers and local servers send."""

import asyncio

import pytest

from promptuary.evaluation import ModelError
from promptuary.evaluation.characters import CharacterReader, clean_text
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.streaming_models import HTTPStream, StreamRequest
from tests.support.stream_server import StreamServer

REQUEST = StreamRequest([{"role": "user", "content": "May I return it?"}], {"max_tokens": 50})


@pytest.fixture
def server():
    with StreamServer() as model_server:
        yield model_server


@pytest.fixture
def read(server):
    """Read a reply of these events; gives the reply and the error that ended it."""

    def run(events, protocol="openai", **options):
        server.faults = [events]
        reply = PartialReply()

        async def collect():
            async for _ in HTTPStream("m", server.url, protocol=protocol, **options).stream(REQUEST, reply):
                pass

        try:
            asyncio.run(collect())
        except ModelError as error:
            return reply, str(error)
        return reply, ""

    return run


def chunk(reason=None, **delta):
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def calls_of(reply):
    return [(call.name, call.arguments) for call in reply.tool_calls.values()]


def test_two_calls_in_many_deltas_are_distinguished(read):
    def part(index, **fields):
        return chunk(tool_calls=[{"index": index, **fields}])

    first, second = ({"id": f"t{n}", "function": {"name": f"tool_{n}", "arguments": ""}} for n in (1, 2))
    halves = [part(index, function={"arguments": text}) for text in ('{"a"', ":1}") for index in (0, 1)]
    reply, _ = read([part(0, **first), part(1, **second), *halves, chunk("tool_calls")])
    assert calls_of(reply) == [("tool_1", '{"a":1}'), ("tool_2", '{"a":1}')]


def test_calls_without_an_index_are_distinguished_by_their_ids(read):
    events = [
        chunk(tool_calls=[{"id": "t1", "function": {"name": "look_up", "arguments": '{"a":'}}]),
        chunk(tool_calls=[{"function": {"arguments": "1}"}}]),
        chunk(tool_calls=[{"id": "t2", "function": {"name": "cancel", "arguments": "{}"}}]),
        chunk("tool_calls"),
    ]
    assert calls_of(read(events)[0]) == [("look_up", '{"a":1}'), ("cancel", "{}")]


def test_a_last_chunk_without_choices_has_the_counts(read):
    usage = {"prompt_tokens": 7, "completion_tokens": 2}
    reply, problem = read([chunk(content="Yes."), chunk("stop"), {"choices": [], "usage": usage}])
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens, problem) == ("Yes.", 7, 2, "")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_are_not_text(read, name):
    reply, _ = read([chunk(**{name: "Boots?", "content": None}), chunk(content="Yes."), chunk("stop")])
    assert (reply.thoughts, reply.text) == ("Boots?", "Yes.")


def test_content_in_parts_is_joined(read):
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Yes."}]
    assert read([chunk(content=parts), chunk("stop")])[0].text == "Yes."


def test_a_refusal_is_the_text(read):
    reply, _ = read([chunk(refusal="I can't"), chunk(refusal=" help."), chunk("stop")])
    assert (reply.text, reply.finish_reason) == ("I can't help.", "refusal")


def test_a_response_that_ends_incomplete_says_why(read):
    delta = {"type": "response.output_text.delta", "delta": "Yes,"}
    end = {"incomplete_details": {"reason": "max_output_tokens"}, "usage": {"input_tokens": 7, "output_tokens": 2}}
    reply, problem = read([delta, {"type": "response.incomplete", "response": end}], "responses")
    assert (reply.text, reply.finish_reason, reply.completion_tokens, problem) == ("Yes,", "length", 2, "")


def test_a_responses_call_that_is_cut_keeps_what_came(read):
    item = {"type": "function_call", "name": "look_up", "arguments": ""}
    place = {"output_index": 0}
    events = [
        {"type": "response.reasoning_summary_text.delta", "delta": "Boots?", **place},
        {"type": "response.output_item.added", "item": item, **place},
        {"type": "response.function_call_arguments.delta", "delta": '{"order":', **place},
    ]
    reply, problem = read(events, "responses")
    assert (calls_of(reply), reply.thoughts) == ([("look_up", '{"order":')], "Boots?")
    assert "broke off" in problem


def test_thoughts_and_tools_of_anthropics_own_are_read_past(read):
    def block(kind, index, **delta):
        start = {"type": "content_block_start", "index": index, "content_block": {"type": kind, "name": "web_search"}}
        return [start, {"type": "content_block_delta", "index": index, "delta": delta}]

    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
        {"type": "ping"},
        *block("thinking", 0, type="thinking_delta", thinking="Boots?"),
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "x"}},
        *block("server_tool_use", 1, type="input_json_delta", partial_json='{"query"'),
        *block("text", 2, type="text_delta", text="Yes."),
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    reply, problem = read(events, "anthropic")
    assert (reply.text, reply.thoughts, calls_of(reply), problem) == ("Yes.", "Boots?", [], "")


def test_an_overloaded_provider_keeps_what_came(read):
    text = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Yes,"}}
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply, problem = read([text, error], "anthropic")
    assert (reply.text, problem) == ("Yes,", "the provider stopped with overloaded_error: Overloaded")


def test_a_server_that_stalls_is_reported_to_send_nothing_more(read, server):
    server.pause = 0.2
    reply, problem = read("stalled", timeout=1)
    assert reply.text == "Yes, you"
    assert problem.endswith("sent nothing more for 1 s")


def test_characters_that_no_database_stores_are_replaced(read):
    tool = {"index": 0, "id": "t1", "function": {"name": "look_up", "arguments": "\0\ud83d"}}
    halves = [chunk(content="A\ud83d"), chunk(content="\ude00B\0"), chunk(content="\ude00C")]
    reply, _ = read([*halves, chunk(tool_calls=[tool]), chunk("stop")])
    assert (reply.text, calls_of(reply)) == ("A\U0001f600B\ufffd\ufffdC", [("look_up", "\ufffd\ufffd")])


def test_an_errors_words_can_be_stored(read):
    assert read([{"error": {"type": "server_error", "message": "out\0 of \udc00"}}])[1].endswith("out\ufffd of \ufffd")


def test_plain_text_stays_as_it_is():
    for text in ("", "plain", "Grüße \U0001f600 \ue000"):
        assert clean_text(text) == CharacterReader().read(text) == text
