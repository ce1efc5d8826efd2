"""kill -9 of the worker around a scheduled publication: it is published late, but never twice."""

import json
import signal
import subprocess
import sys

import pytest

from tests.support import instances
from tests.support.child_process import start_child

pytestmark = [pytest.mark.dialect, pytest.mark.slow]

DRIVER = ("-m", "tests.support.schedule_kill_driver")
WORKER = "celery -A registry.celery worker --pool threads --concurrency 2"
SECONDS = 240.0  # a lost job is queued again after half a minute, on a busy machine later


@pytest.fixture
def place(tmp_path):
    instance = instances.make_instance(tmp_path / "schedule-kill")
    yield instance
    instances.remove_instance(instance)


def start_worker(place: instances.Instance, failpoint: str = "") -> "subprocess.Popen[bytes]":
    """The real worker with its clock; with a failpoint it kills itself there."""
    armed = {"PROMPTUARY_FAILPOINT": failpoint} if failpoint else {}
    with (place.home / "worker.log").open("ab") as log:
        return start_child(
            [sys.executable, "-m", *WORKER.split()],
            env=place.environment(**armed),
            cwd=instances.ROOT,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def read_state(place: instances.Instance, *when: str) -> dict[str, object]:
    """What became of what was scheduled: now, or with `wait` and seconds when no job is left."""
    state: dict[str, object] = json.loads(place.run(*DRIVER, *(when or ("state",))).stdout)
    return state


def run_until_killed(place: instances.Instance, failpoint: str) -> dict[str, object]:
    """Run a worker that is killed at the point, and return what it left behind."""
    worker = start_worker(place, failpoint)
    try:
        assert worker.wait(SECONDS) == -signal.SIGKILL, (place.home / "worker.log").read_text()[-3000:]
    finally:
        worker.kill()
        worker.wait()
    return read_state(place)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(("what", "labels"), [("change", 1), ("release", 2)])
def test_a_worker_killed_before_or_after_it_publishes_does_it_late_and_once(place, what, labels):
    place.run(*DRIVER, "prepare", what)
    before = run_until_killed(place, "journal.appended")  # within the transaction, behind its first event
    assert (before["labels"], before["moves"], before["faults"]) == (0, 0, 0)
    assert before["jobs"] == [["running", 1]]
    after = run_until_killed(place, "journal.committed")  # the label moved, and the job was never closed
    assert (after["labels"], after["moves"], after["changes"]) == (labels, labels, ["published"])
    assert after["jobs"] == [["running", 2]]
    worker = start_worker(place)
    try:
        last = read_state(place, "wait", str(SECONDS))
    finally:
        worker.kill()
        worker.wait()
    assert last["jobs"] == [["done", 3]]
    assert (last["labels"], last["moves"], last["faults"]) == (labels, labels, 0)
    assert (last["releases"], last["published"]) == ((["published"], 1) if what == "release" else ([], 0))
