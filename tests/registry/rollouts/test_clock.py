"""Scheduled steps of rollouts: when they are taken, and what pauses or stops a rollout."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import decisions
from registry.core.errors import Conflict
from registry.journal.models import Event
from registry.namespaces import keys
from registry.notifications.models import Notification
from registry.rollouts import clock, services
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible
from registry.templates.label_models import Label, LabelMove
from tests.registry.changes.test_concurrency import at_once

RULE = {"metric": "helpful", "below": 0.85, "replies": 100}


@pytest.fixture
def issue(admin):
    """Issue a writing key for the author, and return it as an actor."""

    def run(name: str) -> Actor:
        row = keys.issue_key(actor=admin, namespace="support", name=name, scope="write", person="author").key
        return Actor(row.person, row)

    return run


def _later(rollout, hours=25):
    return rollout.created_at + timedelta(hours=hours)


def test_a_step_is_done_when_it_is_due_and_only_once(start, last_event, author):
    rollout = start()
    assert clock.advance_rollouts(_later(rollout, 23)) == 0
    assert clock.advance_rollouts(_later(rollout)) == 1
    kind, body = last_event()
    assert (kind, body["share"], body["automatic"]) == ("rollout.stepped", 2500, True)
    assert clock.advance_rollouts(rollout.next_at) == 0


def test_the_last_step_publishes_in_the_name_of_who_started_it(start, author, approved):
    rollout = start(steps=[{"share": 500, "hours": 1}])
    assert clock.advance_rollouts(_later(rollout)) == 1
    approved.refresh_from_db()
    move = approved.label_moves.get()
    assert (approved.state, move.person, Label.objects.get().version.number) == ("published", author.person, 2)


def test_a_step_by_hand_waits_for_a_person(start):
    rollout = start(steps=[{"share": 500, "hours": None}, {"share": 1000, "hours": None}])
    assert clock.advance_rollouts(_later(rollout, 9999)) == 0


def test_a_paused_rollout_takes_no_step(start, author):
    rollout = start()
    services.pause_rollout(actor=author, number=rollout.number)
    assert clock.advance_rollouts(_later(rollout)) == 0


def test_an_objection_pauses_instead_of_a_step(start, reviewer, approved, last_event):
    rollout = start()
    decisions.decide_on_change(
        actor=reviewer, number=approved.number, decision="request_changes", digest=approved.version.digest, text="No"
    )
    assert clock.advance_rollouts(_later(rollout)) == 1
    kind, body = last_event()
    assert (kind, body["automatic"]) == ("rollout.paused", True)
    assert "asked for edits" in body["reason"]


def test_a_starter_who_left_takes_no_step(start, author, last_event):
    rollout = start()
    User.objects.filter(pk=author.person.pk).update(is_active=False)
    assert clock.advance_rollouts(_later(rollout)) == 1
    assert "is deactivated" in last_event()[1]["reason"]


@pytest.mark.parametrize("end", [{"revoked_at": datetime.now(UTC)}, {"expires_at": datetime.now(UTC)}])
def test_an_ended_key_takes_no_step_until_a_person_resumes_it(start, author, admin, issue, last_event, end):
    issued = issue("deploys")
    rollout = start(issued)
    Key.objects.filter(pk=issued.key.pk).update(**end)
    assert clock.advance_rollouts(_later(rollout)) == 1
    assert last_event()[1]["reason"] == (
        f"The next step was not possible: The key deploys (pb_{issued.key.id}), which started or resumed it, "
        "has ended. Whoever resumes it continues in their own name."
    )
    resumed = services.resume_rollout(actor=admin, number=rollout.number)
    assert clock.advance_rollouts(resumed.next_at) == 1
    event = Event.objects.latest("number")
    assert (event.kind, event.person, event.key) == ("rollout.stepped", "admin", "")
    resumed.refresh_from_db()
    assert (resumed.share, resumed.started_by) == (2500, author.person)


def test_only_who_resumed_it_last_is_responsible(start, admin, issue):
    rollout = start()
    issued = issue("deploys")
    for actor in (admin, issued):
        services.pause_rollout(actor=actor, number=rollout.number)
        services.resume_rollout(actor=actor, number=rollout.number)
    assert find_responsible([rollout]) == {rollout.number: issued}
    assert find_responsible([]) == {}


def test_a_mean_below_the_limit_stops_the_rollout_and_notifies_people(start, author, score, last_event):
    rollout = start(stop_rule=RULE)
    score(rollout.candidate, 100, 78)
    assert clock.advance_rollouts() == 1
    kind, body = last_event()
    assert (kind, body["automatic"], body["reason"]) == (
        "rollout.stopped",
        True,
        "helpful 0.78 over 100 replies, needs 0.85.",
    )
    assert [figure["mean"] for figure in body["figures"]] == [0.78]
    assert Label.objects.get().rollout is None
    notice = Notification.objects.get(kind="rollout.stopped")
    assert notice.person == author.person
    assert "stopped automatically rollout 1" in notice.sentence
    assert clock.advance_rollouts() == 0


def test_too_few_replies_stop_nothing(start, score):
    rollout = start(stop_rule=RULE)
    score(rollout.candidate, 99, 0)
    assert clock.advance_rollouts() == 0


def test_scores_of_people_stop_nothing(start, score):
    rollout = start(stop_rule=RULE)
    score(rollout.candidate, 500, 0, by_person=True)
    assert clock.advance_rollouts() == 0


def test_another_metric_stops_nothing(start, score):
    rollout = start(stop_rule=RULE)
    score(rollout.candidate, 500, 0, name="polite")
    assert clock.advance_rollouts() == 0


def test_being_clearly_worse_than_stable_stops(start, score):
    rollout = start(stop_rule={"metric": "helpful", "worse_than_stable": True})
    score(rollout.stable, 1000, 900)
    score(rollout.candidate, 200, 172)
    assert clock.advance_rollouts() == 0
    rollout.candidate.outcome_totals.update(total=120.0, squares=120.0)
    assert clock.advance_rollouts() == 1
    assert "is worse than 0.90 of version 1" in Rollout.objects.get().reason


def test_a_rule_holds_while_the_rollout_is_paused(start, author, score):
    rollout = start(stop_rule=RULE)
    services.pause_rollout(actor=author, number=rollout.number)
    score(rollout.candidate, 100, 10)
    assert clock.advance_rollouts() == 1
    assert Rollout.objects.get().state == "stopped"


def _make_due(rollout):
    Rollout.objects.filter(pk=rollout.pk).update(next_at=datetime.now(UTC) - timedelta(seconds=1))


@pytest.mark.dialect
def test_of_four_workers_at_the_same_time_one_does_a_due_step(transactional_db, start):
    _make_due(start())
    assert sorted(at_once([clock.advance_rollouts] * 4)) == [0, 0, 0, 1]
    assert Rollout.objects.get().share == 2500
    assert Event.objects.filter(kind="rollout.stepped").count() == 1


@pytest.mark.dialect
def test_of_four_workers_at_the_same_time_one_publishes_after_the_last_step(transactional_db, start):
    _make_due(start(steps=[{"share": 500, "hours": 1}]))
    moves = LabelMove.objects.count()
    assert sorted(at_once([clock.advance_rollouts] * 4)) == [0, 0, 0, 1]
    assert (Rollout.objects.get().state, LabelMove.objects.count()) == ("finished", moves + 1)


@pytest.mark.dialect
def test_of_four_workers_at_the_same_time_one_stops_by_the_rule(transactional_db, start, score):
    rollout = start(stop_rule=RULE)
    score(rollout.candidate, 200, 100)
    assert sorted(at_once([clock.advance_rollouts] * 4)) == [0, 0, 0, 1]
    assert Event.objects.filter(kind="rollout.stopped").count() == 1


@pytest.mark.dialect
def test_a_person_and_the_clock_at_the_same_time_take_one_step(transactional_db, start, author):
    rollout = start()
    _make_due(rollout)
    by_person, by_clock = at_once(
        [lambda: services.step_rollout(actor=author, number=rollout.number, share=500), clock.advance_rollouts]
    )
    assert isinstance(by_person, Conflict) == (by_clock == 1)
    assert Rollout.objects.get().share == 2500
