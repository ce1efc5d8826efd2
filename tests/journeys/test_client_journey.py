"""Pull, edit, push, review, publish, fetch: the real command line and client against a real server,
which then is killed."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from promptuary import Promptuary
from tests.support import instances
from tests.support.server_process import SECONDS, Server, wait_until

NAME = "support/refunds/reply"
DOCUMENT = """---
inputs:
  question: {type: string}
---
- name: question
  content: "{{ question }}"
"""
SETUP = """
import django; django.setup()
import json
from registry.accounts.actor import Actor, build_operator_actor
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces import services as namespaces
from registry.accounts import people
roles = ("author", "reviewer", "admin")
cast = {
    role: Actor(people.create_person(actor=build_operator_actor(), username=role, password=f"{role}-promptuary"))
    for role in roles
}
namespaces.create_namespace(actor=cast["admin"], name="support", protected_labels=["production"], required_checks=[])
for role in roles[:2]:
    namespace_services.set_role(actor=cast["admin"], namespace="support", username=role, role=role)
wanted = {"service": {"scope": "read", "person": "author"}, "author": {"scope": "write", "person": "author"}}
wanted["reviewer"] = {"verbs": ["read", "roll_back"], "person": "reviewer"}
issued = {
    name: keys.issue_key(actor=cast["admin"], namespace="support", name=name, **facts).secret
    for name, facts in wanted.items()
}
print(json.dumps(issued))
"""


@pytest.fixture
def place(tmp_path) -> Iterator[instances.Instance]:
    place = instances.make_instance(tmp_path / "home")
    yield place
    instances.remove_instance(place)


@pytest.fixture
def server(place) -> Iterator[Server]:
    server = Server(place)
    server.start()
    yield server
    server.kill()


class Desk:
    """A user's folder in which the command line runs."""

    def __init__(self, folder: Path, url: str, key: str) -> None:
        folder.mkdir()
        self.folder = folder
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(instances.ROOT),
            "PROMPTUARY_URL": url,
            "PROMPTUARY_KEY": key,
        }

    def run(self, *arguments: object, code: int = 0) -> Any:
        """What the command answers in JSON."""
        command = [sys.executable, "-m", "promptuary", *map(str, arguments), "--json"]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return json.loads(done.stdout)


def approve(url: str, number: int) -> None:
    """Act as the signed-in reviewer."""
    with httpx.Client(base_url=url, timeout=60, follow_redirects=True, headers={"Referer": url}) as browser:
        form = browser.get("/login").text
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', form)
        assert token is not None
        signed = {"csrfmiddlewaretoken": token[1], "username": "reviewer", "password": "reviewer-promptuary"}
        assert browser.post("/login", data=signed).status_code == 200
        change = browser.get(f"/api/v1/changes/{number}").json()
        answer = browser.post(
            f"/api/v1/changes/{number}/decisions",
            json={"decision": "approve", "digest": change["digest"], "text": ""},
            headers={"X-CSRFToken": browser.cookies["promptuary-csrf"]},
        )
        assert answer.status_code < 300, answer.text


def publish(desk: Desk, url: str, number: int) -> None:
    desk.run("publish", number, code=1)  # not reviewed yet
    approve(url, number)
    assert desk.run("publish", number)["state"] == "published"


def test_a_prompt_goes_from_an_editor_to_a_service_and_survives_its_server(place, server, tmp_path, caplog):
    keys = json.loads(place.run("-c", SETUP).stdout.strip().splitlines()[-1])
    first = Desk(tmp_path / "first", server.url, keys["author"])
    path = first.folder / f"{NAME}.yml.j2"
    path.parent.mkdir(parents=True)
    path.write_text(DOCUMENT)
    path.with_name("reply.samples.yml").write_text("short: {question: Where is it?}\n")
    assert first.run("lint")["ok"]
    pushed = first.run("push", "--propose", "production", "-m", "Begin")["pushed"][0]
    publish(first, server.url, pushed["change"])

    with Promptuary(server.url, keys["service"], live=True, ttl=1, timeout=60, cache_dir=tmp_path / "cache") as service:
        assert service.render(NAME, {"question": "Why?"}).text == "Why?"

        second = Desk(tmp_path / "second", server.url, keys["author"])
        second.run("pull", "support")
        edited = second.folder / f"{NAME}.yml.j2"
        edited.write_text(edited.read_text().replace('"{{ question }}"', '"Q: {{ question }}"'))
        assert second.run("diff", f"{NAME}@production", edited, "--rendered")["rendered"][0]["equal"] is False
        change = second.run("push", "--propose", "production", "-m", "Mark the question")["pushed"][0]["change"]
        assert service.get(NAME).version == 1  # saving doesn't change what is served
        publish(second, server.url, change)
        wait_until(lambda: service.render(NAME, {"question": "Why?"}).text == "Q: Why?")

        reviewer = Desk(tmp_path / "third", server.url, keys["reviewer"])
        reviewer.run("rollback", NAME, 1, "--reason", "Customers asked what Q is")
        wait_until(lambda: service.get(NAME).version == 1)
        assert [entry["labels"] for entry in reviewer.run("log", NAME)["versions"]] == [[], ["production"]]

        server.kill()
        wait_until(lambda: service.get(NAME).stale)
        for _ in range(100):
            assert service.render(NAME, {"question": "Why?"}).text == "Why?"
        assert "served stale" in caplog.text
        assert "cannot be reached" in reviewer.run("log", NAME, code=2)["error"]["detail"]
        with Promptuary(server.url, keys["service"], cache_dir=tmp_path / "cache", reports=False) as restarted:
            assert restarted.fetch(NAME).stale

        server.start()
        wait_until(lambda: not service.get(NAME).stale)
