"""A short soak test of real processes: reads, saves and label moves go on, and nothing fails or grows.

Some seconds in the usual run; a minute in each round of `make torture`. A hundred clients that listen hear of each
move within two seconds; clients go on from what they have while server, broker and database are away.
"""

import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from promptuary import Promptuary
from tests.support import instances
from tests.support.child_process import start_child
from tests.support.examples import run_size

SECONDS = run_size(6, torture=60)
READS = 100  # a second
NAME = "support/refunds/reply"
figures = logging.getLogger("figures")  # pytest -o log_cli=true --log-cli-level=INFO shows them
SETUP = """
import django; django.setup()
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.namespaces import keys
from registry.templates import labels, save as templates
from registry.namespaces import services as namespaces
actor = Actor(User.objects.create(username="author"))
namespaces.create_namespace(actor=actor, name="support")
document = "- name: a\\n  content: '{{ question }} 1'\\n"
templates.save_version(actor=actor, name="support/refunds/reply", document=document, message="")
labels.move_label(actor=actor, name="support/refunds/reply", label="production", version=1, expected=None)
print(keys.issue_key(actor=actor, namespace="support", name="soak", scope="write").secret)
"""
COUNTED = """
import django; django.setup()
from registry.usage.models import Fetch
print(sum(Fetch.objects.values_list("count", flat=True)))
"""


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Registry:
    """Web and worker processes as `manage.py serve` runs them, in their own home."""

    place: instances.Instance
    key: str
    port: int = field(default_factory=find_free_port)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, **more: str) -> None:
        environment = self.place.environment(PORT=str(self.port), PROMPTUARY_RATE_CALLER="1000000/min", **more)
        with (self.place.home / "serve.log").open("ab") as log:
            self.process = start_child(
                [sys.executable, "manage.py", "serve"],
                cwd=instances.ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + 120
        while not self._answers():
            assert self.process.poll() is None, (self.place.home / "serve.log").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.2)  # another process's port opens without a signal

    def stop(self) -> None:
        """Ctrl-C, as a terminal sends it."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(60)

    def kill(self) -> None:
        """Kill all of its processes together, as in a power failure."""
        for pid in self._processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self.process is not None:
            self.process.wait(60)

    def resident(self) -> dict[str, int]:
        """KiB in memory of each process of this home that has been there from the start: command to size."""
        found = {}
        for pid in self._processes():
            try:
                status, name = (Path(f"/proc/{pid}/{file}").read_text() for file in ("status", "cmdline"))
            except OSError:
                continue  # it ended meanwhile
            if "VmRSS" in status and ("serve" in name or "celery" in name):  # a fork of `manage.py serve` serves
                found[str(pid)] = int(status.split("VmRSS:")[1].split()[0])
        return found

    def _processes(self) -> list[int]:
        """Those that live over this home."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"PROMPTUARY_HOME={self.place.home}\0".encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue  # it ended meanwhile, or is somebody else's
        return found

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/livez", timeout=2).status_code == 200
        except httpx.HTTPError:
            return False


@pytest.fixture
def registry(tmp_path) -> Iterator[Registry]:
    place = instances.make_instance(tmp_path / "soak")
    key = place.run("-c", SETUP).stdout.split()[-1]
    registry = Registry(place, key)
    registry.start()
    yield registry
    registry.stop()
    instances.remove_instance(place)


class Writer:
    """Saves a version and moves `production` to it, once a second."""

    def __init__(self, registry: Registry) -> None:
        headers = {"Authorization": f"Bearer {registry.key}"}
        self._http = httpx.Client(base_url=f"{registry.url}/api/v1/", headers=headers, timeout=30)
        self.number = 1
        self._digest = self._http.get(f"templates/{NAME}@1").json()["digest"]

    def write(self) -> None:
        document = f"- name: a\n  content: '{{{{ question }}}} {self.number + 1}'\n"
        body = {"document": document, "message": f"Number {self.number + 1}"}
        saved = self._http.put(f"templates/{NAME}", json=body, headers={"If-Match": self._digest})
        assert saved.status_code == 201, saved.text
        self._digest = saved.json()["digest"]
        self.move(saved.json()["version"])

    def move(self, number: int) -> None:
        moved = self._http.put(
            f"templates/{NAME}/-/labels/production", json={"version": number, "expected": self.number}
        )
        assert moved.status_code == 200, moved.text
        self.number = number


