"""Rates of calls and work: each caller's use of a rate in the settings (`120/min`), counted in time windows.

With a broker (Redis or Valkey) the counts are stored there and shared by the web processes of all machines. Without
one, or while it doesn't respond, each process counts for itself.
"""

import functools
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from redis import Redis

__all__ = ["RateCounter", "SharedCounts", "open_shared_counts", "read_rate"]

LIMIT = 10_000  # callers tracked by a process
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PATIENCE = 0.2  # timeout of the broker in seconds: a caller waits for it
_PAUSE = 5.0  # seconds without requests after the broker did not respond
_log = logging.getLogger(__name__)


def read_rate(scope: str) -> tuple[int, float]:
    """The rate of that name in the settings, `<number>/<s|m|h|d…>`: the amount and the window in seconds."""
    number, _, period = str(settings.PROMPTUARY_RATES[scope]).partition("/")
    return int(number), _SECONDS[period[:1]]


class SharedCounts:
    """Counts in the broker, which expire when their window is over. Thread-safe."""

    def __init__(self, url: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._url, self._clock = url, clock
        self._client: Redis | None = None
        self._paused_until = 0.0

    def add(self, name: str, amount: float, window: float) -> tuple[float, float] | None:
        """Add to a count. Return its sum and the seconds until its window is over, or None if the broker doesn't
        respond.
        """
        if self._clock() < self._paused_until:
            return None
        from redis import Redis, RedisError  # noqa: PLC0415  # an installation without a broker does not load it

        if self._client is None:
            self._client = Redis.from_url(self._url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE)
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        key = f"promptuary:rate:{digest}"  # hashed, so that the broker gets neither addresses nor key names
        try:
            with self._client.pipeline(transaction=True) as pipeline:
                pipeline.set(key, 0, px=int(window * 1000), nx=True)
                pipeline.incrbyfloat(key, amount)
                pipeline.pttl(key)
                _, used, milliseconds_left = pipeline.execute()
        except RedisError:
            self._paused_until = self._clock() + _PAUSE
            _log.warning("The broker does not answer: this process counts the rates of callers for itself.")
            return None
        return float(used), max(0.0, milliseconds_left / 1000)


@functools.cache
def open_shared_counts() -> SharedCounts | None:
    """The counts shared by this installation's processes; None if its broker isn't a server."""
    url = str(settings.CELERY_BROKER_URL)
    return SharedCounts(url) if url.startswith(("redis:", "rediss:")) else None


@dataclass
class _Window:
    """One caller's use of a rate.

    ends: by the clock; used: by all processes as far as known; unsent: the part not shared with the others yet.
    """

    ends: float
    used: float = 0.0
    unsent: float = 0.0


class RateCounter:
    """Counts each caller's use of a rate. Thread-safe.

    step: smaller amounts are accumulated before they are shared with the other processes. shared: returns the shared
    counts, or None.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        step: float = 0.0,
        shared: Callable[[], SharedCounts | None] = open_shared_counts,
    ) -> None:
        self._clock, self._step, self._shared = clock, step, shared
        self._lock = threading.Lock()
        self._windows: dict[tuple[str, str], _Window] = {}

    def add(self, scope: str, who: str, amount: float = 1.0) -> float:
        """Count an amount for the caller. Return the use in this window, including the amount."""
        seconds = read_rate(scope)[1]
        with self._lock:
            window = self._open_window(scope, who, seconds)
            window.used += amount
            window.unsent += amount
            unsent = window.unsent if window.unsent >= self._step else 0.0
            window.unsent -= unsent
        shared = self._shared() if unsent else None
        if shared is None:
            return window.used
        answer = shared.add(f"{scope} {who}", unsent, seconds)
        with self._lock:
            if answer is None:
                window.unsent += unsent  # sent as soon as the broker responds again
            else:
                used, seconds_left = answer
                window.used, window.ends = used + window.unsent, self._clock() + seconds_left
            return window.used

    def used(self, scope: str, who: str) -> float:
        """The caller's use in the current window, as far as this process knows."""
        window = self._windows.get((scope, who))
        return window.used if window is not None and window.ends > self._clock() else 0.0

    def wait(self, scope: str, who: str) -> int:
        """Whole seconds until the caller's window is over, at least 1."""
        window = self._windows.get((scope, who))
        return int(window.ends - self._clock()) + 1 if window is not None and window.ends > self._clock() else 1

    def forget(self) -> None:
        """Forget what this process counted."""
        with self._lock:
            self._windows.clear()

    def _open_window(self, scope: str, who: str, seconds: float) -> _Window:
        """The caller's window; a new one if the last one is over."""
        now = self._clock()
        window = self._windows.get((scope, who))
        if window is None or window.ends <= now:
            if len(self._windows) >= LIMIT:
                self._windows.clear()
            window = self._windows[scope, who] = _Window(now + seconds)
        return window
