"""`manage.py serve --demo`, as run by `make run`: what it prints works, and Ctrl-C leaves nothing behind."""

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.support import instances
from tests.support.child_process import start_child
from tests.support.server_process import wait_for_demo, wait_until

pytestmark = pytest.mark.sqlite  # SQLite is what `serve` starts with

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 240
CAST = ("author", "reviewer", "reader", "admin")


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def list_processes(home: Path) -> dict[int, str]:
    """The processes that live over a home: their commands by their numbers."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if str(home).encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_text()
        except OSError:
            continue  # it ended meanwhile, or is somebody else's
    return found


class Served:
    """One instance in its own home, with its output."""

    def __init__(self, home: Path, *, has_demo: bool) -> None:
        self.home, self.port = home, find_free_port()
        left_out = (
            "PROMPTUARY_DATABASE_URL",
            "PROMPTUARY_BROKER_URL",
            "DJANGO_SETTINGS_MODULE",
            "PROMETHEUS_MULTIPROC_DIR",
        )
        environment = {name: value for name, value in os.environ.items() if name not in left_out}
        environment |= {"PROMPTUARY_HOME": str(home), "PORT": str(self.port), "PYTHONUNBUFFERED": "1"}
        self._log = home.with_suffix(".log")
        with self._log.open("w") as log:
            self.process = start_child(
                [sys.executable, "manage.py", "serve", *(["--demo"] if has_demo else [])],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o022,  # as most machines have it
            )

    @property
    def printed(self) -> str:
        return self._log.read_text()

    def wait(self) -> None:
        """Until it says that Ctrl-C stops it, which it prints when it answers."""
        deadline = time.monotonic() + START_SECONDS
        while "Ctrl-C stops everything" not in self.printed:
            assert self.process.poll() is None, self.printed
            assert time.monotonic() < deadline, self.printed
            time.sleep(0.2)  # what another process prints can only be looked at again

    def interrupt(self) -> None:
        """Ctrl-C, as a terminal sends it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=60)

    def find_processes(self, word: str) -> list[int]:
        """The ids of this home's processes whose command contains the word."""
        return [number for number, command in list_processes(self.home).items() if word in command]

    def find_forks(self, name: str) -> list[int]:
        """The numbers of this home's processes that were forked under this name."""
        numbers = list_processes(self.home)
        return [number for number in numbers if Path(f"/proc/{number}/comm").read_text().strip() == name]

    def left_behind(self) -> list[str]:
        """Processes that still live over this home."""
        return list(list_processes(self.home).values())


@pytest.fixture
def serve(tmp_path):
    started: list[Served] = []

    def start(name: str = "home", *, has_tables: bool = True, has_demo: bool = True) -> Served:
        """has_tables: whether the home's database has its tables already; a first start takes 10 s longer."""
        if has_tables:
            instances.make_instance(tmp_path / name, engine="sqlite")
        started.append(Served(tmp_path / name, has_demo=has_demo))
        started[-1].wait()
        return started[-1]

    yield start
    for served in started:
        served.interrupt()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_printed_accounts_work_and_ctrl_c_stops_everything(serve):
    served = serve(has_tables=False)
    assert all(re.search(rf"log in as {role} +password {role}-promptuary", served.printed) for role in CAST)
    text = httpx.get(f"http://127.0.0.1:{served.port}/login", timeout=60).text
    assert 'id="demo-progress"' in text  # the first page is there before the demo is
    wait_for_demo(served.home)
    assert "The starter library is loaded." in served.printed
    text = httpx.get(f"http://127.0.0.1:{served.port}/demo-progress", timeout=60).text
    assert "All of the demo is there." in text
    line = next(line for line in served.printed.splitlines() if line.strip().startswith("curl "))
    answer = subprocess.run([*shlex.split(line), "-sS"], capture_output=True, text=True, check=True)
    assert '"name":"support/refunds/reply","version":2,' in answer.stdout
    address = re.search(r'"Demo model, local": .*"base_url": "([^"]+)"', (served.home / "models.yml").read_text())
    assert address
    messages = [{"role": "user", "content": "Are you a language model?"}]
    reply = httpx.post(f"{address[1]}/chat/completions", json={"messages": messages}, timeout=60)
    assert "no language model" in reply.json()["choices"][0]["message"]["content"]
    served.interrupt()
    assert served.left_behind() == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel of Linux does it")
def test_a_test_run_that_is_killed_leaves_no_server_behind(tmp_path):
    place = instances.make_instance(tmp_path / "place", engine="sqlite")
    run = (
        "import os, pathlib, signal, sys; from tests.support import instances, server_process; "
        "place = instances.Instance(pathlib.Path(sys.argv[1])); "
        "server_process.Server(place).start(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", run, str(place.home)], cwd=ROOT, check=False, timeout=240)
    wait_until(lambda: not list_processes(place.home))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel of Linux does it")
