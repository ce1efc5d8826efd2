"""Calls a provider's client, the current or the previous one, with an adapter's arguments against a local endpoint.

    python -m tests.support.fake_provider anthropic < document

prints one line of JSON: the client's version, the request that the endpoint got, the client's answer, and warnings.
"""

import importlib
import json
import sys
import threading
import warnings
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from promptuary.renderer import load
from promptuary.renderer.output import provider_arguments

ANSWERS: dict[str, Any] = {
    "/v1/messages": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    },
    "/v1/chat/completions": {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello."}}],
    },
    "/v1/completions": {
        "id": "c1",
        "object": "text_completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "text": "Hello."}],
    },
    "/v1/responses": {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [
            {
                "id": "o1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Hello.", "annotations": []}],
            }
        ],
    },
}


class Endpoint(BaseHTTPRequestHandler):
    """Answers each path with its canned response and keeps the request bodies."""

    bodies: list[dict[str, Any]] = []

    def do_POST(self) -> None:
        """Keep the body and answer."""
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        content = json.dumps(ANSWERS[self.path]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: Any) -> None:
        """Log nothing."""


def ask_anthropic(url: str, prompt: Any) -> tuple[str, str]:
    """Call Anthropic's client; return its version and the text of the answer."""
    anthropic: Any = importlib.import_module("anthropic")

    client = anthropic.Anthropic(api_key="key", base_url=url, max_retries=0)
    answer = client.messages.create(**provider_arguments.anthropic(prompt))
    return str(anthropic.__version__), str(answer.content[0].text)


def ask_openai(url: str, prompt: Any) -> tuple[str, str]:
    """The same by chat completions."""
    openai: Any = importlib.import_module("openai")

    client = openai.OpenAI(api_key="key", base_url=f"{url}/v1", max_retries=0)
    answer = client.chat.completions.create(**provider_arguments.openai(prompt, stamp=True))
    return str(openai.__version__), str(answer.choices[0].message.content)


def ask_completion(url: str, prompt: Any) -> tuple[str, str]:
    """The same by plain completions."""
    openai: Any = importlib.import_module("openai")

    client = openai.OpenAI(api_key="key", base_url=f"{url}/v1", max_retries=0)
    return openai.__version__, client.completions.create(**provider_arguments.completion(prompt)).choices[0].text


def ask_responses(url: str, prompt: Any) -> tuple[str, str]:
    """The same by responses."""
    openai: Any = importlib.import_module("openai")

    client = openai.OpenAI(api_key="key", base_url=f"{url}/v1", max_retries=0)
    return openai.__version__, client.responses.create(**provider_arguments.responses(prompt, stamp=True)).output_text


CALLS: dict[str, Callable[[str, Any], tuple[str, str]]] = {
    "anthropic": ask_anthropic,
    "openai": ask_openai,
    "completion": ask_completion,
    "responses": ask_responses,
}


def main(kind: str) -> None:
    """Serve, call the client and print the result."""
    server = HTTPServer(("127.0.0.1", 0), Endpoint)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    prompt = load(sys.stdin.read()).render({"question": "Why?"})
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", provider_arguments.SettingIgnored)
        version, text = CALLS[kind](f"http://127.0.0.1:{server.server_port}", prompt)
    server.shutdown()
    ignored = [str(one.message) for one in warned if one.category is provider_arguments.SettingIgnored]
    report = {"version": version, "text": text, "sent": Endpoint.bodies[-1], "ignored": ignored}
    print(json.dumps(report))  # noqa: T201  # its output


if __name__ == "__main__":
    main(sys.argv[1])
