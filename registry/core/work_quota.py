"""Quotas of server work by key: CPU seconds of its requests, and seconds of the renderings they start.

Counting requests limits little, since one request can cost a thousand times another. Time spent waiting in long polls
is not counted.
"""

import contextlib
import functools
import time
from collections.abc import Callable, Iterator

from registry.core.errors import TooMany
from registry.core.rate_counter import RateCounter, read_rate
from registry.core.renderer_pool import seconds_of_request

__all__ = ["WorkQuota", "work_quota"]

_STEP = 0.25  # seconds accumulated before sharing them with other processes: a fetch takes under a hundredth of it


class WorkQuota:
    """Seconds of work by caller in a time window, limited by the rate `work` of the settings (`30/min`)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._counter = RateCounter(clock, step=_STEP)

    def check(self, who: str) -> None:
        """Raise TooMany, with the seconds to wait, if the caller's quota for this window is used up."""
        allowed, window = read_rate("work")
        if self.used(who) >= allowed:
            wait = self._counter.wait("work", who)
            # no text: keys get English
            sentence = f"This key used its {allowed} s of server work in {window:.0f} s; try again in {wait} s."
            raise TooMany(sentence, retry_after=wait)

    def used(self, who: str) -> float:
        """The seconds that the caller used in the current window."""
        return self._counter.used("work", who)

    def add(self, who: str, seconds: float) -> None:
        """Count seconds of work."""
        self._counter.add("work", who, seconds)

    @contextlib.contextmanager
    def measure(self, name_caller: Callable[[], str]) -> Iterator[None]:
        """Count the work of the block for the caller; `name_caller` is called at its end and returns "" for none."""
        seconds_of_children: list[float] = []
        token, began = seconds_of_request.set(seconds_of_children), time.thread_time()
        try:
            yield
        finally:
            seconds_of_request.reset(token)
            if who := name_caller():
                self.add(who, time.thread_time() - began + sum(seconds_of_children))

    def forget(self) -> None:
        """Drop all counts."""
        self._counter.forget()


@functools.cache
def work_quota() -> WorkQuota:
    """The process's quota."""
    return WorkQuota()
