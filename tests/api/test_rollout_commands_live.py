"""`promptuary rollout`, `withdraw`, `propose --at` and the commands that end a release, against a real server."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from promptuary.commands.app import app
from registry.changes import decisions
from registry.changes.models import ChangeRequest
from registry.releases import services as release_services
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from tests.api.conftest import OTHER, REPLY, Caller

pytestmark = pytest.mark.slow


@pytest.fixture
def run(server, cast, monkeypatch):
    """Run the command with the author's write key; production serves version 1 of 2."""
    cast.save(OTHER, base=cast.save().version.digest)
    cast.publish(1)
    monkeypatch.setenv("PROMPTUARY_URL", server)
    monkeypatch.setenv("PROMPTUARY_KEY", cast.key(scope="write"))
    return lambda *arguments: CliRunner().invoke(app, [str(item) for item in arguments])


@pytest.fixture
def reviewer(cast):
    """The options that use a key of the reviewer that rolls back and reads."""
    return ("--key", cast.key("reviewer", "", verbs=["read", "roll_back"], approved_only=False))


@pytest.fixture
def approved(run, cast):
    """The number of an approved change for version 2."""
    change = cast.propose(2)
    digest = change.version.digest
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=digest)
    return change.number


def test_a_rollout_is_started_stepped_paused_and_finished(run, approved):
    dry = run("rollout", "start", approved, "--dry-run")
    assert (dry.exit_code, Rollout.objects.count()) == (0, 0)
    assert f"{REPLY}: production from version 1 to version 2" in dry.output
    started = run("rollout", "start", approved, "--shares", "5,25%", "--metric", "helpful", "--below", "0.8")
    assert started.output.startswith(f"rollout 1: production of {REPLY}, change {approved}, is running\n")
    assert "version 2 for 5 % of the callers, version 1 for the rest" in started.output
    rule = Rollout.objects.get().stop_rule
    assert (rule["metric"], rule["below"]) == ("helpful", 0.8)
    assert "version 2 for 25 %" in run("rollout", "step", 1).output
    assert "is paused" in run("rollout", "pause", 1, "-m", "Wait").output
    assert json.loads(run("rollout", "resume", 1, "--json").stdout)["state"] == "running"
    assert "version 2 for everybody" in run("rollout", "finish", 1).output
    assert ChangeRequest.objects.get(number=approved).state == ChangeRequest.PUBLISHED


@pytest.mark.parametrize("scope", ["", "read"], ids=["fetches only", "reads what is approved"])
def test_a_key_that_may_not_go_on_gets_the_answer_of_the_api(run, approved, cast, scope):
    run("rollout", "start", approved)
    key = cast.key("author", scope)
    for arguments, path, body in (
        (("rollout", "step", 1), "rollouts/1/step", {}),
        (("approve", approved), f"changes/{approved}/decisions", {"decision": "approve", "digest": "sha256:x"}),
    ):
        said = Caller(key=key).post(path, body).json()
        result = run(*arguments, "--key", key)
        assert result.exit_code == 1
        assert said["detail"] in " ".join(result.output.split())
    assert Rollout.objects.get().share == 500


def test_a_key_that_publishes_without_reading_goes_on(run, approved, cast):
    run("rollout", "start", approved)
    key = cast.key("author", "", verbs=["publish"], approved_only=False)
    assert run("rollout", "step", 1, "--key", key).exit_code == 0
    assert Rollout.objects.get().share == 2500


def _json(result):
    return json.loads(result.output)


def test_invalid_options_start_no_rollout(run, approved):
    assert run("rollout", "start", approved, "--shares", "many").exit_code == 2
    assert run("rollout", "start", approved, "--below", "0.8").exit_code == 2
    assert run("rollout", "start", 999).exit_code == 1
    assert not Rollout.objects.exists()


def test_a_reviewer_stops_a_rollout_with_a_reason_and_sees_first_what_follows(run, approved, reviewer):
    run("rollout", "start", approved)
    dry = run("rollout", "stop", 1, "--dry-run", *reviewer)
    assert "Stopping gives the 5 % version 1 of production again" in dry.output
    assert dry.output.endswith("Nothing was stored.\n")
    assert run("rollout", "stop", 1, *reviewer).exit_code == 2
    assert run("rollout", "stop", 1, "-m", "Rude").exit_code == 1  # an author's key may not
    stopped = run("rollout", "stop", 1, "-m", "Rude answers", *reviewer)
    assert "version 1 for everybody: Rude answers" in stopped.output
    assert "It is stopped: there is nothing to stop." in run("rollout", "stop", 1, "-n", *reviewer).output
    assert "is stopped" in run("rollout", "show", 1).output


def test_a_change_is_withdrawn_with_a_reason(run, cast):
    number = cast.propose(2).number
    assert run("withdraw", number).exit_code == 2
    assert "is withdrawn" in run("withdraw", number, "-m", "Not needed").output
    assert run("withdraw", number, "-m", "Again").exit_code == 1


def test_a_release_is_rolled_back_and_another_one_withdrawn(run, cast, reviewer):
    run("move", f"{REPLY}@2", "staging")
    assert run("release", "propose", "support/refunds").exit_code == 0
    member = Release.objects.get().members.select_related("version").get()
    digests = {member.number: member.version.digest}
    release_services.approve_release(actor=cast.actor("reviewer"), number=1, digests=digests)
    run("release", "publish", "support", 1)
    dry = run("release", "rollback", "support", 1, "--dry-run", *reviewer)
    assert f"{REPLY}: production back from version 2 to version 1\n" in dry.output
    assert "No service fetched production in the last 30 days." in dry.output
    assert "A reviewer rolls them back at once, all or none, without an approval." in dry.output
    assert dry.output.endswith("Nothing was stored.\n")
    assert _json(run("release", "rollback", "support", 1, "-n", "--json", *reviewer))["ready"]
    assert run("release", "rollback", "support", 1, "-n", "--template", "support/x", *reviewer).exit_code == 1
    assert run("release", "rollback", "support", 1, *reviewer).exit_code == 2
    back = run("release", "rollback", "support", 1, "-m", "Wrong", "--template", REPLY, *reviewer)
    assert f"rolled back production of {REPLY}" in back.output
    again = run("release", "rollback", "support", 1, "-n", *reviewer).output
    assert f"{REPLY}: production stays on version 1. production of {REPLY} is back on version 1 already." in again
    assert "Nothing is left to roll back." in again
    run("release", "propose", "support/refunds")
    assert "is withdrawn" in run("release", "withdraw", "support", 2, "-m", "Not needed").output


def test_a_proposal_goes_live_on_a_date(run):
    refused = run("propose", f"{REPLY}@2", "--at", "2001-01-01T00:00")
    assert (refused.exit_code, ChangeRequest.objects.filter(version__number=2).count()) == (1, 0)
    assert "past" in refused.stderr
    day = datetime.now(UTC) + timedelta(days=1)
    opened = run("propose", f"{REPLY}@2", "--at", day.isoformat(timespec="minutes"))
    assert f"goes live {day.isoformat(timespec='minutes')[:16]}" in opened.output
    later = day + timedelta(days=1)
    again = run("propose", f"{REPLY}@2", "--at", later.isoformat(timespec="minutes"))
    assert f"goes live {later.isoformat(timespec='minutes')[:16]}" in again.output, "the open change gets the new date"
    both = run("propose", f"{REPLY}@2", "--at", later.isoformat(timespec="minutes"), "--gradually", "5")
    assert both.exit_code == 1
