"""Single flight: threads that concurrently fetch the same template and ref share one request."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar

from promptuary.errors import Unavailable

__all__ = ["SingleFlight"]

Result = TypeVar("Result")


class SingleFlight(Generic[Result]):
    """The fetches in progress, by template and ref."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Drop all fetches: those of the parent's threads never finish in a forked child."""
        self._flights: dict[tuple[str, str], Future[Result]] = {}

    def join(self, key: tuple[str, str], fetch: Callable[[], Result], timeout: float) -> Result:
        """Run `fetch`, or wait for the one in progress. All waiters get its error."""
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
            # an interrupt is for this thread only
            new_flight.set_exception(Unavailable(f"the fetch of {key[0]}@{key[1]} was interrupted"))
            raise
        finally:
            self._flights.pop(key, None)
        return new_flight.result()
