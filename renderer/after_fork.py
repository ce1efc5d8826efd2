"""Hooks that run in a child process right after a fork.

A child has copies of its parent's locks and counts but none of its threads, so their owners recreate them.
"""

import os
import types
import weakref
from collections.abc import Callable

__all__ = ["run_after_fork"]


def run_after_fork(function: Callable[[], object]) -> None:
    """Call the function in each forked child from now on. Does nothing if the platform can't fork.

    A bound method is held weakly, so its object can be garbage-collected.
    """
    if not hasattr(os, "register_at_fork"):
        return
    if not isinstance(function, types.MethodType):
        os.register_at_fork(after_in_child=function)
        return
    reference = weakref.WeakMethod(function)

    def run_if_alive() -> None:
        method = reference()
        if method is not None:
            method()

    os.register_at_fork(after_in_child=run_if_alive)
