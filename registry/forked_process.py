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
    """A child: its process id, the descriptor from which to read what it prints, and the one that lets it start.

    A child that waits starts when a byte is written to `start`, and ends when `start` is closed without one.
    """

    pid: int
    output: int
    start: int | None

    def pass_on(self) -> dict[str, Any]:
        """The fields, for the program that this process becomes; its descriptors stay open there."""
        for descriptor in (self.output, self.start):
            if descriptor is not None:
                os.set_inheritable(descriptor, True)
        return asdict(self)


def fork_process(name: str, work: Callable[[], None], *, waits: bool = False, niceness: int = 0) -> ForkedProcess:
    """Fork a process of this name that does this work and never returns to what its parent was doing.

    Call it in a process that has no threads, no connection to the database and no renderer of its own. The child ends
    with this process, and with the code of the work's SystemExit, with 1 after another error, else with 0.
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
    """Do this work in a child that prints where this process does, something else here meanwhile, and wait for it.

    The memory that the work takes is gone with the child. Call it where `fork_process` may be called. Raises SystemExit
    with the child's code if that is not 0; the child has said why.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _work_and_exit(work)
    meanwhile()
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        raise SystemExit(code if code > 0 else 128 - code)


def share_memory() -> None:
    """Give unused memory back, and keep the search for garbage from writing to what children share. Call it before a
    fork."""
    gc.collect()
    release_memory()
    gc.freeze()


def _become_child(
    name: str, work: Callable[[], None], output: int, start: tuple[int, int] | None, niceness: int
) -> NoReturn:
    def prepare_and_work() -> None:
        os.setsid()  # Ctrl-C in a terminal reaches the supervisor only, which ends the others in order
        _redirect(output)
        _set_name(name)
        _limit_arenas()
        if niceness:
            os.nice(niceness)
        if start is None or _may_start(*start):
            work()

    _work_and_exit(prepare_and_work)


def _work_and_exit(work: Callable[[], None]) -> NoReturn:
    """Do the work, say what went wrong, and end this child."""
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
    except Exception:  # noqa: BLE001  # whatever it was, it is told below
        traceback.print_exc()  # the process ends without Python's own way of telling
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
    """Read nothing, and print to this descriptor."""
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
    """Have the C library use two pools of memory; one for each thread would keep what each has freed."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl and other systems have none
    if mallopt is not None and sys.platform.startswith("linux"):
        mallopt(_M_ARENA_MAX, _ARENAS)
