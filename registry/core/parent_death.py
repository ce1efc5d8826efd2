"""Ends this process when its parent process ends. Doesn't need Django, which the supervisor doesn't load."""

import ctypes
import os
import signal
import sys

__all__ = ["end_with_parent"]

_PR_SET_PDEATHSIG = 1
# Loaded here: a child that was just forked must not wait for the loader's lock, which another thread may have held.
_LIBC = ctypes.CDLL(None) if sys.platform.startswith("linux") else None


def end_with_parent(parent: int | None = None) -> None:
    """Make the kernel send this process SIGTERM when its parent ends, even by SIGKILL; does nothing if unsupported.

    Call it in the process itself. It survives `exec` and is not inherited by children. parent: the parent's process id
    from before the fork, to detect a parent that has ended since.
    """
    if _LIBC is None:
        return
    parent = parent or os.getppid()
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it has just ended
        os.kill(os.getpid(), signal.SIGTERM)
