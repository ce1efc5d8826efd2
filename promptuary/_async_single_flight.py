"""Single flight on an event loop: tasks that fetch one template and ref at a time share one request."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["AsyncSingleFlight"]

Result = TypeVar("Result")


class AsyncSingleFlight(Generic[Result]):
    """The fetches under way, by template and ref. A task that gives up waiting does not take it from the others."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Start again, in a child after a fork."""
        self._flights: dict[tuple[str, str], asyncio.Task[Result]] = {}

    async def join(self, key: tuple[str, str], fetch: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run `fetch` as a task, or wait for the one under way."""
        task = self._flights.get(key)
        if task is None or task.get_loop() is not asyncio.get_running_loop():
            task = asyncio.create_task(fetch())
            self._flights[key] = task
            task.add_done_callback(lambda done: self._land(key, done))
        return await asyncio.shield(task)

    def _land(self, key: tuple[str, str], task: "asyncio.Task[Result]") -> None:
        if self._flights.get(key) is task:
            del self._flights[key]
        if not task.cancelled():
            task.exception()  # fetched, so that asyncio does not complain when nobody waits any more
