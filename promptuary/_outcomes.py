"""Outcomes of a client: scores of replies, kept in memory until the background thread sends them."""

import re
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["MAX_IN_A_REPORT", "Outcomes", "check_scores"]

MAX_IN_A_REPORT = 1000  # the registry's limit per request
MAX_WAITING = 20_000
LARGEST_VALUE = 1_000_000
MAX_ID_LENGTH = 100
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")

Outcome = dict[str, Any]


class Outcomes:
    """Scores waiting to be sent, oldest first. Thread-safe.

    `dropped` counts those not sent, because the queue was full or the registry refused them.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self.renew()

    def renew(self) -> None:
        """Clear, in a child after a fork: the parent sends its own scores."""
        self._lock = threading.Lock()
        self._waiting: deque[Outcome] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Append scores to the queue; if it is full, the oldest are dropped."""
        with self._lock:
            self._waiting.extend(outcomes)
            self._drop_oldest()

    def take(self) -> list[Outcome]:
        """Take as many as fit into one report."""
        with self._lock:
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_IN_A_REPORT))]

    def give_back(self, outcomes: list[Outcome]) -> None:
        """Put an undelivered report back at the front of the queue."""
        with self._lock:
            self._waiting.extendleft(reversed(outcomes))
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        while len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()
            self.dropped += 1


def check_scores(scores: Mapping[str, object], trace_id: object, bucket: object) -> dict[str, float]:
    """Return the scores as numbers, True as 1. Raises ValueError, naming a score that the registry would refuse."""
    if not scores:
        raise ValueError("report at least one score, such as score=1 or helpful=True")
    for kind, text in (("trace_id", trace_id), ("bucket", bucket)):
        if text is not None and not (isinstance(text, str) and 0 < len(text) <= MAX_ID_LENGTH):
            raise ValueError(f"{kind} is a text of 1 to {MAX_ID_LENGTH} characters")
    numbers = {}
    for name, value in scores.items():
        if not _NAME.fullmatch(name):
            rule = "1 to 60 lower-case letters, digits and _, a letter first"
            raise ValueError(f"{name[:80]!r} can't name a score: {rule}")
        if not isinstance(value, int | float) or not abs(value) <= LARGEST_VALUE:  # also false for NaN
            value_text = "a larger one" if isinstance(value, int) else repr(value)[:80]
            raise ValueError(f"{name} is a number between -1,000,000 and 1,000,000, not {value_text}")
        numbers[name] = float(value)
    return numbers
