"""An OpenAI-compatible chat endpoint on loopback that answers from a table and fails on demand."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

__all__ = ["ModelServer"]


class ModelServer:
    """Answers a prompt according to the question in it.

    `script` maps a question's number (from 0) to the fault of its first try: busy, broken, malformed, silent, slow; or
    to `refused` or `textless`, the faults of all its tries. `pause`: seconds that each answer takes.
    """

    def __init__(self, answers: dict[str, str], script: dict[int, str] | None = None, pause: float = 0.0) -> None:
        self.answers, self.script, self.pause = answers, script or {}, pause
        self.numbers = {question: number for number, question in enumerate(answers)}
        self.asked: Counter[int] = Counter()
        self.answered: Counter[int] = Counter()
        self._lock = threading.Lock()
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        server.model = self  # type: ignore[attr-defined]
        self._server = server
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The address for the list of models."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, messages: list[dict[str, Any]]) -> tuple[int, bytes, dict[str, str]]:
        """Status, body and headers for one request."""
        text = messages[-1]["content"]
        question = next(question for question in self.answers if question in text)
        number = self.numbers[question]
        with self._lock:
            self.asked[number] += 1
            is_first = self.asked[number] == 1
        fault = self.script.get(number, "") if is_first or self.script.get(number) in ("refused", "textless") else ""
        if fault == "busy":
            return 429, b'{"error": "too many requests"}', {"Retry-After": "0.05"}
        if fault == "broken":
            return 503, b"upstream is away", {}
        if fault == "malformed":
            return 200, b'{"choices": [{"message": {"cont', {}
        if fault == "refused":
            return 400, b'{"error": "this prompt is refused"}', {}
        time.sleep({"silent": 1.5, "slow": 0.3}.get(fault, self.pause))  # the fault itself
        if fault != "silent":
            with self._lock:
                self.answered[number] += 1
        text = None if fault == "textless" else self.answers[question]
        reason = {"cut off": "length", "kept back": "content_filter"}.get(fault, "stop")
        text = "" if fault == "kept back" else text
        content = {
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
        return 200, json.dumps(content).encode(), {}


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, content, headers = self.server.model.answer(body["messages"])  # type: ignore[attr-defined]
        try:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            pass  # the caller has disconnected, for example after its timeout

    def log_message(self, *arguments: Any) -> None:
        """Log nothing: the test reads the counts."""
