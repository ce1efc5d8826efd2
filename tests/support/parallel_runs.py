"""Runs that are advanced in parallel, each in a thread with its own database connection, as in workers."""

import threading
from collections.abc import Iterable

from django.db import connections

from registry.evaluations import run_worker
from registry.evaluations.models import Run

__all__ = ["finish_runs_side_by_side"]


def finish_runs_side_by_side(runs: Iterable[Run]) -> None:
    """Advance each run until it is finished. The runs must be committed."""
    threads = [threading.Thread(target=_finish_run, args=[run.pk]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _finish_run(number: int) -> None:
    try:
        while run_worker.advance_run(number, seconds=0):
            pass
    finally:
        connections.close_all()
