"""Quotas of server work by key: processor seconds of its requests, and seconds of the renderings they start.

Counting requests bounds nothing where one request can cost a thousand times another. Each process counts for itself.
Time spent waiting for news (long polls) is not work.
"""

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator

from registry.core.errors import TooMany
from registry.core.refusal_limiter import read_rate
from registry.core.renderer_pool import seconds_of_request

__all__ = ["WorkQuota", "work_quota"]

MOST = 10_000  # keys remembered


class WorkQuota:
    """Seconds of work by caller in a window of time, bounded by the rate `work` of the settings (`30/min`)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._used: dict[str, tuple[float, float]] = {}  # caller to the window's start and the seconds used in it

    def check(self, who: str) -> None:
        """Raise TooMany, with the seconds to wait, where the caller's quota of this window is used up."""
        if who not in self._used:
            return
        began, used = self._used[who]
        most, window = read_rate("work")
        left = began + window - self._clock()
        if used >= most and left > 0:
            wait = int(left) + 1
            sentence = f"This key used its {most} s of server work in {window:.0f} s; try again in {wait} s."
            raise TooMany(sentence, retry_after=wait)

    def add(self, who: str, seconds: float) -> None:
        """Count seconds of work."""
        now, window = self._clock(), read_rate("work")[1]
        with self._lock:
            began, used = self._used.get(who, (now, 0.0))
            if now - began >= window:
                began, used = now, 0.0
            if len(self._used) >= MOST:
                self._used.clear()
            self._used[who] = began, used + seconds

    @contextlib.contextmanager
    def measure(self, name_caller: Callable[[], str]) -> Iterator[None]:
        """Count what the block works for the caller; `name_caller` is asked at its end and gives "" for none."""
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
        with self._lock:
            self._used.clear()


@functools.cache
def work_quota() -> WorkQuota:
    """The process's own."""
    return WorkQuota()
