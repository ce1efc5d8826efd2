"""The bounded renderer of this process: runs what authors wrote in child processes of the shared fork server."""

import functools
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from promptuary.renderer.document import parser
from promptuary.renderer.isolation.renderer import BoundedRenderer, BusyError
from promptuary.renderer.syntax import sequence_diff
from registry.core import env, lru
from registry.core.errors import Busy

__all__ = ["bounded", "child", "seconds_of_request"]


# What each child worked for the request that is answered in this context; None if nobody measures it.
seconds_of_request: ContextVar[list[float] | None] = ContextVar("seconds_of_request", default=None)

lru.register(parser.forget_texts)
lru.register(sequence_diff.forget)


@functools.cache
def bounded() -> BoundedRenderer:
    """The process's own; safe to use from any thread.

    `manage.py serve` runs the helper for its processes. A process that runs by itself starts one when first needed.
    """
    return BoundedRenderer(shared=env.read_text("PROMPTUARY_RENDER_SOCKET", "") or None)


@contextmanager
def child() -> Iterator[BoundedRenderer]:
    """The same, for the length of a call, which counts as work of the caller. Busy if too many calls are waiting."""
    began = time.monotonic()
    try:
        yield bounded()
    except BusyError as error:
        raise Busy(error.message, retry_after=1) from error
    finally:
        if (seconds := seconds_of_request.get()) is not None:
            seconds.append(time.monotonic() - began)
