"""The bounded child that runs what authors wrote; one for each process, started when first needed."""

import functools

from renderer.bounded import BoundedRenderer

__all__ = ["bounded"]


@functools.cache
def bounded() -> BoundedRenderer:
    """The process's own; safe to use from any thread."""
    return BoundedRenderer()
