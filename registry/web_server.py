"""The web server: granian, whose web processes are forked from one that has loaded Django and all pages.

`manage.py serve` has loaded most of that when the web server begins. A fork goes on from there, and its children share
what was loaded: on two idle cores the first page comes three seconds earlier, and the web processes need less memory.
"""

import ctypes
import gc
import multiprocessing
import os
import sys
import traceback
from typing import NoReturn

from django.urls import get_resolver
from granian import Granian
from granian.constants import Interfaces, Loops
from granian.log import LogLevels

from promptuary.renderer.free_memory import release_memory
from registry.core.parent_death import end_with_parent

__all__ = ["fork_web_server"]

_M_ARENA_MAX = -8  # glibc's number of the setting
_ARENAS = 2
_BACKPRESSURE = 4096  # connections enough for open streams
_KILL_SECONDS = 5


def fork_web_server(host: str, port: int, workers: int) -> tuple[int, int]:
    """Fork the web server from this process: its process id, and the descriptor from which to read what it prints.

    Call it in a process that has no threads, no connection to the database and no renderer of its own.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    readable, writable = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(readable)
        _become_web_server(writable, host, port, workers)
    os.close(writable)
    return pid, readable


def _become_web_server(output: int, host: str, port: int, workers: int) -> NoReturn:
    """What the fork does: it never returns to what its parent was doing."""
    code = 1
    try:
        os.setsid()  # Ctrl-C in a terminal reaches the supervisor only, which ends the others in order
        end_with_parent()
        _redirect(output)
        _limit_arenas()
        get_resolver().url_patterns  # noqa: B018  # reading it loads the modules of all pages
        gc.collect()
        release_memory()
        gc.freeze()  # a search for garbage would write to the memory that the web processes share
        # The web processes have to be forked for that; a later Python chooses another way by itself.
        multiprocessing.set_start_method("fork", force=True)
        _serve(host, port, workers)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except Exception:  # noqa: BLE001  # whatever it was, it is told below
        traceback.print_exc()  # the process ends without Python's own way of telling
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _serve(host: str, port: int, workers: int) -> None:
    Granian(
        "registry.rsgi:application",
        address=host,
        port=port,
        interface=Interfaces.RSGI,
        workers=workers,
        loop=Loops.asyncio,  # since `registry.live.server` takes its calls
        backpressure=_BACKPRESSURE,
        websockets=False,
        log_level=LogLevels.error,
        workers_kill_timeout=_KILL_SECONDS,
    ).serve()


def _redirect(output: int) -> None:
    """Read nothing, and print to this descriptor."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)


def _limit_arenas() -> None:
    """Have the C library use two pools of memory; one for each thread would keep what each has freed."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl and other systems have none
    if mallopt is not None and sys.platform.startswith("linux"):
        mallopt(_M_ARENA_MAX, _ARENAS)
