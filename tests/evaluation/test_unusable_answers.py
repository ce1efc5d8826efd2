"""Server responses without a readable reply, streamed and whole: the message for each, and its cost."""

import asyncio
import json
import time

import pytest

from promptuary.evaluation import HTTPModel, ModelError
from promptuary.evaluation.models import ModelInput
from promptuary.evaluation.partial_reply import PartialReply
from promptuary.evaluation.streaming_models import HTTPStream, StreamRequest
from tests.support.slow_server import serve_slowly
from tests.support.stream_server import RawAnswer, StreamServer

MESSAGES = [{"role": "user", "content": "May I return it?"}]
JSON = "application/json"
DEEP = b"[" * 200_000  # deeper than Python's reader of JSON goes


class _Prompt(ModelInput):
    messages = MESSAGES


@pytest.fixture
def server():
    with StreamServer() as model_server:
        yield model_server


@pytest.fixture
def read_stream(server):
    """What a streamed reply is after this answer."""

    def read(answer, reply):
        server.faults = [answer]

        async def collect():
            return [piece async for piece in HTTPStream("m", server.url).stream(StreamRequest(MESSAGES, {}), reply)]

        asyncio.run(collect())
        return reply

    return read


@pytest.fixture
def read_whole(server):
    """The reply of a server that gives this answer."""

    def read(answer):
        server.faults = [answer]
        return HTTPModel("m", server.url, attempts=1).complete(_Prompt(), {})

    return read


def write_event(delta, reason=None, **more):
    """An event of chat completions."""
    return f"data: {json.dumps({'choices': [{'delta': delta, 'finish_reason': reason}], **more})}\n\n".encode()


UNREADABLE = {
    "garbage": (RawAnswer(b"\x00\xff garbage \x80\n\n"), "sent an answer of an unknown form"),
    "half": (RawAnswer(b'data: {"choices": [{"del\n\n'), "sent an answer of an unknown form"),
    "half whole": (RawAnswer(b'{"choices": [{"message": {"cont', JSON), "sent an answer of an unknown form"),
    "list": (RawAnswer(b"[1, 2]", JSON), "sent an answer of an unknown form"),
    "deep": (RawAnswer(DEEP, JSON), "sent an answer of an unknown form"),
    "empty": (RawAnswer(), "sent an empty answer"),
    "empty whole": (RawAnswer(b"", JSON), "sent an empty answer"),
    "page": (
        RawAnswer(b"<h1>Welcome</h1>", "text/html; charset=utf-8"),
        "sent a web page, not a reply: the address may",
    ),
    "redirect": (
        RawAnswer(status=308, headers={"Location": "https://api.example.com/v1"}),
        "answered 308: it redirects to api.example.com, and calls follow no redirect",
    ),
    "redirect below": (
        RawAnswer(status=302, headers={"Location": "/v2"}),
        "answered 302: it redirects to another address, and calls follow no redirect",
    ),
    "page of a proxy": (RawAnswer(b"<a" * 50_000 + b"<p>Away</p>", "text/html", 502), "m answered 502"),
    "endless error": (RawAnswer(b"no " * 1000, "text/plain", 500, is_endless=True), "m answered 500: no no"),
}


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", UNREADABLE)
def test_an_answer_that_is_not_a_reply_is_described_in_words(read_stream, read_whole, name):
    answer, sentence = UNREADABLE[name]
    with pytest.raises(ModelError, match=sentence):
        read_stream(answer, PartialReply())
    with pytest.raises(ModelError, match=sentence):
        read_whole(answer)


