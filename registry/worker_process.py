"""The worker: Celery with its clock, forked from `manage.py serve` like the web server to share Django's memory."""

import sys

from registry.celery import app
from registry.forked_process import ForkedProcess, fork_process

__all__ = ["COMMAND", "fork_worker"]

# Threads, so that a long job does not keep the mirror waiting; the clock is a thread of the worker as well.
_ARGUMENTS = ["--quiet", "worker", "--pool", "threads", "--concurrency", "4", "--loglevel", "warning"]
# The command that restarts an ended worker, when the process to fork it from no longer exists.
COMMAND = [sys.executable, "-m", "celery", "-A", "registry.celery", *_ARGUMENTS]


def fork_worker(*, waits: bool, niceness: int) -> ForkedProcess:
    """Fork the worker from this process; see `fork_process` for the preconditions."""
    return fork_process("worker", _run_worker, waits=waits, niceness=niceness)


def _run_worker() -> None:
    app.worker_main(_ARGUMENTS)
