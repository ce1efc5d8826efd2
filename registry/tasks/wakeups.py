"""Wake the worker. A wake-up carries nothing and may be lost: the worker's clock finds the work all the same."""

import logging

from kombu.exceptions import KombuError, OperationalError

from registry.celery import app
from registry.failpoints import reach

__all__ = ["wake_jobs", "wake_mirror"]

_EXPIRES = 30  # seconds; a worker that was away is not flooded with old wake-ups
logger = logging.getLogger(__name__)


def wake_mirror() -> None:
    """Ask the worker to bring the mirror up to the journal."""
    reach("journal.committed")
    _send("registry.tasks.work.catch_up")


def wake_jobs() -> None:
    """Ask the worker to look at the queued jobs."""
    _send("registry.tasks.work.run_jobs")


def _send(task: str) -> None:
    try:
        app.send_task(task, expires=_EXPIRES, retry=False, ignore_result=True)
    except (OperationalError, KombuError, OSError) as error:
        logger.warning("the broker did not take %s (%s); the worker's clock will see to it", task, error)
