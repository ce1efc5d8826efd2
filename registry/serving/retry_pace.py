"""The pause before a client requests label moves again if no place for a long poll is free."""

import threading
from collections.abc import Callable

__all__ = ["RetryPace"]

MIN_PAUSE = 0.25  # seconds: half of the clients get a move at most an eighth of a second later than waiting ones
MAX_PAUSE = 1.0  # seconds: a move arrives within a second
MAX_PER_SECOND = 250  # such responses per second of one process, a few percent of its capacity


class RetryPace:
    """Counts the polling clients of one process and spreads their requests. Thread-safe."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = MIN_PAUSE
        self._since = clock()
        self._answers = 0

    def next_pause(self) -> float:
        """The seconds that one more client should pause."""
        with self._lock:
            self._answers += 1
            seconds = self._clock() - self._since
            if seconds >= MAX_PAUSE:  # long enough for a request of each client
                # The number of clients is the rate of responses times the seconds between two requests of a client.
                clients = self._answers / seconds * self._pause
                self._pause = min(max(clients / MAX_PER_SECOND, MIN_PAUSE), MAX_PAUSE)
                self._since, self._answers = self._clock(), 0
            return self._pause
