"""Wake-ups of the worker. A wake-up carries no data and may be lost: the worker's clock finds the work anyway.

A thread sends them, so that no save waits for a broker, especially an unavailable one. Frequent ones are merged.
"""

import atexit
import logging
import threading
from collections.abc import Callable

from kombu.exceptions import KombuError, OperationalError

from promptuary.renderer.after_fork import run_after_fork
from registry.celery import app
from registry.core import failpoints

__all__ = ["Sender", "flush_wake_ups", "wake_jobs", "wake_mirror", "wake_webhooks"]

_EXPIRES = 30  # seconds; a worker that was down is not flooded with old wake-ups
_FAREWELL = 2.0  # seconds that an ending process waits for its last wake-ups
logger = logging.getLogger(__name__)


def _publish(task: str) -> None:
    try:
        app.send_task(task, expires=_EXPIRES, retry=False, ignore_result=True)
    except (OperationalError, KombuError, OSError) as error:
        logger.warning("the broker did not take %s (%s); the worker's clock will see to it", task, error)


class Sender:
    """Sends tasks by name from its own thread, started on first use and again after a fork."""

    def __init__(self, publish: Callable[[str], None] = _publish) -> None:
        self._publish = publish
        self._changed = threading.Condition()
        self._due: set[str] = set()
        self._is_sending = False
        self._thread: threading.Thread | None = None

    def send(self, task: str) -> None:
        """Queue the task for sending; repeated calls until then send it once."""
        with self._changed:
            self._due.add(task)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="wake-ups", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self, seconds: float) -> bool:
        """Wait until all is sent. Return whether that took at most `seconds`."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._due and not self._is_sending, seconds)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_sending = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._due)
                tasks, self._due, self._is_sending = sorted(self._due), set(), True
            for task in tasks:
                self._publish(task)


_sender = Sender()


def wake_mirror() -> None:
    """Wake the worker to write new events to the mirror."""
    if failpoints.armed:
        failpoints.reach("journal.committed")
    _sender.send("registry.tasks.tasks.catch_up")


def wake_webhooks() -> None:
    """Wake the worker to deliver to webhooks."""
    _sender.send("registry.tasks.tasks.deliver")


def wake_jobs() -> None:
    """Wake the worker to take queued jobs."""
    _sender.send("registry.tasks.tasks.run_jobs")


def flush_wake_ups(seconds: float = _FAREWELL) -> bool:
    """Wait until this process has sent its pending wake-ups."""
    return _sender.flush(seconds)


def _replace_sender() -> None:
    global _sender  # noqa: PLW0603  # a forked child has the parent's locks, but not its threads
    _sender = Sender()


run_after_fork(_replace_sender)
atexit.register(flush_wake_ups)
