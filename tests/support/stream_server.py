"""A model server on loopback that streams: OpenAI's chat completions and responses, and Anthropic's messages.

Its events have the providers' formats; a test also reads them with the providers' own packages.
"""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["StreamServer"]

_STATUSES = {"busy": 429, "rejected": 401, "broken": 500, "unavailable": 503, "overloaded": 529}
TOOL = {"name": "look_up", "arguments": '{"order": "HB-1"}'}


@dataclass(frozen=True)
class RawAnswer:
    """A raw HTTP answer. is_endless: the content is repeated until the caller disconnects."""

    content: bytes = b""
    content_type: str = "text/event-stream"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_endless: bool = False


class StreamServer:
    """Answers every prompt with `words`, one event per word.

    faults: the faults of the next calls, in order: busy (429 with Retry-After), rejected (401), broken (500),
    unavailable (503), overloaded (529), cut (the connection ends after two words), error (an error event after two
    words), silent (no answer while `pause` lasts), stalled (nothing more after two words for ten times `pause`), tool
    (a tool call after the words), whole (one JSON answer instead of a stream), whole tool, whole refusal (the words
    as a refusal in one JSON answer), a list (the events of the call), or a `RawAnswer`.
    pause: seconds before each word.
    """

    def __init__(self, words: list[str] | None = None, *, pause: float = 0.0) -> None:
        self.words = ["Yes,", " you", " can."] if words is None else words
        self.pause = pause
        self.faults: list[str | list[dict[str, Any]] | RawAnswer] = []
        self.retry_after = 0.05  # seconds in the Retry-After of a busy answer
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.open_calls = 0
        self.most_open_calls = 0
        self.lock = threading.Lock()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        server.model = self  # type: ignore[attr-defined]
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The base address of OpenAI's protocols and of Anthropic's messages."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "StreamServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def next_fault(self) -> "str | list[dict[str, Any]] | RawAnswer":
        """Take the fault of this call, or its events."""
        with self.lock:
            return self.faults.pop(0) if self.faults else ""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server: StreamServer = self.server.model  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = server.next_fault()
        with server.lock:
            server.bodies.append(body)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            server.open_calls += 1
            server.most_open_calls = max(server.most_open_calls, server.open_calls)
        try:
            self._answer(server, body, fault)
        except OSError:
            pass  # the caller has disconnected, for example to stop a reply
        finally:
            with server.lock:
                server.open_calls -= 1

    def _answer(
        self, server: StreamServer, body: dict[str, Any], fault: str | list[dict[str, Any]] | RawAnswer
    ) -> None:
        if isinstance(fault, RawAnswer):
            self._send_raw(fault)
            return
        events = fault if isinstance(fault, list) else None
        fault = "" if isinstance(fault, list) else fault
        status = _STATUSES.get(fault)
        if status:
            headers = {"Retry-After": str(server.retry_after)} if fault == "busy" else {}
            self._send(status, b'{"error": {"message": "no"}}', headers)
            return
        if fault == "silent":
            time.sleep(server.pause)  # a slow model, if a test wants one
            return
        protocol = self.path.rsplit("/", 1)[1]
        if fault.startswith("whole") or not body.get("stream"):
            content = _WHOLE_REPLIES[protocol]("".join(server.words), fault.removeprefix("whole").strip())
            self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json"})
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        for number, event in enumerate(events or _EVENTS[protocol](server.words, fault)):
            name = f"event: {event['type']}\n" if "type" in event else ""
            if "delta" in json.dumps(event):
                time.sleep(server.pause)  # a slow model, if a test wants one
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
            if fault == "stalled" and number == 2:
                time.sleep(server.pause * 10)  # the fault itself
            if fault in ("cut", "stalled") and number == 2:
                return
        if events is None and self.path.endswith("/chat/completions"):
            self.wfile.write(b"data: [DONE]\n\n")

    def _send_raw(self, answer: RawAnswer) -> None:
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.content_type, **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.content)
        while answer.is_endless:
            self.wfile.write(answer.content)

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: Any) -> None:
        """Log nothing: the test reads the bodies."""


