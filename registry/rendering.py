"""The bounded child that runs what authors wrote; one for each process, started when first needed."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager

from registry import recent
from registry.errors import Busy
from renderer import document
from renderer.bounded import BoundedRenderer, BusyError

__all__ = ["bounded", "child"]


recent.register(document.forget_texts)


@functools.cache
def bounded() -> BoundedRenderer:
    """The process's own; safe to use from any thread."""
    return BoundedRenderer()


@contextmanager
def child() -> Iterator[BoundedRenderer]:
    """The same, for the length of a call; Busy where too many calls are waiting."""
    try:
        yield bounded()
    except BusyError as error:
        raise Busy(error.message, retry_after=1) from error
