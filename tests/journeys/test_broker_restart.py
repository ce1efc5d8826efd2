"""A broker that goes down while a task runs and comes back: the same worker finishes the task and takes others."""

import subprocess
import sys

import pytest

from tests.support import instances
from tests.support.broker import Broker
from tests.support.child_process import start_child
from tests.support.server_process import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

TASKS = "tests.support.sleeping_task"
COMMAND = f"celery -A registry.celery worker --include {TASKS} --pool threads --concurrency 4 --loglevel warning"


@pytest.fixture
def broker(tmp_path):
    with Broker(tmp_path) as started:
        yield started


@pytest.fixture
def place(tmp_path):
    return instances.make_instance(tmp_path / "home", "sqlite")


@pytest.fixture
def worker(place, broker):
    process = start_child(
        [sys.executable, "-m", *COMMAND.split()],
        env=place.environment(PROMPTUARY_BROKER_URL=broker.url),
        cwd=instances.ROOT,
        stderr=subprocess.DEVNULL,
    )
    yield process
    process.kill()
    process.wait(60)


@pytest.fixture
def send(place, broker):
    def run(seconds, mark):
        script = f"from {TASKS} import sleep; sleep.delay({seconds}, {str(mark)!r})"
        place.run("-c", script, PROMPTUARY_BROKER_URL=broker.url)

    return run


def contains(mark, word):
    return mark.exists() and mark.read_text() == word


def test_a_worker_outlives_the_loss_of_its_broker_during_a_task(worker, broker, send, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    send(4, first)
    wait_until(lambda: contains(first, "begun"))
    broker.kill()
    wait_until(lambda: contains(first, "ended"))
    broker.start()
    send(0, second)
    wait_until(lambda: contains(second, "ended") or worker.poll() is not None)
    assert worker.poll() is None
