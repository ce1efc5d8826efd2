"""Supervisor of the server's processes: `python -m registry.supervisor <descriptor>`, which `manage.py serve` becomes.

It doesn't load Django, so that supervision takes only a few megabytes. The plan is read as JSON from the descriptor. If
one process ends, the others are ended too. A process with `restart` is restarted instead, after a pause that doubles
while the process keeps ending early. One that also has `most_early_ends` ends the others if it ends early that many
times in a row, or before the address first answered. One with `ends` is expected to end. One with `waits` starts when
the address answers, so that it doesn't slow down the first page. On Linux the processes end with the supervisor, even
if that is killed.
"""

import http.client
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial
from typing import IO, Any

from registry.core.parent_death import end_with_parent

__all__ = ["Plan", "main"]

_KILL_SECONDS = 10.0  # the time a process gets to end after SIGTERM
_READY_SECONDS = 60.0
_ALIVE = "/livez"
_RESTART_SECONDS = 0.5  # the first pause: a process that ends immediately must not keep a CPU busy
_MAX_PAUSE_SECONDS = 30.0
_LAST_OUTPUT_SECONDS = 1.0  # for a process's last output; its children may keep the pipe open
_STEADY_SECONDS = 60.0  # a process that ran this long didn't end early


@dataclass(frozen=True)
class Plan:
    """What to run. `processes`: name to `argv`, and optionally `environment` (else this process's), `restart`,
    `most_early_ends`, `ends`, `waits` and `niceness`, which above 0 yields to the other processes under load.

    A process forked before this program was executed has `forked` instead of `argv`, or in addition for restarts:
    `pid`, `output`, the descriptor of its output, and `start`, the one to write a byte to when it should begin, or None
    if it has begun. The process named by `listener`, if any, inherits the descriptor `socket`, whose number replaces
    "{socket}" in its argv. `folder` is removed at the end. `banner` has the lines to print when the address answers.
    """

    processes: dict[str, dict[str, Any]]
    host: str
    port: int | None
    banner: list[str]
    folder: str | None = None
    listener: str | None = None
    socket: int | None = None


@dataclass(frozen=True)
class ProcessEnd:
    """A process that has ended, and its exit code, negative if a signal ended it."""

    name: str
    code: int


@dataclass(frozen=True)
class StartDue:
    """The pause before the process's restart is over, or the address that it waited for answers."""

    name: str


@dataclass(frozen=True)
class SignalReceived:
    """The supervisor received a signal to stop."""

    number: int


class ForkedProcess:
    """A child forked before this program began, with the used part of `subprocess.Popen`'s interface."""

    def __init__(self, pid: int, output: int, start: int | None = None) -> None:
        self.pid = pid
        if start is not None:
            _let_start(start)
        self.stdout = os.fdopen(output, "rb")
        self._code = 0
        self._has_ended = threading.Event()
        threading.Thread(target=self._reap, daemon=True).start()

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal's number. Raises subprocess.TimeoutExpired after `timeout` seconds."""
        if not self._has_ended.wait(timeout):
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return self._code

    def _reap(self) -> None:
        self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._has_ended.set()


