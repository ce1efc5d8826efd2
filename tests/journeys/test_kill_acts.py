"""A process killed while it publishes a release or advances a rollout has done all of it or nothing.

After each action the mirror matches the journal, although its writer was killed too.
"""

import json

import pytest

from tests.support import instances

pytestmark = [pytest.mark.dialect, pytest.mark.slow]

STATE = ("served", "shares", "release", "change", "rollout")
STORY = {  # action to the number of events that it appends, and the state afterwards
    "propose_release": (5, [], [], "open", "approved", ""),
    "publish_release": (5, [1, 1, 1, 1], [], "published", "published", ""),
    "roll_back_release": (5, [1, 1, 1, 1], [], "published", "published", ""),
    "withdraw_release": (5, [1, 1, 1, 1], [], "withdrawn", "withdrawn", ""),
    "start_rollout": (1, [1, 1, 1, 1], [1000], "withdrawn", "approved", "running"),
    "step_rollout": (1, [1, 1, 1, 1], [3000], "withdrawn", "approved", "running"),
    "step_by_the_clock": (1, [1, 1, 1, 1], [6000], "withdrawn", "approved", "running"),
    "pause_rollout": (1, [1, 1, 1, 1], [6000], "withdrawn", "approved", "paused"),
    "resume_rollout": (1, [1, 1, 1, 1], [6000], "withdrawn", "approved", "running"),
    "stop_rollout": (1, [1, 1, 1, 1], [], "withdrawn", "approved", "stopped"),
    "stop_by_the_rule": (1, [1, 1, 1, 1], [], "withdrawn", "approved", "stopped"),
    "finish_rollout": (2, [3, 1, 1, 1], [], "withdrawn", "published", "finished"),
}


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    """What was found after each act, by its name."""
    place = instances.make_instance(tmp_path_factory.mktemp("acts") / "act-kill")
    try:
        lines = place.run("-m", "tests.support.act_kill_driver").stdout.splitlines()
    finally:
        instances.remove_instance(place)
    return {found["act"]: found for found in map(json.loads, lines)}


def test_each_act_was_killed_at_each_of_its_events(facts):
    assert {act: facts[act]["events"] for act in STORY} == {act: row[0] for act, row in STORY.items()}


@pytest.mark.parametrize("act", STORY)
def test_a_kill_before_the_commit_changes_no_row(facts, act):
    assert facts[act]["changed"] == []


@pytest.mark.parametrize("act", STORY)
def test_a_kill_after_the_commit_leaves_all_of_it(facts, act):
    assert tuple(facts[act][name] for name in STATE) == STORY[act][1:]


@pytest.mark.parametrize("act", STORY)
def test_the_mirror_holds_the_act_though_its_writer_was_killed(facts, act):
    assert facts[act]["findings"] == []


def test_the_journal_gives_the_same_commits_when_the_mirror_is_written_again(facts):
    assert facts["rebuild"]["same_heads"]
