"""A change that was proposed to go live gradually: publishing it starts the rollout."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import emergencies, rules, schedules
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.rollouts import publishing, services
from registry.rollouts.models import Rollout
from registry.templates.label_models import Label

PLAN = {
    "steps": [{"share": 1000, "hours": 12}, {"share": 5000, "hours": None}],
    "stop_rule": {"metric": "helpful", "below": 0.85, "replies": 50},
}


@pytest.fixture
def propose_planned(author, save, publish):
    """Propose version 2 for a label that serves version 1, with a plan."""

    def run(plan=PLAN):
        publish(save("one"))
        return change_services.propose_change(
            actor=author,
            name="support/reply",
            label="production",
            version=save("two").number,
            message="Slowly",
            planned_rollout=plan,
        )

    return run


def test_the_proposal_keeps_the_checked_plan_and_its_event_has_it(propose_planned):
    change = propose_planned()
    rule = {"metric": "helpful", "replies": 50, "below": 0.85, "worse_than_stable": False}
    assert change.planned_rollout == {"steps": PLAN["steps"], "stop_rule": rule}
    event = Event.objects.filter(kind="change.proposed").latest("number")
    assert json.loads(event.text)["body"]["rollout"] == change.planned_rollout


def test_an_event_without_a_plan_has_no_plan_field(propose, save):
    propose(save("one"))
    assert "rollout" not in json.loads(Event.objects.get(kind="change.proposed").text)["body"]


def test_a_plan_without_steps_has_the_usual_ones(propose_planned):
    assert propose_planned({}).planned_rollout == {
        "steps": [{"share": 500, "hours": 24}, {"share": 2500, "hours": 24}],
        "stop_rule": None,
    }


def test_publishing_starts_the_rollout_of_the_plan(author, approve, propose_planned):
    change = propose_planned()
    approve(change)
    rollout = publishing.publish_as_proposed(actor=author, number=change.number)
    assert (rollout.share, rollout.steps) == (1000, PLAN["steps"])
    assert rollout.stop_rule == change.planned_rollout["stop_rule"]
    assert Label.objects.get().version.number == 1
    change.refresh_from_db()
    assert change.state == "approved"


def test_without_a_plan_the_label_moves(author, approve, propose, save):
    change = propose(save("one"))
    approve(change)
    assert publishing.publish_as_proposed(actor=author, number=change.number) is None
    assert Label.objects.get().version.number == 1


def test_starting_immediately_skips_the_plan(author, approve, propose_planned):
    change = propose_planned()
    approve(change)
    change_services.publish_change(actor=author, number=change.number)
    assert Label.objects.get().version.number == 2
    assert not Rollout.objects.exists()


def test_rights_and_approvals_are_read_when_it_is_published(author, reader, outsider, approve, propose_planned):
    change = propose_planned()
    with pytest.raises(ApprovalRequired):
        publishing.publish_as_proposed(actor=author, number=change.number)
    approve(change)
    with pytest.raises(NotAllowed):
        publishing.publish_as_proposed(actor=reader, number=change.number)
    with pytest.raises(NotFound):
        publishing.publish_as_proposed(actor=outsider, number=change.number)
    with pytest.raises(Conflict, match="points to version 1"):
        publishing.publish_as_proposed(actor=author, number=change.number, expected=7)
    assert not Rollout.objects.exists()


def test_after_a_stop_publishing_starts_it_again(author, reviewer, approve, propose_planned):
    change = propose_planned()
    approve(change)
    first = publishing.publish_as_proposed(actor=author, number=change.number)
    services.stop_rollout(actor=reviewer, number=first.number, reason="Wrong answers")
    second = publishing.publish_as_proposed(actor=author, number=change.number)
    assert (second.number, second.steps) == (2, first.steps)


def test_a_published_change_starts_nothing(author, approve, propose_planned):
    change = propose_planned()
    approve(change)
    change_services.publish_change(actor=author, number=change.number)
    with pytest.raises(Conflict, match="is published"):
        publishing.publish_as_proposed(actor=author, number=change.number)


def test_an_emergency_serves_everybody_immediately(admin, reviewer, propose_planned):
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    change = propose_planned()
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It insults people")
    assert (Label.objects.get().version.number, Rollout.objects.count()) == (2, 0)


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"steps": []}, "steps"),
        ({"steps": [{"share": 10_000, "hours": 1}]}, "steps"),
        ({"stop_rule": {"metric": "Not a name"}}, "stop_rule"),
    ],
)
def test_a_plan_that_makes_no_sense_opens_nothing(propose_planned, plan, field):
    with pytest.raises(Invalid) as refusal:
        propose_planned(plan)
    assert field in refusal.value.fields
    assert Event.objects.filter(kind="change.proposed").count() == 1


def test_a_label_that_serves_nothing_can_not_be_planned_for(author, save):
    with pytest.raises(Conflict, match="serves nothing yet"):
        change_services.propose_change(
            actor=author,
            name="support/reply",
            label="production",
            version=save("one").number,
            message="",
            planned_rollout={},
        )


def test_gradually_and_on_a_date_exclude_each_other(author, save, publish):
    publish(save("one"))
    proposal = {"name": "support/reply", "label": "production", "version": save("two").number, "message": ""}
    at = datetime.now(UTC) + timedelta(days=1)
    with pytest.raises(Invalid) as refusal:
        schedules.propose_at(actor=author, at=at, planned_rollout={}, **proposal)
    assert "not both" in refusal.value.fields["planned_rollout"]


def test_a_schedule_replaces_the_plan(author, approve, propose_planned):
    change = propose_planned()
    approve(change)
    schedules.schedule_change(actor=author, number=change.number, at=datetime.now(UTC) + timedelta(days=1))
    schedules.unschedule_change(actor=author, number=change.number)
    assert publishing.publish_as_proposed(actor=author, number=change.number) is None
    assert Label.objects.get().version.number == 2


def test_a_newer_version_keeps_the_plan_and_a_reopened_change_has_it_too(author, save, propose_planned):
    change = propose_planned()
    change_services.set_head(actor=author, number=change.number, version=save("three").number)
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    reopened = change_services.reopen_change(actor=author, number=change.number)
    assert reopened.planned_rollout["steps"] == PLAN["steps"]
