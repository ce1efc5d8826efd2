"""A Celery task that only takes time: `celery worker --include tests.support.sleeping_task`."""

import time
from pathlib import Path

from registry.celery import app

__all__ = ["sleep"]


@app.task(name="tests.sleep")
def sleep(seconds: float, mark: str) -> None:
    """Write a file at the start, wait, and append to it at the end."""
    Path(mark).write_text("begun", encoding="utf-8")
    time.sleep(seconds)  # the test stops the broker meanwhile
    Path(mark).write_text("ended", encoding="utf-8")
