"""Named places where a test may kill the process, so that what a crash leaves behind is met on purpose.

PROMPTUARY_FAILPOINT=mirror.streaming:3 kills at the third passing. Without the variable `reach` does nothing.
"""

import os
import signal
from collections.abc import Callable

from django.core.exceptions import ImproperlyConfigured

__all__ = ["POINTS", "reach"]

POINTS = (
    "journal.appending",
    "journal.appended",
    "journal.committed",
    "mirror.locked",
    "mirror.created",
    "mirror.healed",
    "mirror.streaming",
    "mirror.moving",
    "mirror.streamed",
    "mirror.imported",
    "mirror.recorded",
    "mirror.repacking",
    "mirror.rebuilt",
    "mirror.swapping",
)


def _nothing(_name: str) -> None:
    pass


def _killer(armed: str) -> Callable[[str], None]:
    point, _, passing = armed.partition(":")
    if point not in POINTS or not (passing or "1").isdecimal():
        raise ImproperlyConfigured(f"PROMPTUARY_FAILPOINT is {armed!r}; it must be one of {', '.join(POINTS)}.")
    left = int(passing or "1")

    def kill(name: str) -> None:
        nonlocal left
        if name != point:
            return
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return kill


reach: Callable[[str], None] = (
    _killer(os.environ["PROMPTUARY_FAILPOINT"]) if "PROMPTUARY_FAILPOINT" in os.environ else _nothing
)
