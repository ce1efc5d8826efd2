"""A process that traces the journeys of `traced_journeys` in front of the product's WSGI application.

It prints one line of JSON: calls by journey, file and function. `--as-worker` makes it a worker, which does what is due
once for each line that it reads. Only addresses of pages and the API, `registry.wsgi`, `registry.celery` and `renderer`
are used, so that modules may move.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import httpx
from django.apps import apps
from django.db import connection

from promptuary import renderer
from registry.celery import app
from registry.wsgi import application
from tests.support import instances
from tests.support.child_process import start_child
from tests.support.trace import Calls, Recorder

NAMESPACE = "support"
PEOPLE = {"ada": "author", "rob": "reviewer", "ann": "admin"}
CSRF_COOKIE = "promptuary-csrf"
DOCUMENT = """\
---
description: Answer a question about {topic}
tags: [{topic}]
inputs:
  shop: {{type: string, default: the shop}}
  question: {{type: string, maxLength: 4000, untrusted: true}}
  articles:
    type: array
    items: {{type: string, maxLength: 200}}
    maxItems: 5
---
- name: instructions
  role: system
  content: |
    You help {{{{ shop }}}}. Use only the policy on {topic}.
{{% for article in articles %}}
- name: article {{{{ loop.index }}}}
  content: |
    {{{{ article }}}}
{{% endfor %}}
- name: question
  content: |
    {{{{ question }}}}
