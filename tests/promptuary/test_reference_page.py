"""What the client's reference page says works as written."""

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer

from promptuary import FakeTransport
from promptuary._transport import Request
from promptuary.commands.app import app
from promptuary.lockfile import Locked, write_lock
from promptuary.vendored import write_vendored

PAGE = Path(__file__).parents[2] / "docs/reference/sdk.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
NAME = "support/refunds/reply"
DOCUMENT = '- name: question\n  content: "{{ question }} {{ customer.name }}"\n'


@pytest.fixture
def address(tmp_path, monkeypatch) -> Iterator[str]:
    """A registry behind a real address, and a folder with a lock file and vendored templates."""
    registry = FakeTransport()
    registry.put(NAME, DOCUMENT, "production")
    registry.put(NAME, DOCUMENT + "# two\n")
    registry.put(NAME, DOCUMENT + "# three\n", "staging")
    registry.put("support/summary", DOCUMENT, "staging")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = registry.send(Request(self.command, self.path, 1, dict(self.headers), body))
            self.send_response(answer.status)
            for name, value in {**answer.headers, "content-length": str(len(answer.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        do_POST = do_GET  # noqa: N815  # the standard library asks for this name

        def log_message(self, *arguments: Any) -> None:
            """Log nothing."""

    monkeypatch.chdir(tmp_path)
    fields = registry._versions[NAME][0]
    write_lock("promptuary.lock", {NAME: Locked("production", 1, fields["digest"])})
    write_vendored("promptuary.templates.json", [{**fields, "ref": "production"}])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def test_every_example_on_the_reference_page_runs(address, tmp_path):
    data = {"customer": {"name": "Harbour Books"}, "question": "May I return it?"}
    names: dict[str, Any] = {
        "key": "key",
        "url": address,
        "data": data,
        "metrics": SimpleNamespace(count_stale=lambda fetched: None),
    }
    made = []
    for block in BLOCKS:
        code = block.replace("https://prompts.example.org", address).replace("/var/cache/prompts", str(tmp_path))
        exec(code, names)
        made.append(names.get("registry"))
    assert names["prompt"].messages[0]["content"] == "May I return it? Harbour Books"
    names["test_the_reply_asks_politely"]()
    for registry in made:
        if registry is not None:
            registry.close()


def test_every_command_is_on_the_reference_page():
    page = PAGE.with_name("cli.md").read_text()
    group: Any = typer.main.get_command(app)
    assert all(f"| `{name}" in page for name in group.commands)
