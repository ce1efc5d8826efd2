"""A server that a test starts and kills: `manage.py serve` in its own home."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from tests.support import instances
from tests.support.child_process import start_child

SECONDS = 120  # seconds to wait for other processes on a busy machine


class Server:
    """`manage.py serve` in its own home, on a free port."""

    def __init__(self, place: instances.Instance, *options: str, **more: str) -> None:
        """`options` are those of `manage.py serve`; `more` are environment variables."""
        self._place, self._options, self._more = place, options, more
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, seconds: float = SECONDS) -> None:
        """Start it, and wait at most this many seconds until it answers."""
        self._process = start_child(
            [sys.executable, "manage.py", "serve", *self._options],
            cwd=instances.ROOT,
            env=self._place.environment(PORT=str(self.port), **self._more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with httpx.Client(timeout=5) as http:  # one for all polls: each new client reads the system's certificates
            wait_until(lambda: self._answers(http), seconds)
        if "--demo" in self._options:
            wait_for_demo(self._place.home)

    def kill(self) -> None:
        """Kill its processes, found by the home in their environment."""
        while alive := self._alive():
            for pid in alive:
                with contextlib.suppress(ProcessLookupError):  # the process has ended since it was listed
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)  # killed processes take some time to disappear
        if self._process is not None:
            self._process.wait(30)
            self._process = None

    def _alive(self) -> list[int]:
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                variables = (folder / "environ").read_bytes().split(b"\0")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue  # the process has ended, or belongs to another user
            if state != "Z" and f"PROMPTUARY_HOME={self._place.home}".encode() in variables:
                found.append(int(folder.name))
        return found

    def _answers(self, http: httpx.Client) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, "the server ended by itself"
        try:
            return http.get(f"{self.url}/login").status_code == 200
        except httpx.HTTPError:
            return False


def wait_for_demo(home: Path, seconds: float = 4 * SECONDS) -> None:
    """Wait until the demo in this home is complete, after its server has answered."""
    wait_until(lambda: not (home / "demo-progress.json").exists(), seconds)


def wait_until(condition: Callable[[], object], seconds: float = SECONDS) -> None:
    """Wait until other processes make the condition true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)  # bounded polling: other processes don't signal it
