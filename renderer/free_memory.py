"""Returning unused memory to the system after a large step of work."""

import sys
from typing import TYPE_CHECKING

from promptuary.renderer.lazy_import import Deferred

if TYPE_CHECKING:
    import ctypes
else:
    ctypes = Deferred("ctypes")

__all__ = ["release_memory"]


def release_memory() -> None:
    """Have the C library return its unused memory; nothing happens if it can't (another system, musl)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform.startswith("linux") else None
    if trim is not None:
        trim(0)
