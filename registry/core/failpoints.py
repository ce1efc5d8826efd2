"""Failpoints: named places where a test can kill the process to simulate a crash.

PROMPTUARY_FAILPOINT=mirror.streaming:3 kills at the third passing. Without the variable `reach` does nothing.
"""

# no texts here: developers read it

import os
import signal

from django.core.exceptions import ImproperlyConfigured

__all__ = ["POINTS", "arm", "armed", "reach"]

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
    "mirror.pushing",
)

armed: tuple[str, int] | None = None  # the point and the passing that kills; hot paths check this before calling


def arm(setting: str) -> None:
    """Kill this process at a point: `name`, or `name:n` for its n-th passing."""
    global armed  # noqa: PLW0603  # one per process, as the kill is
    point, _, passing = setting.partition(":")
    if point not in POINTS or not (passing or "1").isdecimal():
        raise ImproperlyConfigured(f"PROMPTUARY_FAILPOINT is {setting!r}; it must be one of {', '.join(POINTS)}.")
    armed = (point, int(passing or "1"))


def reach(name: str) -> None:
    """Pass a point: a single check of a global, unless a test has armed it."""
    if armed is not None:
        _pass(name, *armed)


def _pass(name: str, point: str, passes_left: int) -> None:
    global armed  # noqa: PLW0603  # as above
    if name != point:
        return
    armed = (point, passes_left - 1)
    if passes_left <= 1:
        os.kill(os.getpid(), signal.SIGKILL)


if "PROMPTUARY_FAILPOINT" in os.environ:
    arm(os.environ["PROMPTUARY_FAILPOINT"])
