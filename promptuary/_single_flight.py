"""Single flight: concurrent fetches of one template and ref share one request."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from promptuary.errors import Unavailable

__all__ = ["AsyncSingleFlight", "SingleFlight"]

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """Among threads."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin anew: a flight of the parent's threads never lands in a forked child."""
        self._flights: dict[tuple[str, str], Future[Result]] = {}

    def join(self, key: tuple[str, str], fetch: Callable[[], Result], timeout: float) -> Result:
        """Run `fetch`, or wait for the one under way; its error is everybody's."""
        new_flight: Future[Result] = Future()
        flight = self._flights.setdefault(key, new_flight)
        if flight is not new_flight:
            try:
                return flight.result(timeout)
            except TimeoutError:
                raise Unavailable(f"{key[0]}@{key[1]} did not arrive within {timeout:g} s") from None
        try:
            new_flight.set_result(fetch())
        except Exception as error:
            new_flight.set_exception(error)
            raise
        except BaseException:
            # An interrupt is for this thread alone.
            new_flight.set_exception(Unavailable(f"the fetch of {key[0]}@{key[1]} was interrupted"))
            raise
        finally:
            self._flights.pop(key, None)
        return new_flight.result()


class AsyncSingleFlight(Generic[Result]):
    """Among the tasks of an event loop. Who gives up waiting does not take it from the others."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin anew, in a child after a fork."""
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
