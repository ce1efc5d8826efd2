"""Ends this process when its parent process ends. Needs no Django, as the supervisor has none."""

import ctypes
import os
import signal
import sys

__all__ = ["end_with_parent"]

_PR_SET_PDEATHSIG = 1


def end_with_parent(parent: int | None = None) -> None:
    """Have the kernel send this process SIGTERM when its parent ends, even by SIGKILL; nothing happens if it can't.

    Call it in the process itself. It holds over `exec` and is not passed on to children. parent: its process id as it
    was known before the fork, so that a parent that ended since then is noticed.
    """
    if not sys.platform.startswith("linux"):
        return
    parent = parent or os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it ended just before
        os.kill(os.getpid(), signal.SIGTERM)
