"""Threads for asyncio code that uses the database: each piece of work opens and closes its own connection.

So no connection stays open for a reply that takes a minute. At most eight pieces run concurrently in a process.
"""

import asyncio
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import connections

__all__ = ["run_in_thread"]

P = ParamSpec("P")
R = TypeVar("R")
_LIMIT = 8


@functools.cache
def _make_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_LIMIT, thread_name_prefix="database")


async def run_in_thread(work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """Run the work in a thread, outside any transaction of the caller, and return its result."""

    def run() -> R:
        try:
            return work(*args, **kwargs)
        finally:
            connections.close_all()

    return await asyncio.get_running_loop().run_in_executor(_make_pool(), run)
