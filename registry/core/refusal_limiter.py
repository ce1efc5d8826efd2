"""A rate limit on refused requests of one caller. Successful requests are not limited."""

import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.utils.translation import gettext

from registry.core.errors import TooMany

__all__ = ["Refusals", "read_rate"]

MOST = 10_000  # callers remembered
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Refusals:
    """Counts refusals of each caller in a window of time, by the rates of the settings (`120/min`)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def check(self, scope: str, who: str) -> None:
        """Raise TooMany, with the seconds to wait, where this caller was refused too often lately."""
        seen = self._seen.get((scope, who))
        if seen is None:
            return
        most, window = read_rate(scope)
        left = seen[0] + window - self._clock()
        if seen[1] >= most and left > 0:
            wait = int(left) + 1
            raise TooMany(
                gettext("Too many requests that lead nowhere; try again in {wait} s.").format(wait=wait),
                retry_after=wait,
            )

    def count(self, scope: str, who: str) -> None:
        """Remember one refusal."""
        now, window = self._clock(), read_rate(scope)[1]
        with self._lock:
            began, count = self._seen.get((scope, who), (now, 0))
            if now - began >= window:
                began, count = now, 0
            if len(self._seen) >= MOST:
                self._seen.clear()
            self._seen[scope, who] = began, count + 1

    def forget(self) -> None:
        """Forget all refusals."""
        self._seen.clear()


def read_rate(scope: str) -> tuple[int, float]:
    """The rate of that name in the settings, `<number>/<s|m|h|d…>`: how many, and the window in seconds."""
    number, _, period = str(settings.PROMPTUARY_RATES[scope]).partition("/")
    return int(number), _SECONDS[period[:1]]
