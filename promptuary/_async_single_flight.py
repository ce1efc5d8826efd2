"""Single flight on an event loop: concurrent tasks that fetch the same template and ref share one request."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["AsyncSingleFlight"]

Result = TypeVar("Result")


class AsyncSingleFlight(Generic[Result]):
    """The fetches in progress, by template and ref. A cancelled task doesn't cancel the fetch for the others."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Reset in a child after a fork."""
        self._flights: dict[tuple[str, str], asyncio.Task[Result]] = {}

    async def join(self, key: tuple[str, str], fetch: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run `fetch` as a task, or wait for the one in progress."""
        task = self._flights.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(fetch())
            self._flights[key] = task
            task.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(task)

    def _finish(self, key: tuple[str, str], task: "asyncio.Task[Result]") -> None:
        if self._flights.get(key) is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # retrieve it, so that asyncio doesn't complain if nobody is waiting
