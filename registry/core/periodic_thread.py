"""A thread in each web process that runs tasks every few seconds, and once more at exit."""

import atexit
import logging
import multiprocessing.util
import threading
from collections.abc import Callable

from django.db import close_old_connections

from promptuary.renderer.after_fork import run_after_fork

__all__ = ["EVERY", "start"]

EVERY = 5.0  # seconds between two rounds
logger = logging.getLogger(__name__)
_acts: list[Callable[[], object]] = []
_pause = threading.Event()  # never set: a wait that can be interrupted at exit


def start(*acts: Callable[[], object]) -> None:
    """Run these every few seconds from now on and at exit. Only the first call has an effect."""
    if _acts:
        return
    _acts.extend(acts)
    atexit.register(_go_round)
    multiprocessing.util.Finalize(None, _go_round, exitpriority=1)  # atexit doesn't run in a forked worker
    _start_thread()


def _start_thread() -> None:
    threading.Thread(target=_run, name="rounds", daemon=True).start()


def _run() -> None:
    while True:
        _pause.wait(EVERY)
        close_old_connections()
        _go_round()
        close_old_connections()


def _go_round() -> None:
    for act in _acts:
        try:
            act()
        except Exception:  # a serving process must continue, and so must the rounds
            logger.exception("%s failed", getattr(act, "__qualname__", act))


def _start_thread_again() -> None:
    if _acts:  # a forked child doesn't have its parent's threads
        _start_thread()


run_after_fork(_start_thread_again)