"""
SAMPLES = {
    "boots": {"question": "Can I return boots?", "articles": ["30 days", "Unworn only"]},
    "late": {"question": "Where is it?", "shop": "Harbour Books", "articles": []},
}


class Caller:
    """A person's browser, or a service with a key, in front of the WSGI application."""

    def __init__(self, *, person: str = "", key: str = "") -> None:
        self._client = httpx.Client(transport=httpx.WSGITransport(app=application), base_url="http://localhost")
        if key:
            self._client.headers["Authorization"] = f"Bearer {key}"
        if person:
            self._client.get("/login")
            self._client.headers["X-CSRFToken"] = self._client.cookies[CSRF_COOKIE]
            self.call("POST", "/login", data={"username": person, "password": _write_password(person), "next": "/"})
            self._client.headers["X-CSRFToken"] = self._client.cookies[CSRF_COOKIE]

    def call(self, method: str, path: str, **content: Any) -> httpx.Response:
        """The answer; raises AssertionError if the product refuses."""
        response = self._client.request(method, path, **content)
        assert response.status_code < 400, f"{method} {path}: {response.status_code} {response.text[:2000]}"
        return response

    def call_api(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of the API's answer."""
        return self.call(method, f"/api/v1/{path}", json=body).json()


class Product:
    """One namespace with its people, and the journeys in it."""

    def __init__(self, worker: "Worker") -> None:
        self._worker = worker
        for person in PEOPLE:
            apps.get_model("registry", "User").objects.create_user(username=person, password=_write_password(person))
        self.author, self.reviewer, self.admin = (Caller(person=person) for person in PEOPLE)
        self.admin.call_api("POST", "namespaces", {"name": NAMESPACE, "protected_labels": ["production"]})
        for person, role in PEOPLE.items():
            self.admin.call_api("PUT", f"namespaces/{NAMESPACE}/members/{person}", {"role": role})
        key = {"name": "shop", "scope": "read", "person": "ann"}
        secret = self.admin.call_api("POST", f"namespaces/{NAMESPACE}/keys", key)["secret"]
        self.service = Caller(key=secret)

    def run_journeys(self, topic: str) -> dict[str, Calls]:
        """A template from its first version to the second one in production and in a service, traced on the way."""
        name = f"{NAMESPACE}/{topic}/reply"
        document = DOCUMENT.format(topic=topic)
        self._save(name, document, base="")
        self._publish(self._propose(name, 1), version=1, served=0)
        document = document.replace("Use only", "Quote, and use only")
        draft = {"document": document, "samples": SAMPLES, "base": "1"}
        self.author.call("PUT", f"/t/{name}/-/edit/draft", json=draft)  # as the editor does while somebody types
        saved: Calls = {}
        with Recorder() as save, connection.execute_wrapper(_act_after_event(lambda: saved.update(save.calls()))):
            self._save(name, document, base="1")
        number = self._propose(name, 2)
        self._discuss(number)
        with Recorder() as page:
            answer = self.admin.call("GET", f"/changes/{number}")
        assert "Shorter" in answer.text, "the page shows no discussion"
        published: Calls = {}
        wrapper = _act_after_event(lambda: published.update(publish.calls()))
        with Recorder() as publish, connection.execute_wrapper(wrapper):
            self._publish(number, version=2, served=1)
        self._fetch(name)
        with Recorder() as fetch:
            self._fetch(name)
        with Recorder() as render:
            messages = renderer.load(document).render(SAMPLES["boots"]).messages
        assert len(messages) == 4
        return {
            "save": saved,
            "save and answer": save.calls(),
            "publish": published,
            "publish and answer": publish.calls(),
            "change page": page.calls(),
            "warm fetch": fetch.calls(),
            "load and render": render.calls(),
        }

    def _save(self, name: str, document: str, *, base: str) -> None:
        """What the editor's script sends when somebody presses Save."""
        body = {"document": document, "samples": SAMPLES, "base": base, "message": "Quote the policy", "do": "save"}
        answer = self.author.call("POST", f"/t/{name}/-/edit", json=body).json()
        assert answer["saved"]["number"] == (int(base) + 1 if base else 1)

    def _propose(self, name: str, version: int) -> int:
        """Open an approved change request whose checks have passed; return its number."""
        proposal = {"template": name, "label": "production", "version": version, "message": "Quote the policy"}
        number: int = self.author.call_api("POST", "changes", proposal)["number"]
        self._worker.do_due_tasks()
        digest = self.author.call_api("GET", f"templates/{name}@{version}")["digest"]
        decision = {"decision": "approve", "digest": digest, "text": "Good"}
        change = self.reviewer.call_api("POST", f"changes/{number}/decisions", decision)
        assert change["state"] == "approved", change
        return number

    def _discuss(self, number: int) -> None:
        """Two threads, one with a reply and one with a suggestion."""
        threads = f"changes/{number}/threads"
        thread = self.reviewer.call_api("POST", threads, {"version": 2, "line": 14, "text": "Which policy?"})
        self.author.call_api("POST", f"{threads}/{thread['number']}/replies", {"text": "That of the shop."})
        suggestion = {"version": 2, "line": 2, "suggestion": "description: Answer it\n", "text": "Shorter"}
        self.reviewer.call_api("POST", threads, suggestion)
        self.author.call_api("POST", f"{threads}/{thread['number']}/resolve", {"resolved": True})

    def _publish(self, number: int, *, version: int, served: int) -> None:
        """What the panel of a change posts when somebody publishes with *Goes live: immediately*."""
        seen = {"seen_version": version, "expected": served}
        fields = {"do": "publish", "how": "at_once", "form": f"author:publish:{number}", **seen}
        answer = self.author.call("POST", f"/changes/{number}", data=fields)
        assert answer.status_code == 302

    def _fetch(self, name: str) -> None:
        assert self.service.call_api("GET", f"templates/{name}@production")["name"] == name


def _act_after_event(act: Callable[[], None]) -> Callable[..., Any]:
    """A wrapper of database statements that acts when an event was stored, the last row of the action itself."""
    statement = f'INSERT INTO "{apps.get_model("registry", "Event")._meta.db_table}"'

    def execute(run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        result = run(sql, params, many, context)
        if sql.startswith(statement):
            act()
        return result

    return execute


def _write_password(person: str) -> str:
    return f"{person}-promptuary"


class Worker:
    """A separate process with its own memory that runs once what the worker's clock runs every few seconds."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.journeys.traced_driver", "--as-worker"]
        self._process = start_child(
            command, cwd=instances.ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def do_due_tasks(self) -> None:
        """Have it do what is due, and wait until that is done."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write("go\n")
        assert self._process.stdout.readline() == "done\n", "the worker ended"

    def stop(self) -> None:
        self._process.communicate(timeout=60)


def do_due_tasks() -> None:
    """What the clock calls more often than once a minute."""
    app.loader.import_default_modules()
    schedule: Mapping[str, Mapping[str, Any]] = app.conf.beat_schedule
    for entry in schedule.values():
        if entry["schedule"] < 60:
            app.tasks[entry["task"]]()


def main(arguments: list[str]) -> None:
    """Trace the second of two rounds: the first makes the imports and what else a process does once."""
    if arguments == ["--as-worker"]:
        for _line in sys.stdin:
            do_due_tasks()
            sys.stdout.write("done\n")
            sys.stdout.flush()
        return
    worker = Worker()
    try:
        product = Product(worker)
        product.run_journeys("refunds")
        traces = product.run_journeys("orders")
    finally:
        worker.stop()
    sys.stdout.write(json.dumps(traces) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
