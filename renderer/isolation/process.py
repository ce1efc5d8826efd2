"""Starting, feeding and ending the zygote process of a bounded renderer."""

import json
import os
import socket
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

__all__ = ["Nursery"]

# How long an order may wait to be taken: a new zygote has its imports to do, an old one a vocabulary to load.
_PATIENCE_SECONDS = 60.0

# All the environment that a renderer needs; what else this process was given, secrets above all, stays here.
_PASSED_ON = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "PROMPTUARY_CACHE", "TMPDIR", "XDG_CACHE_HOME")


class Nursery:
    """Owns one zygote; starts it when an order comes and starts another when it is gone. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._ending: Any = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int | None:
        """The zygote's, while one runs."""
        return self._process.pid if self._process else None

    def order(self, order: dict[str, Any], connection: socket.socket | None) -> None:
        """Hand the zygote an order and, with it, the socket on which the child shall answer."""
        message = json.dumps(order).encode()
        descriptors = [connection.fileno()] if connection else []
        with self._lock:
            for attempt in range(2):
                control = self._running()
                try:
                    socket.send_fds(control, [message], descriptors)
                    if control.recv(1):
                        return  # taken: one order is on its way at a time, so none can run into the next
                    raise ConnectionError("the zygote has gone")
                except OSError:
                    self._end()
                    if attempt:
                        raise

    def close(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._ending is not None:
            self._ending()
        self._control = self._process = self._ending = None

    def _running(self) -> socket.socket:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._control is None:
            self._start()
        assert self._control is not None  # noqa: S101 - _start sets it or raises
        return self._control

    def _start(self) -> None:
        mine, theirs = socket.socketpair()
        mine.settimeout(_PATIENCE_SECONDS)
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [sys.executable, "-P", "-m", "promptuary.renderer.isolation.fork_server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # Ctrl-C in a terminal ends the caller, and by it the zygote
            )
        self._control, self._process = mine, process
        self._ending = weakref.finalize(self, _stop, mine, process, os.getpid())


def _environment() -> dict[str, str]:
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    root = str(Path(__file__).absolute().parents[__name__.count(".")])
    return {
        **passed,
        "PYTHONPATH": root,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "TOKENIZERS_PARALLELISM": "false",  # a forked child has no threads to share the work with
        "MALLOC_ARENA_MAX": "1",
    }


def _stop(control: socket.socket, process: subprocess.Popen[bytes], owner: int) -> None:
    """Close the control socket, on which the zygote ends by itself; one that doesn't is killed."""
    control.close()
    if owner != os.getpid():
        process.returncode = 0  # another process's child: not ours to wait for
        return
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
