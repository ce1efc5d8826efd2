"""kill -9 of the web and worker processes while people save: what was answered is there, and Git says the same."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field

import httpx
import pytest

from registry.core.parent_death import end_with_parent
from tests.support import instances
from tests.support.examples import run_size

pytestmark = pytest.mark.dialect

TEMPLATES = 4
SAVES = 50  # of each template
KILLS = run_size(6, torture=60)
PATIENCE = 120.0  # seconds for a process to come up on a busy machine
COMMANDS = {
    "web": "granian --interface rsgi --host 127.0.0.1 --port {port} --workers 2 --no-ws registry.rsgi:application",
    "worker": "celery -A registry.celery worker --pool threads --concurrency 4",
}
SETUP = """
import django; django.setup()
from registry.accounts.actor import operator_actor
from registry.accounts.models import User
from registry.namespaces import services as namespace_services
from registry.namespaces import services as namespaces
namespaces.create_namespace(actor=operator_actor(), name="support")
User.objects.create(username="author")
namespace_services.set_role(actor=operator_actor(), namespace="support", username="author", role="author")
"""


@dataclass
class Instance:
    """The real web server and the real worker, each a process group that can be killed whole."""

    place: instances.Instance
    port: int
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name):
        """Start the web server or the worker, what it says going into a file of the home."""
        with (self.place.home / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", *COMMANDS[name].format(port=self.port).split()],
                env=self.place.environment(PORT=str(self.port)),
                cwd=instances.ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=end_with_parent,  # noqa: PLW1509  # nothing outlives a test run that is killed
            )

    def kill(self, name):
        """SIGKILL to the whole group: the server, its workers, a git at work."""
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def wait_until_it_answers(self):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/login", timeout=5).status_code < 500:
                    return
            except httpx.TransportError:
                time.sleep(0.2)  # bounded polling: another process gives no signal
        raise AssertionError((self.place.home / "web.log").read_text()[-3000:])


class Author(threading.Thread):
    """Saves one template again and again; after an answer that never came looks where things stand, and goes on."""

    def __init__(self, url, key, name):
        super().__init__(daemon=True)
        self.client = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=10)
        self.path = f"/templates/support/{name}"
        self.answered = {}
        self.fault = None

    def run(self):
        deadline = time.monotonic() + 280
        try:
            for count in range(SAVES):
                while not self.save(f"- name: a\n  role: user\n  content: save {count}\n"):
                    assert time.monotonic() < deadline, "the instance never came back"
                    time.sleep(0.1)  # bounded polling: another process gives no signal
        except (AssertionError, httpx.HTTPError, KeyError, ValueError) as error:
            self.fault = error

    def save(self, document):
        """Whether the save was answered; no answer, or one that says to come again, is none."""
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
def instance(tmp_path):
    place = instances.make_instance(tmp_path / "kill")
    place.run("-c", SETUP)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    running = Instance(place, port)
    for name in ("web", "worker"):
        running.start(name)
    running.wait_until_it_answers()
    yield running
    for name in list(running.processes):
        running.kill(name)
    instances.remove_instance(place)


def wait_until_mirrored(place):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if json.loads(place.manage("mirror", "status").stdout)["behind"] == 0:
            return
        time.sleep(0.5)  # bounded polling: another process gives no signal
    raise AssertionError((place.home / "worker.log").read_text()[-3000:])


@pytest.mark.timeout(600)
def test_every_answered_save_outlives_the_kills(instance):
    key = instance.place.manage("createkey", "support", "--person", "author", "--scope", "write").stdout.strip()
    url = f"http://127.0.0.1:{instance.port}"
    authors = [Author(url, key, f"t{number}") for number in range(TEMPLATES)]
    for author in authors:
        author.start()
    for kill in range(KILLS):
        due = (kill + 1) * TEMPLATES * SAVES // (KILLS + 1)
        while sum(len(author.answered) for author in authors) < due and any(author.is_alive() for author in authors):
            time.sleep(0.02)  # bounded polling: another process gives no signal
        name = ("web", "worker")[kill % 2]
        instance.kill(name)
        instance.start(name)
    for author in authors:
        author.join(300)
        assert author.fault is None
    instance.kill("worker")
    instance.start("worker")
    instance.wait_until_it_answers()
    wait_until_mirrored(instance.place)
    for author in authors:
        listed = author.client.get(f"{author.path}/-/versions", params={"limit": 100}).json()["results"]
        there = {entry["version"]: entry["digest"] for entry in listed}
        assert sorted(there) == list(range(1, len(there) + 1))
        assert {number: there.get(number) for number in author.answered} == author.answered
        assert all(entry["commit"] for entry in listed)
        assert len(author.answered) >= SAVES - KILLS
        author.client.close()
    done = instance.place.manage("mirror", "verify")
    assert "is what the journal says" in done.stdout