ENDLESS = {
    "text": ({"content": "word " * 2000}, "wrote more than 1,048,576 characters"),
    "thoughts": ({"reasoning_content": "word " * 2000}, "wrote more than 1,048,576 characters"),
    "a call": (
        {"tool_calls": [{"index": 0, "function": {"arguments": "x" * 9000}}]},
        "wrote more than 1,048,576 characters",
    ),
    "calls": ({"tool_calls": [{"id": "t", "function": {"name": "f"}}] * 50}, "called more than 1,000 tools"),
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_stream_without_an_end_is_left_with_what_came(read_stream, kind):
    delta, sentence = ENDLESS[kind]
    reply = PartialReply()
    with pytest.raises(ModelError, match=sentence):
        read_stream(RawAnswer(write_event(delta), is_endless=True), reply)
    assert reply.size > 1000
    assert len(reply.tool_calls) < 1100


@pytest.mark.timeout(60)
def test_a_whole_answer_without_an_end_is_left_and_counts(read_whole):
    with pytest.raises(ModelError, match="sent more than 16,777,216 bytes") as caught:
        read_whole(RawAnswer(b" " * 65536, JSON, is_endless=True))
    (spent,) = caught.value.spent
    assert len(spent.text) == 1024 * 1024


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([b"HTTP/1.1 200 OK\r\nX: ", *[b"x"] * 100], ""),
        ([b"HTTP/1.1 102 Processing\r\n\r\n"] * 100, ""),
        ([b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", *[b"x"] * 100], "xx"),
        ([b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", *[b"x"] * 100], ""),
    ],
    ids=["header", "steps", "body", "chunk size"],
)
def test_a_whole_answer_that_comes_bit_by_bit_is_left_in_time_and_counts(pieces, text):
    began = time.monotonic()
    with serve_slowly(pieces) as url, pytest.raises(ModelError, match=r"took longer than 0\.5 s") as caught:
        HTTPModel("m", url, attempts=1, longest=0.5).complete(_Prompt(), {})
    assert time.monotonic() - began < 5
    (spent,) = caught.value.spent
    assert spent.text.startswith(text)


def test_a_model_is_called_in_a_running_event_loop_too(server):
    async def complete():
        return HTTPModel("m", server.url).complete(_Prompt(), {}).text

    assert asyncio.run(complete()) == "Yes, you can."


@pytest.mark.parametrize("count", ["many", -1_000_000, 10**30, 1.5, True, {}, float("nan")])
def test_an_invalid_count_is_left_out(read_stream, read_whole, count):
    usage = {"prompt_tokens": count, "completion_tokens": count}
    last = write_event({}, "stop", usage=usage)
    reply = read_stream(RawAnswer(write_event({"content": "Yes"}) + last), PartialReply())
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("Yes", None, None)
    whole = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}], "usage": usage}
    answer = read_whole(RawAnswer(json.dumps(whole).encode(), JSON))
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("Yes", None, None)


def test_a_reason_that_is_not_text_is_left_out(read_stream, read_whole):
    reply = read_stream(RawAnswer(write_event({"content": "Yes"}, {"a": 1})), PartialReply())
    assert (reply.text, reply.finish_reason) == ("Yes", None)
    whole = {"choices": [{"message": {"content": "Yes"}, "finish_reason": ["stop"]}]}
    assert read_whole(RawAnswer(json.dumps(whole).encode(), JSON)).finish_reason is None


def test_thoughts_and_calls_can_be_stored(read_stream):
    function = {"name": "f\0", "arguments": "\ud800"}
    delta = {"reasoning_content": "a\ud800b", "tool_calls": [{"index": 0, "function": function}]}
    reply = read_stream(RawAnswer(write_event(delta, "stop")), PartialReply())
    assert (reply.thoughts, reply.tool_calls[0].name, reply.tool_calls[0].arguments) == ("a�b", "f�", "�")


@pytest.mark.parametrize("value", ["inf", "nan", "Wed, 21 Oct 2026 07:28:00 GMT", ""])
def test_a_pause_that_is_not_a_number_of_seconds_is_ignored(read_stream, value):
    with pytest.raises(ModelError, match="answered 429") as caught:
        read_stream(RawAnswer(b"{}", JSON, 429, {"Retry-After": value}), PartialReply())
    assert caught.value.retry_after is None