def test_reads_saves_and_moves_go_on_without_an_error_and_nothing_grows(registry):
    writer, ended = Writer(registry), threading.Event()
    faults: list[str] = []
    done: list[int] = []
    readers = [threading.Thread(target=_read, args=(registry, ended, faults, done)) for _ in range(4)]
    for reader in readers:
        reader.start()
    began = time.monotonic()
    early: dict[int, int] = {}
    while (passed := time.monotonic() - began) < SECONDS:
        writer.write()
        if not early and passed > SECONDS / 4:  # what is loaded once is loaded by then
            early = registry.resident()
        time.sleep(max(0.0, 1 - (time.monotonic() - began - passed)))
    late = registry.resident()
    ended.set()
    for reader in readers:
        reader.join()
    registry.stop()
    grown = {pid: late[pid] - size for pid, size in early.items() if pid in late}
    figures.info("%d reads, %d versions in %d s, KiB grown %s of %s", sum(done), writer.number, SECONDS, grown, early)
    assert faults == []
    assert sum(done) > SECONDS * READS * 0.3
    assert int(registry.place.run("-c", COUNTED).stdout) >= sum(done)  # each read was counted, at the latest at the end
    if SECONDS >= 600:
        assert max(grown.values()) < 24 * 1024


def _read(registry: Registry, ended: threading.Event, faults: list[str], done: list[int]) -> None:
    """A quarter of the reads, each second's spread over it."""
    count, refs = 0, ("production", "1", "latest")
    with httpx.Client(headers={"Authorization": f"Bearer {registry.key}"}, timeout=30) as http:
        due = time.monotonic()
        while not ended.is_set():
            answer = http.get(f"{registry.url}/api/v1/templates/{NAME}@{refs[count % 3]}")
            if answer.status_code != 200:
                faults.append(f"{answer.status_code} {answer.text[:200]}")
            count += 1
            due += 4 / READS
            time.sleep(max(0.0, due - time.monotonic()))
    done.append(count)


def test_a_hundred_clients_that_listen_hear_of_a_move_within_two_seconds(registry):
    writer = Writer(registry)
    writer.write()
    with ThreadPoolExecutor(100) as pool:
        address = f"{registry.url}/api/v1/namespaces/support/moves"
        headers = {"Authorization": f"Bearer {registry.key}"}
        cursor = httpx.get(address, headers=headers).json()["cursor"]
        asked = [pool.submit(_listen, address, headers, cursor) for _ in range(100)]
        time.sleep(5)  # all of them have asked by then
        moved = time.monotonic()
        writer.move(1)
        heard = sorted(answer.result(60) - moved for answer in asked)
    figures.info("heard after %.2f s, half of them %.2f s, the last %.2f s", heard[0], heard[50], heard[-1])
    assert heard[-1] <= run_size(10, torture=2)  # the machine may be busy with other tests


def _listen(address: str, headers: dict[str, str], cursor: str) -> float:
    """The time when this client learned of the next move; it retries as the server tells it."""
    with httpx.Client(headers=headers, timeout=60) as http:
        while True:
            news = http.get(address, params={"after": cursor, "wait": 25}).json()
            if news["moves"]:
                return time.monotonic()
            time.sleep(news["again"])  # as long as the registry asks


def test_clients_go_on_and_say_so_while_everything_is_away(registry, tmp_path):
    with Promptuary(registry.url, registry.key, cache_dir=tmp_path / "kept", ttl=0.1) as client:
        assert client.render(NAME, {"question": "Why?"}).text.endswith("Why? 1")
        registry.kill()
        time.sleep(0.3)  # past what the client believes unasked
        for _ in range(20):
            assert client.render(NAME, {"question": "Why?"}).text.endswith("Why? 1")
        assert client.fetch(NAME).stale
    with Promptuary(registry.url, registry.key, cache_dir=tmp_path / "kept") as cold:
        assert cold.render(NAME, {"question": "Why?"}).text.endswith("Why? 1")


def test_an_absent_broker_stops_neither_saves_nor_fetches(registry):
    registry.stop()
    registry.start(PROMPTUARY_BROKER_URL="redis://127.0.0.1:1/0")
    writer = Writer(registry)
    writer.write()
    headers = {"Authorization": f"Bearer {registry.key}"}
    fetched = httpx.get(f"{registry.url}/api/v1/templates/{NAME}@production", headers=headers, timeout=30)
    assert (fetched.status_code, fetched.json()["version"]) == (200, 2)
    ready = httpx.get(f"{registry.url}/readyz", timeout=30)
    assert json.loads(ready.text)["checks"]["broker"] != "ok"