def test_a_server_that_is_killed_leaves_nothing_behind(serve):
    served = serve()
    served.process.kill()
    served.process.wait(60)
    deadline = time.monotonic() + 120
    while processes := list_processes(served.home):
        assert time.monotonic() < deadline, f"left behind: {processes}\n{served.printed}"
        time.sleep(0.05)  # processes that are not our children can only be looked at again


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the worker under /proc")
def test_the_web_goes_on_while_a_killed_worker_is_started_again(serve):
    served = serve(has_demo=False)
    (worker,) = served.find_forks("worker")
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: "worker   | ended with code -9, starts again in 0.5 s" in served.printed)
    wait_until(lambda: served.find_processes("registry.celery"))
    assert httpx.get(f"http://127.0.0.1:{served.port}/login", timeout=60).status_code == 200
    assert served.process.poll() is None
    served.interrupt()
    assert served.left_behind() == []


def is_answering(served: Served) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{served.port}/login", timeout=20).status_code == 200
    except httpx.TransportError:
        return False


def find_children(parent: int) -> set[int]:
    """The numbers of the processes that this one has started."""
    return {int(number) for number in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the processes under /proc")
def test_killed_web_processes_and_a_killed_web_server_are_started_again(serve):
    served = serve(has_demo=False)
    (server,) = (number for number in served.find_forks("web") if find_children(number))
    before = find_children(server)
    assert len(before) == 2
    for number in before:
        os.kill(number, signal.SIGKILL)
    wait_until(lambda: len(find_children(server) - before) == 2)
    wait_until(lambda: is_answering(served))
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: "web      | ended with code -9, starts again in 0.5 s" in served.printed)
    wait_until(lambda: served.find_processes("registry.web_server"))
    wait_until(lambda: not served.find_forks("web"))  # no web process of the killed server keeps the port
    wait_until(lambda: is_answering(served))
    (server,) = (number for number in served.find_processes("registry.web_server") if find_children(number))
    before = find_children(server)
    for number in before:
        os.kill(number, signal.SIGKILL)
    wait_until(lambda: find_children(server) - before)
    loading = find_children(server)
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in loading))
    assert served.process.poll() is None
    served.interrupt()
    assert served.left_behind() == []


def test_two_homes_do_not_meet_and_a_taken_port_is_reported(serve, tmp_path):
    first, second = serve("first"), serve("second", has_demo=False)
    key = (first.home / "demo-key").read_text()
    refused = httpx.get(
        f"http://127.0.0.1:{second.port}/api/v1/templates", headers={"Authorization": f"Bearer {key}"}, timeout=60
    )
    assert refused.status_code == 401
    clash = subprocess.run(
        [sys.executable, "manage.py", "serve"],
        cwd=ROOT,
        env={**os.environ, "PROMPTUARY_HOME": str(tmp_path / "third"), "PORT": str(first.port)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert clash.returncode == 1
    assert f"Port {first.port} on 127.0.0.1 can't be used" in clash.stderr
    assert "Traceback" not in clash.stderr


def test_of_two_servers_that_start_at_the_same_time_one_is_refused(tmp_path):
    port, processes = find_free_port(), []
    for name in ("first", "second"):
        with (tmp_path / f"{name}.log").open("w") as log:
            processes.append(
                start_child(
                    [sys.executable, "manage.py", "serve", "--only", "web"],
                    cwd=ROOT,
                    env={**os.environ, "PROMPTUARY_HOME": str(tmp_path / name), "PORT": str(port)},
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )
    try:
        wait_until(lambda: any(process.poll() is not None for process in processes), seconds=START_SECONDS)
        refused, serves = sorted(processes, key=lambda process: process.poll() is None)
        logs = [tmp_path / f"{name}.log" for name in ("first", "second")]
        assert refused.returncode == 1
        refusal = logs[processes.index(refused)].read_text()
        assert f"Port {port} on 127.0.0.1 can't be used" in refusal
        assert "Traceback" not in refusal
        wait_until(lambda: is_alive(port), seconds=START_SECONDS)
        assert serves.poll() is None
    finally:
        for process in processes:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(timeout=60)


def is_alive(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/livez", timeout=20).status_code == 200
    except httpx.TransportError:
        return False


def walk(home):
    """The names of all files and folders, and which of them another user could look into."""
    names, exposed = set(), []
    for path in (home, *home.rglob("*")):
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            continue  # a message that was taken meanwhile
        names.add(path.name)
        if mode & 0o077:
            exposed.append(str(path))
    return names, exposed


def test_nothing_that_it_writes_can_be_read_by_another_user(serve):
    served = serve(has_tables=False)
    with httpx.Client(base_url=f"http://127.0.0.1:{served.port}") as browser:
        assert browser.get("/login").status_code == 200
    wait_for_demo(served.home)
    wait_until((served.home / "mirror.git").exists)  # the worker makes it
    names, exposed = walk(served.home)
    assert {"promptuary.sqlite3", "promptuary.sqlite3-wal", "mirror.git", "secret_key", "broker", "metrics"} <= names
    assert exposed == []
    served.interrupt()
    assert walk(served.home)[1] == []
