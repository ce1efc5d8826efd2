"""Processes forked from `manage.py serve`, which share the loaded Django and its memory."""

import ctypes
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NoReturn

from promptuary.renderer.free_memory import release_memory
from registry.core.parent_death import end_with_parent

__all__ = ["ForkedProcess", "fork_process", "run_forked", "share_memory"]

_PR_SET_NAME = 15
_M_ARENA_MAX = -8  # glibc's number of the setting
_ARENAS = 2


@dataclass(frozen=True)
class ForkedProcess:
    """A child: its process id, the descriptor of its output, and the one that lets it start.

    A child that waits starts when a byte is written to `start`, and ends when `start` is closed without one.
    """

    pid: int
    output: int
    start: int | None

    def pass_on(self) -> dict[str, Any]:
        """The fields, for the program that this process execs; the descriptors stay open in it."""
        for descriptor in (self.output, self.start):
            if descriptor is not None:
                os.set_inheritable(descriptor, True)
        return asdict(self)


def fork_process(name: str, work: Callable[[], None], *, waits: bool = False, niceness: int = 0) -> ForkedProcess:
    """Fork a process of this name that does this work and then exits.

    Call it in a process without threads, database connections and its own renderer. The child ends when this process
    ends. Its exit code is that of the work's SystemExit, 1 after another error, else 0.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    readable, writable = os.pipe()
    start = os.pipe() if waits else None
    pid = os.fork()
    if pid == 0:
        os.close(readable)
        _become_child(name, work, writable, start, niceness)
    os.close(writable)
    if start is None:
        return ForkedProcess(pid, readable, None)
    os.close(start[0])
    return ForkedProcess(pid, readable, start[1])


def run_forked(work: Callable[[], None], meanwhile: Callable[[], object]) -> None:
    """Run `work` in a child with this process's output, run `meanwhile` here, and wait for the child.

    The memory of the work is freed with the child. Call it where `fork_process` may be called. Raises SystemExit with
    the child's code if that is not 0; the child has printed why.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _run_and_exit(work)
    meanwhile()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise SystemExit(code if code > 0 else 128 - code)


def share_memory() -> None:
    """Release unused memory, and freeze objects so that garbage collection doesn't unshare memory pages. Call it before
    a fork.
    """
    gc.collect()
    release_memory()
    gc.freeze()


def _become_child(
    name: str, work: Callable[[], None], output: int, start: tuple[int, int] | None, niceness: int
) -> NoReturn:
    def prepare_and_work() -> None:
        os.setsid()  # Ctrl-C in a terminal must only reach the supervisor, which ends the others in order
        _redirect(output)
        _set_name(name)
        _limit_arenas()
        if niceness:
            os.nice(niceness)
        if start is None or _may_start(*start):
            work()

    _run_and_exit(prepare_and_work)


def _run_and_exit(work: Callable[[], None]) -> NoReturn:
    """Do the work, print any error, and end this child."""
    code: Any = 1
    try:
        end_with_parent()
        work()
        code = 0
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except Exception:  # noqa: BLE001  # any exception; it is reported below
        traceback.print_exc()  # os._exit skips Python's own traceback
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(code is not None))


def _may_start(readable: int, writable: int) -> bool:
    """Wait for the byte that the parent writes; False if it closes the pipe instead."""
    os.close(writable)
    with os.fdopen(readable, "rb") as pipe:
        return bool(pipe.read(1))


def _redirect(output: int) -> None:
    """Redirect stdin to /dev/null, and the output to this descriptor."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)


def _set_name(name: str) -> None:
    """Name this process for `ps -o comm` and `top`; its command line stays that of its parent."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_NAME, name.encode(), 0, 0, 0)


def _limit_arenas() -> None:
    """Limit the C library to two arenas; an arena per thread would keep the memory that each has freed."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl and other systems lack it
    if mallopt is not None and sys.platform.startswith("linux"):
        mallopt(_M_ARENA_MAX, _ARENAS)
