"""A process that is killed while it publishes a release leaves every label where it was, or all of them moved."""

import json

import pytest

from tests.support import instances

pytestmark = [pytest.mark.dialect, pytest.mark.slow]

DRIVER = ("-m", "tests.support.release_kill_driver")


def test_a_kill_at_any_step_of_publishing_moves_all_labels_or_none(tmp_path):
    place = instances.make_instance(tmp_path / "release-kill")
    try:
        place.run(*DRIVER, "prepare")
        *before, after = [json.loads(line) for line in place.run(*DRIVER, "kill").stdout.splitlines()]
    finally:
        instances.remove_instance(place)
    assert len(before) == 10
    for state in before:
        assert state == {"labels": 0, "release": "open", "members": ["approved"], "faults": 0}
    assert after == {"labels": 4, "release": "published", "members": ["published"], "faults": 0}
