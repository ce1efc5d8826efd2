"""Returning unused memory to the system after a step that needed much of it."""

import sys
from typing import TYPE_CHECKING

from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import ctypes
else:
    ctypes = Deferred("ctypes")

__all__ = ["release_memory"]


def release_memory() -> None:
    """Have the C library return its unused memory. Does nothing where that isn't supported (other systems, musl)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
