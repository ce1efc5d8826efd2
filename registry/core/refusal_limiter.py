"""A rate limit on refused requests of one caller. Successful requests are not limited."""

import time
from collections.abc import Callable

from django.utils.translation import gettext

from registry.core.errors import TooMany
from registry.core.rate_counter import RateCounter, read_rate

__all__ = ["Refusals"]


class Refusals:
    """Counts each caller's refusals in a time window, with the rates of the settings (`120/min`)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._counter = RateCounter(clock)

    def check(self, scope: str, who: str) -> None:
        """Raise TooMany, with the seconds to wait, if this caller was refused too often recently."""
        if self._counter.used(scope, who) >= read_rate(scope)[0]:
            wait = self._counter.wait(scope, who)
            raise TooMany(
                gettext("Too many requests without a result; try again in {wait} s.").format(wait=wait),
                retry_after=wait,
            )

    def count(self, scope: str, who: str) -> None:
        """Count one refusal."""
        self._counter.add(scope, who)

    def forget(self) -> None:
        """Forget all refusals."""
        self._counter.forget()
