"""Python programs in processes that have loaded packages already, which takes Django two thirds of its start.

`WarmPython` starts one server, `python -m tests.support.warm_python`, that loads packages which read no setting. The
server forks for each program. The fork gets the program's environment, does what Python does with these arguments, and
reads Promptuary's settings from that environment.
"""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from registry.core.parent_death import end_with_parent
from tests.support.child_process import start_child

__all__ = ["WarmPython"]

ROOT = Path(__file__).parents[2]
# Loading them reads no variable of the environment and no setting, and starts no thread.
_PACKAGES = (
    "celery.app.base celery.app.task django.contrib.auth.hashers django.core.mail django.core.management.base "
    "django.core.serializers django.db.models django.forms django.http django.template.backends.django django.urls "
    "httpx jinja2 kombu.serialization markdown_it psycopg requests rich.console sqlparse yaml cryptography.x509 "
    "promptuary promptuary.evaluation.reports promptuary.evaluation.http_models promptuary.renderer.interop.pasted "
    "promptuary.renderer.isolation.renderer"
).split()


class WarmPython:
    """One server, which ends with this process."""

    def __init__(self) -> None:
        self._channel, other = socket.socketpair()
        environment = {
            name: text for name, text in os.environ.items() if not name.startswith(("PROMPTUARY_", "DJANGO_"))
        }
        self._server = start_child(
            [sys.executable, "-m", "tests.support.warm_python", str(other.fileno())],
            cwd=ROOT,
            env={**environment, "PYTHONPATH": str(ROOT)},
            pass_fds=[other.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        other.close()

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], seconds: float
    ) -> "subprocess.CompletedProcess[str]":
        """Run Python with these arguments and capture its output; the first are `-c code`, `-m module` or a script.

        Raises subprocess.TimeoutExpired after this many seconds, when the program has been killed.
        """
        with (
            tempfile.TemporaryFile() as request,
            tempfile.TemporaryFile() as output,
            tempfile.TemporaryFile() as errors,
        ):
            request.write(json.dumps([[*arguments], {**environment}]).encode())
            request.flush()
            readable, writable = os.pipe()
            files = [request.fileno(), output.fileno(), errors.fileno(), writable]
            socket.send_fds(self._channel, [b"r"], files)
            os.close(writable)
            with os.fdopen(readable, "rb") as status:
                code = _await_end(status, arguments, seconds)
            return subprocess.CompletedProcess([*arguments], code, _read_text(output), _read_text(errors))

    def close(self) -> None:
        """End the server."""
        self._channel.close()
        self._server.wait(timeout=60)


def _await_end(status: IO[bytes], arguments: Sequence[str], seconds: float) -> int:
    """Wait for the program's process id and then for its exit code, each on a line. What isn't awaited is killed."""
    program = int(status.readline())
    is_over = False
    try:
        is_over = bool(select.select([status], [], [], seconds)[0])
    finally:
        if not is_over:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(program, signal.SIGKILL)
    if not is_over:
        raise subprocess.TimeoutExpired([*arguments], seconds)
    return int(status.readline())


def _read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _serve(channel: socket.socket) -> list[str] | None:
    """Fork for each request. Returns the arguments in the process of a program, None when nobody asks any more."""
    while True:
        asked, files, _, _ = socket.recv_fds(channel, 1, 4)
        _reap_watchers()
        if not asked:
            return None
        if os.fork() == 0:
            channel.close()
            return _watch_program(files)
        for file in files:
            os.close(file)


def _reap_watchers() -> None:
    """Collect those that have ended; then their processor time counts as this process's."""
    with contextlib.suppress(ChildProcessError):  # there are none
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _watch_program(files: list[int]) -> list[str]:
    """Fork the program, whose arguments are returned, and tell its end from the process between it and the server."""
    request, output, errors, status = files
    end_with_parent()
    program = os.fork()
    if program:
        os.write(status, f"{program}\n".encode())
        _, ended = os.waitpid(program, 0)
        os.write(status, f"{os.waitstatus_to_exitcode(ended)}\n".encode())
        os._exit(0)
    end_with_parent()
    with os.fdopen(request, "rb") as file:
        arguments, environment = json.loads(_read_text(file))
    os.dup2(output, 1)
    os.dup2(errors, 2)
    for number in (output, errors, status):
        os.close(number)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    return [str(each) for each in arguments]


def _run_program(arguments: list[str]) -> None:
    """Do what `python` does with these arguments; errors end this process as they end any Python."""
    match arguments:
        case ["-c", code, *more]:
            sys.argv = ["-c", *more]
            main: Any = types.ModuleType("__main__")
            sys.modules["__main__"] = main
            exec(compile(code, "<string>", "exec"), vars(main))
        case ["-m", module, *more]:
            sys.argv = ["-m", *more]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *_]:
            sys.argv = arguments
            runpy.run_path(script, run_name="__main__")


def _load_packages() -> None:
    gc.disable()
    for name in _PACKAGES:
        importlib.import_module(name)
    gc.enable()
    gc.freeze()


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as own:
        _load_packages()
        program_arguments = _serve(own)
    if program_arguments is not None:
        _run_program(program_arguments)
