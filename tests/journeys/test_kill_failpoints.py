"""Killed on purpose at each named place, three times over:
nothing answered is lost, nothing doubled, the order kept."""

import json

import pytest

from registry.core.failpoints import POINTS
from tests.support import instances
from tests.support.examples import run_size

KILLS = run_size(3, torture=5)
DRIVER = ("-m", "tests.support.kill_driver")
ONCE = {
    "mirror.created",
    "mirror.repacking",
    "mirror.rebuilt",
    "mirror.swapping",
    "mirror.pushing",
}  # passed once in a run
STEP = {"journal.appending": 3, "journal.appended": 3, "journal.committed": 3, "mirror.streaming": 61}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    place = instances.make_instance(tmp_path_factory.mktemp("kill") / "prepared")
    place.run(*DRIVER, "prepare")
    yield place
    instances.remove_instance(place)


@pytest.fixture
def place(prepared, tmp_path):
    made = instances.copy_instance(prepared, tmp_path / "place")
    yield made
    instances.remove_instance(made)


def choose_passing(point, kill):
    """The pass on which to kill the process: an early, a later and a late one if the failpoint is passed often."""
    return 1 if point in ONCE else 1 + (kill % 3) * STEP.get(point, 0)


@pytest.mark.parametrize("point", POINTS)
def test_nothing_answered_is_lost_or_doubled(place, point, record_property):
    passings = [str(choose_passing(point, kill)) for kill in range(KILLS)]
    *answered, last = place.run(*DRIVER, "kill", point, *passings).stdout.split("\n")[:-1]
    data = json.loads(last)
    assert data["findings"] == []
    assert [digest for digest in data["events"] if digest in set(answered)] == answered
    assert data["commits"] == len(data["events"])
    assert data["same_after_rebuild"]
    record_property("kills", KILLS)
