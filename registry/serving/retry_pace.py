"""The pause before a client asks for label moves again when no place for a long poll is free."""

import threading
from collections.abc import Callable

__all__ = ["RetryPace"]

SHORTEST = 0.25  # seconds: half of the clients hear of a move within an eighth of a second more than those who wait
LONGEST = 1.0  # seconds: a move is told within a second
MOST_A_SECOND = 250  # such answers of one process, a few percent of what it can give


class RetryPace:
    """Counts the clients of one process that ask again and again, and spreads them out. Threads may share it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = SHORTEST
        self._since = clock()
        self._answers = 0

    def next_pause(self) -> float:
        """The seconds that one more client shall pause."""
        with self._lock:
            self._answers += 1
            seconds = self._clock() - self._since
            if seconds >= LONGEST:  # long enough that each client has asked
                # As many clients as answers a second times the seconds between two of one client.
                clients = self._answers / seconds * self._pause
                self._pause = min(max(clients / MOST_A_SECOND, SHORTEST), LONGEST)
                self._since, self._answers = self._clock(), 0
            return self._pause
