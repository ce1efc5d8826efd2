"""A worker that is asked to end, while a task never does."""

import signal
import subprocess
import sys

import pytest

from tests.support import instances
from tests.support.child_process import start_child

pytestmark = pytest.mark.sqlite

_WORKER = """
import threading
from registry import celery

celery._END_SECONDS = 0.5
celery.app.conf.update(broker_url="memory://", broker_transport=None)

@celery.app.task
def wait_forever():
    print("waits", flush=True)
    threading.Event().wait()

wait_forever.delay()
celery.app.worker_main(["--quiet", "worker", "--pool", "threads", "--concurrency", "4", "--loglevel", "warning"])
"""


def test_a_worker_ends_although_a_task_does_not(tmp_path):
    place = instances.make_instance(tmp_path / "home", engine="sqlite")
    worker = start_child(
        [sys.executable, "-c", _WORKER],
        cwd=instances.ROOT,
        env=place.environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "waits\n"
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(60) == 1
    finally:
        worker.kill()
        worker.communicate()
