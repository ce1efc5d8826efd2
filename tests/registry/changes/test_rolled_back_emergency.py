"""An emergency that publishes a version again which the label was rolled back from: no earlier approval counts."""

import pytest

from registry.changes import emergencies, gate, rules
from registry.changes import queries as change_queries
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, NotAllowed
from registry.templates import labels
from registry.templates.label_moves import Approval, find_approval_of_label
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template
from tests.support.recorded_rows import write_or_insert

NAME = "support/reply"


@pytest.fixture
def roll_back(reviewer):
    return lambda version: labels.roll_back_label(
        actor=reviewer, name=NAME, label="production", version=version, reason="Wrong answers"
    )


@pytest.fixture
def left(admin, save, publish, roll_back):
    """Versions 1 and 2 of support/reply were approved; production was rolled back from 2 to 1."""

    def write() -> None:
        rules.set_rules(actor=admin, namespace="support", break_glass=True)
        publish(save("one")), publish(save("two"))
        roll_back(1)

    write_or_insert("production that was rolled back", write)
    return Template.objects.get(name=NAME)


@pytest.fixture
def emergency(left, admin, reviewer, propose):
    """The admin proposed version 2 again, and the reviewer published it in an emergency."""
    number = propose(left.latest, actor=admin).number
    return emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Nothing works")


def approval(template):
    return find_approval_of_label(template, "production")


def test_it_is_live_without_approval(emergency, left, admin):
    assert approval(left) == Approval.EMERGENCY
    assert emergencies.list_served_emergencies(admin) == {(left.pk, "production"): emergency.number}
    [unapproved] = emergencies.list_unapproved(admin)
    assert (unapproved.is_served, unapproved.was_left, unapproved.roll_back_target) == (True, True, 1)


def test_it_is_not_closed_without_an_approval_or_a_roll_back(emergency, admin, roll_back):
    with pytest.raises(Conflict, match="still serves version 2: approve it, or roll back first"):
        emergencies.close_emergency(actor=admin, number=emergency.number, reason="It was approved once")
    roll_back(1)
    with pytest.raises(NotAllowed, match="You proposed this change"):
        emergencies.close_emergency(actor=admin, number=emergency.number, reason="Rolled back")


def test_its_contributors_are_counted_from_what_the_label_went_back_to(emergency, left):
    facts = gate.evaluate(emergency, None).facts
    assert "You wrote version 2, which this change contains." in [reason.you for reason in facts.contributors["author"]]
    assert (facts.held_by_approval, facts.holds) == (False, 2)
    baseline = change_queries.find_baseline(emergency)
    assert baseline is not None
    assert baseline.number == 1


def test_a_fresh_approval_ends_it(emergency, left, admin, approve):
    approve(emergency)
    emergency.refresh_from_db()
    assert (emergency.unreviewed, approval(left)) == (False, Approval.APPROVED)
    assert emergencies.list_unapproved(admin) == []


def test_another_change_for_the_same_bytes_is_published_and_approves_it(
    left, admin, author, reviewer, save, propose, approve
):
    save("three")
    twin = ChangeRequest.objects.get(number=propose(save("two")).number)
    number = propose(left.versions.get(number=2), actor=author).number
    broken = emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Nothing works")
    assert [blocker.code for blocker in gate.evaluate(twin, admin).blockers] == ["approvals"]
    approve(twin)
    assert approval(left) == Approval.EMERGENCY, "an approval counts once it is published"
    change_services.publish_change(actor=author, number=twin.number)
    assert approval(left) == Approval.APPROVED
    closed = emergencies.close_emergency(actor=admin, number=broken.number, reason="Approved by the other change")
    assert closed.emergency_closed_at


def test_a_second_emergency_needs_its_own_approval(emergency, left, admin, reviewer, roll_back, propose, approve):
    roll_back(1)
    number = propose(left.versions.get(number=2), actor=admin).number
    emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Again")
    approve(emergency)
    assert approval(left) == Approval.EMERGENCY
    approve(ChangeRequest.objects.get(number=number))
    assert approval(left) == Approval.APPROVED


def test_a_roll_back_to_a_newer_version_restores_it(left, roll_back):
    roll_back(2)
    assert approval(left) == Approval.APPROVED
    assert find_ways_back([left.pk])[left.pk, "production"] == 1


def test_the_next_version_rolls_back_past_the_emergency(emergency, left, save, publish):
    publish(save("three"))
    assert find_ways_back([left.pk])[left.pk, "production"] == 1


def test_an_emergency_for_what_was_never_rolled_back_is_none_of_these(left, admin, reviewer, save, propose):
    number = propose(save("three")).number
    emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Nothing works")
    assert [unapproved.was_left for unapproved in emergencies.list_unapproved(admin)] == [False]
