"""A counter that many threads increment without a lock."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

__all__ = ["Counter"]


def _make_step() -> Callable[[], int]:
    return itertools.count().__next__


@dataclass(slots=True)
class Counter:
    """Counts with `itertools.count`, whose steps are atomic. Reading is a step too, so only one thread may read."""

    step: Callable[[], int] = field(default_factory=_make_step)
    read: int = 0
    idle: int = 0  # consecutive reads that found nothing new

    def take(self) -> int:
        """The steps since the last call."""
        value = self.step()
        new, self.read = value - self.read, value + 1
        self.idle = 0 if new else self.idle + 1
        return new
