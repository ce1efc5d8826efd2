"""Publishing in an emergency: who may, what still needs approval, and who is notified."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from registry.accounts.actor import Actor
from registry.changes import emergencies as queries
from registry.changes import gate, rules
from registry.changes import queries as asking
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.freezes import services as freezes
from registry.journal.event import parse_event
from registry.journal.models import Event
from registry.namespaces import keys
from registry.notifications.models import Notification
from registry.templates import label_moves, labels
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval


@pytest.fixture
def allowed(admin):
    return rules.set_rules(actor=admin, namespace="support", break_glass=True)


def set_freeze(admin):
    now = datetime.now(UTC)
    times = {"starts": (now - timedelta(hours=1)).isoformat(), "ends": (now + timedelta(hours=1)).isoformat()}
    return freezes.set_freeze(actor=admin, namespace="support", repeat="once", reason="Stocktaking", **times)


def break_glass(actor, reason="Customers get insults"):
    return queries.publish_in_emergency(actor=actor, number=1, reason=reason)


def test_a_reviewer_publishes_and_the_request_stays_unreviewed(allowed, admin, reviewer, change):
    broken = break_glass(reviewer)
    assert (broken.state, broken.unreviewed, Label.objects.get().version.number) == ("published", True, 1)
    assert [blocker.code for blocker in gate.evaluate(broken, admin).blockers] == ["approvals"]
    assert [found.number for found in asking.list_changes(admin, state="pending").items] == [1]
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert (body["how"], body["reason"], body["change"]) == ("broke_glass", "Customers get insults", 1)


def test_an_approval_after_the_fact_closes_it(allowed, admin, reviewer, change, approve):
    break_glass(reviewer)
    approve(change, actor=admin)
    change.refresh_from_db()
    assert (change.state, change.unreviewed) == ("published", False)
    assert gate.evaluate(change, None).turn is None


def test_everyone_concerned_is_told(allowed, author, admin, reviewer, change):
    break_glass(reviewer)
    sentence = "reviewer published support/reply without approval: production is on version 1. Customers get insults"
    for actor in (author, admin):
        assert Notification.objects.filter(person=actor.person).latest("pk").sentence == sentence


def test_it_takes_the_rule(reviewer, change):
    with pytest.raises(NotAllowed, match="does not allow"):
        break_glass(reviewer)


def test_it_takes_a_reviewer_in_person(allowed, author, admin, reviewer, operator, change):
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person="reviewer").key
    for actor in (author, Actor(reviewer.person, key), operator):
        with pytest.raises(NotAllowed):
            break_glass(actor)
    assert not Label.objects.exists()


def test_it_takes_a_reason(allowed, reviewer, change):
    with pytest.raises(Invalid, match="say why"):
        break_glass(reviewer, reason=" ")


def test_an_approved_change_is_published_without_an_emergency(allowed, author, reviewer, change, approve):
    approve(change)
    with pytest.raises(Conflict, match="publish it"):
        break_glass(reviewer)
    assert change_services.publish_change(actor=author, number=1).state == "published"


def test_an_approved_change_stays_approved_in_an_emergency(
    allowed, admin, author, reviewer, save, publish, approve, propose
):
    publish(save("one"))
    number = propose(save("two")).number
    approve(ChangeRequest.objects.get(pk=number))
    set_freeze(admin)
    broken = queries.publish_in_emergency(actor=reviewer, number=number, reason="Customers get insults")
    assert (broken.state, broken.unreviewed, Label.objects.get().version.number) == ("published", False, 2)
    assert gate.evaluate(broken, None).turn is None
    assert queries.list_unapproved(admin) == []
    template = broken.template
    assert label_moves.find_approval_of_label(template, "production") == Approval.APPROVED
    emergency = queries.find_emergency(broken)
    assert emergency is not None
    assert (emergency.was_approved, emergency.approvers) == (True, ("reviewer",))
    event = Event.objects.latest("number")
    assert json.loads(event.text)["body"]["reviewed"] is True
    assert parse_event(event.kind, json.loads(event.text)["body"]).write_sentence() == (
        "published support/reply in an emergency: production moved from version 1 to 2 in a freeze (Stocktaking): "
        "Customers get insults"
    )
    sentence = "reviewer published support/reply in an emergency: production is on version 2. Customers get insults"
    assert Notification.objects.filter(person=author.person).latest("pk").sentence == sentence


def test_a_label_goes_back_to_an_approved_emergency(allowed, admin, reviewer, save, propose, approve, publish):
    publish(save("one"))
    number = propose(save("two")).number
    approve(ChangeRequest.objects.get(pk=number))
    freeze = set_freeze(admin)
    queries.publish_in_emergency(actor=reviewer, number=number, reason="Customers get insults")
    freezes.remove_freeze(actor=admin, namespace="support", number=freeze.number)
    publish(save("three"))
    back = labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=2, reason="Rude")
    assert back.version.number == 2


def test_an_emergency_without_approvals_has_no_word_of_them(allowed, reviewer, change):
    break_glass(reviewer)
    assert "reviewed" not in json.loads(Event.objects.latest("number").text)["body"]


def test_it_says_by_whom_why_and_where_it_could_go_back(allowed, admin, reviewer, save, propose, publish):
    publish(save("one"))
    number = propose(save("two")).number
    queries.publish_in_emergency(actor=reviewer, number=number, reason="Customers get insults")
    [found] = queries.list_unapproved(admin)
    assert (found.move.person.username, found.move.reason) == ("reviewer", "Customers get insults")
    assert (found.is_served, found.holds, found.back, found.approved_at) == (True, 2, 1, None)
    assert queries.list_served_emergencies(admin) == {(found.change.template_id, "production"): number}


def test_it_goes_back_past_a_version_that_was_rolled_back(allowed, admin, reviewer, save, propose, publish):
    for mark in ("one", "two"):
        publish(save(mark))
    labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="Wrong answers")
    number = propose(save("three")).number
    queries.publish_in_emergency(actor=reviewer, number=number, reason="Customers get insults")
    [found] = queries.list_unapproved(admin)
    assert (found.is_served, found.holds, found.roll_back_target) == (True, 3, 1)


def test_it_goes_back_to_nothing_that_nobody_approved(allowed, admin, reviewer, change, save, propose):
    break_glass(reviewer)
    number = propose(save("two")).number
    queries.publish_in_emergency(actor=reviewer, number=number, reason="Still insults")
    assert [(found.change.pk, found.is_served, found.back) for found in queries.list_unapproved(admin)] == [
        (1, False, None),
        (number, True, None),
    ]


def test_a_stranger_sees_none(allowed, reviewer, outsider, change):
    break_glass(reviewer)
    assert queries.list_unapproved(outsider) == []
    assert queries.list_served_emergencies(outsider) == {}


def test_the_publisher_of_an_emergency_cannot_close_it(allowed, admin, reviewer, change, save, publish):
    break_glass(reviewer)
    publish(save("two"))
    with pytest.raises(NotAllowed, match="Another reviewer closes it"):
        queries.close_emergency(actor=reviewer, number=1, reason="Done")
    closed = queries.close_emergency(actor=admin, number=1, reason="Version 2 was approved and holds it")
    assert (closed.unreviewed, closed.needs_approval, gate.evaluate(closed, None).turn) == (True, False, None)
    assert queries.list_unapproved(admin) == []
    assert json.loads(Event.objects.latest("number").text)["body"]["reason"] == "Version 2 was approved and holds it"


def test_nothing_else_is_closed(allowed, admin, reviewer, change, approve):
    with pytest.raises(Conflict, match="not an emergency"):
        queries.close_emergency(actor=admin, number=1, reason="Done")
    break_glass(reviewer)
    with pytest.raises(Conflict, match="still serves version 1"):
        queries.close_emergency(actor=admin, number=1, reason="Done")
    approve(change, actor=admin)
    with pytest.raises(Conflict, match="not an emergency"):
        queries.close_emergency(actor=admin, number=1, reason="Done")
