"""The playground over a real server: started, streamed, stopped, its page closed, its server killed."""

import json
import os
import re
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import instances
from tests.support.server_process import Server, wait_until
from tests.support.stream_server import StreamServer

DRAFT = (
    "---\ninputs: {question: {type: string}}\n---\n- name: question\n  role: user\n  content: |\n    {{ question }}\n"
)
NAME = "support/new/reply"
PEOPLE = """
from registry.accounts import actor
from registry.accounts.models import User
from registry.namespaces import services
author = User.objects.create_user("author", password="author-promptuary")
services.create_namespace(actor=actor.build_operator_actor(), name="support", protected_labels=[], required_checks=[])
services.set_role(actor=actor.build_operator_actor(), namespace="support", username="author", role="author")
"""


class Author:
    """The author's browser: signed in, with the token that forms have."""

    def __init__(self, url: str) -> None:
        self.client = httpx.Client(base_url=url, timeout=30)
        self.client.get("/login")
        answer = self.client.post(
            "/login",
            data={"username": "author", "password": "author-promptuary", **self._form()},
            headers={"Referer": url},
        )
        assert answer.status_code == 302, answer.text[:2000]

    def _form(self) -> dict[str, str]:
        return {"csrfmiddlewaretoken": self.client.cookies["promptuary-csrf"]}

    def post(self, path, body):
        headers = {"X-CSRFToken": self.client.cookies["promptuary-csrf"], "Referer": str(self.client.base_url)}
        return self.client.post(f"/t/{NAME}/-/run/{path}", json=body, headers=headers)

    def start(self) -> Any:
        columns = [{"source": "draft", "document": DRAFT, "model": "small"}]
        answer = self.post("start", {"columns": columns, "inputs": {"question": "May I?"}})
        assert answer.status_code == 201, answer.text[:2000]
        return answer.json()["columns"][0]

    def stream(self, column_id) -> Generator[tuple[str, Any], None, None]:
        with self.client.stream("GET", f"/live/playground/{column_id}") as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            name = ""
            for line in answer.iter_lines():
                if line.startswith("event: "):
                    name = line[7:]
                elif line.startswith("data: "):
                    yield name, json.loads(line[6:])

    def history(self) -> Any:
        return self.client.get(f"/t/{NAME}/-/run/history").json()["runs"][0]["columns"][0]


@pytest.fixture
def model() -> Iterator[StreamServer]:
    with StreamServer() as server:
        yield server


@pytest.fixture
def place(tmp_path, model):
    place = instances.make_instance(tmp_path / "home")
    price = "{prompt: 10, completion: 10}"
    (place.home / "models.yml").write_text(f"small: {{base_url: '{model.url}', price: {price}}}\n")
    place.run("manage.py", "shell", "--verbosity", "0", "-c", PEOPLE)
    return place


@pytest.fixture
def server(place):
    process = Server(place, "--only", "web", PROMPTUARY_WORKERS="1")
    process.start()
    yield process
    process.kill()


@pytest.fixture
def whole_server(place):
    """The web process and the worker beside it, which asks the models."""
    process = Server(place, PROMPTUARY_WORKERS="1")
    process.start()
    wait_until(lambda: find_worker(place), 60)
    yield process
    process.kill()


def find_worker(place) -> int | None:
    """The process id of this place's worker once it listens for replies."""
    home = f"PROMPTUARY_HOME={place.home}".encode()
    lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    listening = {f"socket:[{line[6]}]" for line in lines if line[-1].endswith("/replies.sock")}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            is_worker = (
                b"registry.celery" in (folder / "cmdline").read_bytes()
                or folder.joinpath("comm").read_text() == "worker\n"
            )
            sockets = {os.readlink(descriptor) for descriptor in folder.glob("fd/*")}
        except OSError:
            continue  # it ended meanwhile, or is somebody else's
        if home in environment and is_worker and sockets & listening:
            return int(folder.name)
    return None


def test_the_worker_asks_the_model_and_a_closed_page_ends_its_call(whole_server, model):
    author = Author(whole_server.url)
    events = list(author.stream(author.start()["id"]))
    assert "".join(data["text"] for name, data in events if name == "text") == "Yes, you can."
    assert author.history() == events[-1][1]

    model.words, model.pause = ["word "] * 200, 0.05
    stream = author.stream(author.start()["id"])
    next(stream)
    stream.close()
    wait_until(lambda: author.history()["state"] == "stopped", 20)
    wait_until(lambda: not model.open_calls, 10)


def test_a_killed_worker_leaves_a_column_that_says_so(whole_server, place, model):
    model.words, model.pause = ["word "] * 2000, 0.05
    author = Author(whole_server.url)
    column_id = author.start()["id"]
    events = author.stream(column_id)
    for _ in range(25):  # longer than it takes until what came is written
        next(events)
    os.kill(find_worker(place), signal.SIGKILL)
    assert "done" not in [name for name, _ in events]  # the stream ends, and the page asks again
    name, failure = list(author.stream(column_id))[-1]
    assert (name, failure["detail"]) == ("failed", "The server stopped while this was written.")
    assert re.match("(word ){10}", failure["column"]["text"])


def test_a_reply_is_streamed_to_its_person_and_to_nobody_else(server):
    author = Author(server.url)
    column = author.start()
    events = list(author.stream(column["id"]))
    assert "".join(data["text"] for name, data in events if name == "text") == "Yes, you can."
    assert events[-1][0] == "done"
    assert author.history() == events[-1][1]
    assert httpx.get(f"{server.url}/live/playground/{column['id']}").status_code == 401
    assert author.client.get("/live/playground/999").status_code == 404


def test_stop_and_a_closed_page_end_the_call(server, model):
    model.words, model.pause = ["word "] * 200, 0.05
    author = Author(server.url)
    column_id = author.start()["id"]
    events = author.stream(column_id)
    next(events)
    assert author.post(f"columns/{column_id}/stop", {}).status_code == 200
    assert list(events)[-1][0] == "stopped"
    wait_until(lambda: not model.open_calls, 10)

    stream = author.stream(author.start()["id"])
    next(stream)
    stream.close()
    wait_until(lambda: author.history()["state"] == "stopped", 20)
    assert author.history()["problem"]["detail"] == "The connection to the page ended while this was written."
    wait_until(lambda: not model.open_calls, 10)


def test_a_killed_server_leaves_a_column_that_says_so(server, model):
    model.words, model.pause = ["word "] * 2000, 0.05
    author = Author(server.url)
    column = author.start()
    events = author.stream(column["id"])
    for _ in range(25):  # longer than it takes until what came is written
        next(events)
    server.kill()
    model.pause = 0
    server.start()
    author = Author(server.url)
    name, failure = list(author.stream(column["id"]))[-1]
    assert (name, failure["detail"]) == ("failed", "The server stopped while this was written.")
    assert re.match("(word ){10}", failure["column"]["text"])
    assert failure["column"]["tokens"]["completion"] == column["longest_reply"]
