"""kill -9 of web, worker, Git, PostgreSQL and Valkey during saves: every acknowledged save exists, in Git too.

On SQLite the web server, the worker and its Git are killed; on PostgreSQL also processes of the database and Valkey.
The database is restarted too, with and without a checkpoint, and Valkey is emptied.
"""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection

from tests.support import instances
from tests.support.broker import Broker
from tests.support.child_process import start_child
from tests.support.commit_seed import read_commit_seed
from tests.support.postgres_server import Server as Postgres

pytestmark = pytest.mark.dialect

TEMPLATES = 4
SAVES = 50  # of each template
KILLS = 20
PATIENCE = 120.0  # seconds for a process to come up on a busy machine
GIT_SECONDS = 5.0  # in which the worker starts a git while people save
COMMANDS = {
    "web": "granian --interface rsgi --host 127.0.0.1 --port {port} --workers 2 --no-ws registry.rsgi:application",
    "worker": "celery -A registry.celery worker --pool threads --concurrency 4",
}
SETUP = """
import django; django.setup()
from registry.accounts.actor import build_operator_actor
from registry.accounts.models import User
from registry.namespaces import services as namespace_services
from registry.namespaces import services as namespaces
namespaces.create_namespace(actor=build_operator_actor(), name="support")
User.objects.create(username="author")
namespace_services.set_role(actor=build_operator_actor(), namespace="support", username="author", role="author")
"""