class Supervisor:
    """Starts the processes of a plan and waits for the first event that ends all of them."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._running: dict[str, subprocess.Popen[bytes] | ForkedProcess] = {}
        self._started: dict[str, float] = {}  # when each process was started, on the monotonic clock
        self._pauses: dict[str, float] = {}  # the pause before the last start of each process, in seconds
        self._early_ends: dict[str, int] = {}  # how many times in a row each process has ended early
        self._has_answered = plan.port is None  # whether the address has answered; not polled without an address
        self._events: queue.SimpleQueue[ProcessEnd | StartDue | SignalReceived] = queue.SimpleQueue()

    def run(self) -> int:
        """Return the exit code: of the process that ended, or 128 plus the signal's number."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda received, _frame: self._events.put(SignalReceived(received)))
        for name, planned in self._plan.processes.items():
            if self._plan.port is None or not planned.get("waits"):
                self._start(name)
        if self._plan.port is not None:
            threading.Thread(target=self._await_address, daemon=True).start()
        code = self._wait()
        self._stop()
        return code

    def _start(self, name: str) -> None:
        planned = self._plan.processes[name]
        forked = planned.pop("forked", None)  # a later start executes it
        process = ForkedProcess(**forked) if forked else self._launch(name, planned)
        self._running[name] = process
        self._started[name] = time.monotonic()
        threading.Thread(target=self._follow, args=(name, process), daemon=True).start()

    def _launch(self, name: str, planned: dict[str, Any]) -> "subprocess.Popen[bytes]":
        inherited = [self._plan.socket] if self._plan.socket is not None and name == self._plan.listener else []
        return subprocess.Popen(  # noqa: S603 - the plan comes from `manage.py serve`
            [argument.format(socket=inherited[0]) if inherited else argument for argument in planned["argv"]],
            env=planned.get("environment"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=inherited,
            start_new_session=True,  # Ctrl-C must only reach the supervisor, which ends the others in order
            # It takes no lock that another thread could hold.
            preexec_fn=partial(_prepare_child, os.getpid(), planned.get("niceness", 0)),  # noqa: PLW1509 - see above
        )

    def _follow(self, name: str, process: "subprocess.Popen[bytes] | ForkedProcess") -> None:
        """Print a process's output, and queue an event when it has ended."""
        printer = threading.Thread(target=_print_output, args=(name, process.stdout), daemon=True)
        printer.start()
        code = process.wait()
        printer.join(_LAST_OUTPUT_SECONDS)
        self._events.put(ProcessEnd(name, code))

    def _wait(self) -> int:
        while True:
            match self._events.get():
                case SignalReceived(number):
                    return 128 + number
                case StartDue(name):
                    self._start(name)
                case ProcessEnd(name, code) if self._plan.processes[name].get("restart") and self._may_restart(name):
                    self._schedule_restart(name, code)
                case ProcessEnd(name, code) if self._plan.processes[name].get("ends"):
                    del self._running[name]
                    if code:
                        _print_line(name, f"ended with code {code}; the next start goes on with its work")
                case ProcessEnd(name, code):
                    _print_line(name, f"ended with code {code}{self._describe_early_ends(name)}")
                    return abs(code) or 1

    def _may_restart(self, name: str) -> bool:
        """Count an early end; False if the process has ended early too often, or before the address first answered."""
        early = self._has_ended_early(name)
        self._early_ends[name] = self._early_ends.get(name, 0) + 1 if early else 0
        most_early_ends = self._plan.processes[name].get("most_early_ends")
        return most_early_ends is None or (self._has_answered and self._early_ends[name] < most_early_ends)

    def _describe_early_ends(self, name: str) -> str:
        ends = self._early_ends.get(name, 0)
        if ends < 2:
            return ""
        return (
            f", {ends} times in a row within {_STEADY_SECONDS:g} s of its start: it is not started again, and "
            f"everything else is ended. The lines of {name} above say why."
        )

    def _has_ended_early(self, name: str) -> bool:
        return time.monotonic() - self._started[name] < _STEADY_SECONDS

    def _schedule_restart(self, name: str, code: int) -> None:
        """Start the process again after a pause, during which signals are still answered."""
        last = self._pauses.get(name)
        pause = min(last * 2, _MAX_PAUSE_SECONDS) if self._has_ended_early(name) and last else _RESTART_SECONDS
        self._pauses[name] = pause
        _print_line(name, f"ended with code {code}, starts again in {pause:g} s")
        timer = threading.Timer(pause, self._events.put, [StartDue(name)])
        timer.daemon = True
        timer.start()

    def _stop(self) -> None:
        ends = time.monotonic() + _KILL_SECONDS
        for process in self._running.values():
            _signal_group(process, signal.SIGTERM)
        for process in self._running.values():
            try:
                process.wait(max(ends - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                _signal_group(process, signal.SIGKILL)
                process.wait()

    def _await_address(self) -> None:
        """Print the banner and start what waits when the address answers; start that at the latest after a minute."""
        deadline = time.monotonic() + _READY_SECONDS
        while not (is_up := self._is_answering()) and time.monotonic() < deadline:
            time.sleep(0.05)  # there is no signal for a server being ready
        self._has_answered = self._has_answered or is_up
        if is_up and self._plan.banner:
            print("\n".join(self._plan.banner), flush=True)  # noqa: T201 - the program's output
        for name, planned in self._plan.processes.items():
            if planned.get("waits"):
                self._events.put(StartDue(name))

    def _is_answering(self) -> bool:
        host = self._plan.host if self._plan.host != "0.0.0.0" else "127.0.0.1"  # noqa: S104 - compared, not bound
        connection = http.client.HTTPConnection(host, self._plan.port, timeout=_READY_SECONDS)
        try:
            connection.request("GET", _ALIVE)
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def _let_start(descriptor: int) -> None:
    """Let a forked child begin."""
    with os.fdopen(descriptor, "wb", buffering=0) as pipe:
        try:
            pipe.write(b"1")
        except BrokenPipeError:
            pass  # it has ended, which `wait` reports


def _print_output(name: str, output: IO[bytes] | None) -> None:
    for line in output or ():
        _print_line(name, line.decode("utf-8", "replace").rstrip("\n"))


def _print_line(name: str, text: str) -> None:
    """Print a process's output or status under its name."""
    print(f"{time.strftime('%H:%M:%S')} {name:<8} | {text}", flush=True)  # noqa: T201 - the program's output


def _signal_group(process: "subprocess.Popen[bytes] | ForkedProcess", number: int) -> None:
    """Signal a process and its children: each process leads its own group."""
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        pass


def _prepare_child(parent: int, niceness: int) -> None:
    """Set up a child before it executes its program."""
    # The supervisor's handler would swallow signals that arrive before the child has executed its program.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    if niceness:
        os.nice(niceness)


def main() -> None:
    """Run the plan read from the descriptor in the first argument, and exit with its code."""
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        plan = Plan(**json.load(file))
    try:
        code = Supervisor(plan).run()
    finally:
        if plan.folder is not None:
            shutil.rmtree(plan.folder, ignore_errors=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
