"""Whichever message to the broker fails, every action is completed and the worker's clock does the rest."""

import json

import pytest

from tests.support import instances

pytestmark = pytest.mark.dialect


def test_an_act_is_done_whichever_message_fails(tmp_path):
    place = instances.make_instance(tmp_path / "broker-fault")
    try:
        done = place.run("-m", "tests.support.broker_fault_driver")
    finally:
        instances.remove_instance(place)
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    broken = [found for found in rounds if found["is_broken"]]
    assert len(broken) >= 3
    assert broken == rounds[:-1]
    for found in rounds:
        assert found["kinds"][:2] == ["version.saved", "change.proposed"]
        assert (found["sent"], found["undone"], found["findings"]) == (True, 0, [])
    assert done.stderr.count("the worker's clock will see to it") >= len(broken) // 2