@dataclass
class Instance:
    """The real web server and the real worker, each a process group that can be killed whole, and their services."""

    place: instances.Instance
    port: int
    postgres: Postgres | None = None
    broker: Broker | None = None
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name):
        """Start the web server or the worker, what it says going into a file of the home."""
        variables = {"PROMPTUARY_BROKER_URL": self.broker.url} if self.broker else {}
        with (self.place.home / f"{name}.log").open("ab") as log:
            self.processes[name] = start_child(
                [sys.executable, "-m", *COMMANDS[name].format(port=self.port).split()],
                env=self.place.environment(PORT=str(self.port), **variables),
                cwd=instances.ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name):
        """SIGKILL to the whole group: the server, its workers, a git at work."""
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):  # all of it ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def list_victims(self) -> list[str]:
        """The names of what can be killed."""
        databases = ["process of postgres", "postgres"] if self.postgres else []
        return [*COMMANDS, "git", *databases, *(["valkey", "what valkey holds"] if self.broker else [])]

    def start_ended(self) -> None:
        """Start again what ended by itself, as the supervisor of `manage.py serve` does.

        A worker of Celery ends if its broker goes while a job runs.
        """
        for name in [name for name, process in self.processes.items() if process.poll() is not None]:
            self.kill(name)
            self.start(name)

    def strike(self, name: str, draw: random.Random) -> bool:
        """Kill it, and restart it unless something else does; return False if there was nothing to kill."""
        if name == "git":
            return self.kill_git()
        if name == "process of postgres":
            self.postgres.kill_process(draw)
        elif name == "postgres":
            self.postgres.restart(draw)
        elif name == "valkey":
            self.broker.kill()
            self.broker.start()
        elif name == "what valkey holds":
            self.broker.flush()
        else:
            self.kill(name)
            self.start(name)
        return True

    def kill_git(self) -> bool:
        """SIGKILL to a git of the worker's, as soon as there is one."""
        deadline = time.monotonic() + GIT_SECONDS
        while time.monotonic() < deadline:
            for pid in list_gits(self.processes["worker"].pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:  # it ended since it was listed
                    continue
                return True
            time.sleep(0.005)  # bounded polling: a git runs for milliseconds, and its start isn't signalled
        return False

    def wait_until_it_answers(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/login", timeout=5).status_code < 500:
                    return
            except httpx.TransportError:
                time.sleep(0.2)  # bounded polling: another process gives no signal
        raise AssertionError((self.place.home / "web.log").read_text()[-3000:])


def list_gits(session: int) -> Iterator[int]:
    """The process ids of the gits that run in a session."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        state, _parent, _group, leader = rest.split()[:4]
        if name.startswith("git") and state != "Z" and int(leader) == session:
            yield int(folder.name)


class Author(threading.Thread):
    """Saves one template repeatedly; without an answer, reads the current state and continues."""

    def __init__(self, url, key, name):
        super().__init__(daemon=True)
        self.client = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=10)
        self.path = f"/templates/support/{name}"
        self.answered = {}
        self.fault = None

    def run(self):
        deadline = time.monotonic() + 900
        try:
            for count in range(SAVES):
                while not self.save(f"- name: a\n  role: user\n  content: save {count}\n"):
                    assert time.monotonic() < deadline, "the instance never came back"
                    time.sleep(0.1)  # bounded polling: another process gives no signal
        except (AssertionError, httpx.HTTPError, KeyError, ValueError) as error:
            self.fault = error

    def save(self, document):
        """Whether the save was acknowledged; no answer, or one that says to retry, doesn't count."""
        try:
            latest = self.client.get(self.path)
            if latest.status_code not in (200, 404):
                return False
            base = {"If-Match": latest.json()["latest"]["digest"]} if latest.status_code == 200 else {}
            answer = self.client.put(self.path, json={"document": document, "message": "go"}, headers=base)
        except httpx.TransportError:
            return False
        if answer.status_code in (429, 503):
            return False
        assert answer.status_code in (200, 201), answer.text
        saved = answer.json()
        self.answered[saved["version"]] = saved["digest"]
        return True


@pytest.fixture
def services(tmp_path) -> Iterator[tuple[Postgres | None, Broker | None]]:
    """A PostgreSQL and a Valkey of the test's own, to be killed; none of them on SQLite."""
    if connection.vendor != "postgresql":
        yield None, None
        return
    postgres = Postgres()
    try:
        postgres.start()
        with Broker(tmp_path) as broker:
            yield postgres, broker
    finally:
        postgres.close()


@pytest.fixture
def instance(services, tmp_path):
    postgres, broker = services
    home = tmp_path / "kill"
    if postgres is None:
        place = instances.make_instance(home)
    else:
        home.mkdir()
        place = instances.Instance(home, postgres.url)
        instances.make_tables(place)
    place.run("-c", SETUP)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = Instance(place, port, postgres, broker)
    for name in COMMANDS:
        running.start(name)
    running.wait_until_it_answers()
    yield running
    for name in list(running.processes):
        running.kill(name)


def wait_until_mirrored(place):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if json.loads(place.manage("mirror", "status").stdout)["behind"] == 0:
            return
        time.sleep(0.5)  # bounded polling: another process gives no signal
    raise AssertionError((place.home / "worker.log").read_text()[-3000:])


def list_committed_versions(author: Author) -> list[dict[str, Any]]:
    """The versions of an author's template, each with its commit, which the worker notes after Git holds it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        answer = author.client.get(f"{author.path}/-/versions", params={"limit": 100})
        assert answer.status_code == 200, answer.text
        listed: list[dict[str, Any]] = answer.json()["results"]
        without_commit = [entry["version"] for entry in listed if not entry["commit"]]
        if not without_commit:
            return listed
        assert time.monotonic() < deadline, f"versions {without_commit} of {author.path} have no commit"
        time.sleep(0.5)  # bounded polling: another process gives no signal


@pytest.mark.timeout(1500)
def test_every_answered_save_outlives_the_kills(instance, record_property):
    key = instance.place.manage("createkey", "support", "--person", "author", "--scope", "write").stdout.strip()
    url = f"http://127.0.0.1:{instance.port}"
    authors = [Author(url, key, f"t{number}") for number in range(TEMPLATES)]
    for author in authors:
        author.start()
    draw = random.Random(read_commit_seed())
    victims = instance.list_victims()
    order = [victims[number % len(victims)] for number in range(KILLS)]
    draw.shuffle(order)
    done: Counter[str] = Counter()
    for kill, name in enumerate(order):
        due = (kill + 1) * TEMPLATES * SAVES // (KILLS + 1)
        while sum(len(author.answered) for author in authors) < due and any(author.is_alive() for author in authors):
            instance.start_ended()
            time.sleep(0.02)  # bounded polling: another process gives no signal
        done[name] += instance.strike(name, draw)
    record_property("kills", done.total())
    for author in authors:
        author.join(900)
        assert author.fault is None
    assert {name for name, count in done.items() if count} == set(victims)
    instance.kill("worker")
    instance.start("worker")
    instance.wait_until_it_answers()
    wait_until_mirrored(instance.place)
    for author in authors:
        listed = list_committed_versions(author)
        there = {entry["version"]: entry["digest"] for entry in listed}
        assert sorted(there) == list(range(1, len(there) + 1))
        assert {number: there.get(number) for number in author.answered} == author.answered
        assert len(author.answered) >= SAVES - KILLS
        author.client.close()
    verified = instance.place.manage("mirror", "verify")
    assert "is what the journal says" in verified.stdout