def _build_chat(text: str, fault: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if fault == "refusal":
        message |= {"content": None, "refusal": text}
    elif fault == "tool":
        message |= {"content": None, "tool_calls": [{"id": "t1", "type": "function", "function": TOOL}]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if fault == "tool" else "stop"}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def _build_response(text: str, fault: str) -> dict[str, Any]:
    *_, last = _list_response_events([text], fault)
    response: dict[str, Any] = last["response"]
    if fault == "refusal":
        response["output"][0]["content"] = [{"type": "refusal", "refusal": text}]
    return response


def _build_message(text: str, fault: str) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}]
    if fault == "tool":
        blocks.append({"type": "tool_use", "id": "t1", "name": TOOL["name"], "input": json.loads(TOOL["arguments"])})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": blocks,
        "stop_reason": {"tool": "tool_use", "refusal": "refusal"}.get(fault, "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def _list_chat_events(words: list[str], fault: str) -> Iterator[dict[str, Any]]:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    for number, word in enumerate(words):
        if fault == "error" and number == 2:
            yield {"error": {"message": "out of memory", "type": "server_error"}}
            return
        yield chunk({"content": word})
    if fault == "tool":
        first = {"index": 0, "id": "t1", "type": "function", "function": {"name": TOOL["name"], "arguments": ""}}
        yield chunk({"tool_calls": [first]})
        for half in (TOOL["arguments"][:6], TOOL["arguments"][6:]):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": half}}]})
    yield chunk({}, "tool_calls" if fault == "tool" else "stop")
    yield {**chunk({}), "choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}


def _list_response_events(words: list[str], fault: str) -> Iterator[dict[str, Any]]:
    number = -1

    def event(kind: str, **fields: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        return {"type": kind, "sequence_number": number, **fields}

    response: dict[str, Any] = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "in_progress",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    message = {"id": "o1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    yield event("response.created", response=response)
    yield event("response.output_item.added", output_index=0, item=message)
    place = {"item_id": "o1", "output_index": 0, "content_index": 0}
    for index, word in enumerate(words):
        if fault == "error" and index == 2:
            yield event("error", code="server_error", message="out of memory", param=None)
            return
        yield event("response.output_text.delta", **place, delta=word, logprobs=[])
    content = [{"type": "output_text", "text": "".join(words), "annotations": []}]
    output = [{**message, "status": "completed", "content": content}]
    if fault == "tool":
        output.append({"id": "f1", "type": "function_call", "call_id": "t1", "status": "completed", **TOOL})
        yield event("response.output_item.done", output_index=1, item=output[1])
    usage = {
        "input_tokens": 100,
        "output_tokens": 10,
        "total_tokens": 110,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    yield event("response.completed", response={**response, "status": "completed", "output": output, "usage": usage})


def _list_message_events(words: list[str], fault: str) -> Iterator[dict[str, Any]]:
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    stops = {"stop_reason": None, "stop_sequence": None}
    yield {
        "type": "message_start",
        "message": {**message, **stops, "usage": {"input_tokens": 100, "output_tokens": 1}},
    }
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for number, word in enumerate(words):
        if fault == "error" and number == 2:
            yield {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
            return
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
    yield {"type": "content_block_stop", "index": 0}
    if fault == "tool":
        block = {"type": "tool_use", "id": "t1", "name": TOOL["name"], "input": {}}
        yield {"type": "content_block_start", "index": 1, "content_block": block}
        delta = {"type": "input_json_delta", "partial_json": TOOL["arguments"]}
        yield {"type": "content_block_delta", "index": 1, "delta": delta}
        yield {"type": "content_block_stop", "index": 1}
    reason = "tool_use" if fault == "tool" else "end_turn"
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": None},
        "usage": {"output_tokens": 10},
    }
    yield {"type": "message_stop"}


_WHOLE_REPLIES = {"completions": _build_chat, "responses": _build_response, "messages": _build_message}
_EVENTS = {"completions": _list_chat_events, "responses": _list_response_events, "messages": _list_message_events}
