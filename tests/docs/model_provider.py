"""A model provider on loopback: OpenAI's completions (streamed or not) and responses, and Anthropic's messages."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.fake_provider import ANSWERS

__all__ = ["serve_models"]

_CHUNK = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("stream"):
            content, kind = _stream("Hel", "lo."), "text/event-stream"
        else:
            content, kind = json.dumps(ANSWERS[self.path]).encode(), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: Any) -> None:
        """Say nothing."""


def _stream(*pieces: str) -> bytes:
    deltas = [{**_CHUNK, "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    return "".join(f"data: {line}\n\n" for line in (*map(json.dumps, deltas), "[DONE]")).encode()


@contextmanager
def serve_models() -> Iterator[str]:
    """The address of the provider, without a path."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
