"""The process's bounded renderer, which runs authors' templates in child processes of the shared fork server."""

import functools
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from promptuary.renderer.document import parser
from promptuary.renderer.isolation.renderer import BoundedRenderer, BusyError
from promptuary.renderer.syntax import sequence_diff
from registry.core import env, lru
from registry.core.errors import Busy

__all__ = ["borrow_renderer", "find_renderer", "list_sources", "seconds_of_request"]


# The work of each child for the current request; None if it isn't measured.
seconds_of_request: ContextVar[list[float] | None] = ContextVar("seconds_of_request", default=None)

lru.register_cache(parser.forget_texts)
lru.register_cache(sequence_diff.clear_cache)


@functools.cache
def find_renderer() -> BoundedRenderer:
    """The process's renderer; thread-safe.

    `manage.py serve` runs the helper for its processes. A standalone process starts one on first use.
    """
    return BoundedRenderer(shared=env.read_text("PROMPTUARY_RENDER_SOCKET", "") or None)


@contextmanager
def borrow_renderer() -> Iterator[BoundedRenderer]:
    """The renderer for one call, which counts as the caller's work. Raises Busy if too many calls are waiting."""
    began = time.monotonic()
    try:
        yield find_renderer()
    except BusyError as error:
        raise Busy(error.message, retry_after=1) from error
    finally:
        if (seconds := seconds_of_request.get()) is not None:
            seconds.append(time.monotonic() - began)


def list_sources(bundle: Mapping[str, Any]) -> dict[str, Any]:
    """What a bundle's document is rendered with: its fragments and its profile, as arguments of the renderer."""
    return {name: bundle[name] for name in ("fragments", "profile")}
