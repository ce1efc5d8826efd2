"""Taking back one's own approval or one's own request for edits."""

import json

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, emergencies, gate, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest, Decision
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed, ProofRequired
from registry.journal.models import Event
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.notifications.models import Notification


def decide(actor, change, decision, text="Because"):
    digest = ChangeRequest.objects.get(pk=change.pk).version.digest
    return decisions.decide_on_change(actor=actor, number=change.number, decision=decision, digest=digest, text=text)


def state(change):
    return ChangeRequest.objects.get(pk=change.pk).state


def test_an_approval_that_is_taken_back_is_needed_again(author, reviewer, change):
    decide(reviewer, change, "approve")
    decide(reviewer, change, "take_back", text="")
    assert state(change) == "open"
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=author, number=change.number)


def test_a_taken_back_approval_is_not_reported_as_one_of_an_earlier_version(reviewer, admin, change):
    decide(reviewer, change, "approve")
    decide(reviewer, change, "take_back")
    for viewer in (reviewer, admin):
        blocker = gate.evaluate(ChangeRequest.objects.get(pk=change.pk), viewer).find_blocker("approvals")
        assert blocker.cause == "Needs 1 more approval."


def test_an_approval_given_again_is_a_new_one(author, reviewer, change):
    first = decide(reviewer, change, "approve")
    decide(reviewer, change, "take_back")
    again = decide(reviewer, change, "approve")
    (approval,) = gate.evaluate(ChangeRequest.objects.get(pk=change.pk), None).approvals
    assert again.number == 3
    assert (
        approval.at == round(again.created_at.timestamp() * 1_000_000) > round(first.created_at.timestamp() * 1_000_000)
    )
    assert change_services.publish_change(actor=author, number=change.number).state == "published"


def test_an_objection_that_is_taken_back_blocks_no_longer(reviewer, admin, change):
    decide(admin, change, "request_changes")
    decide(reviewer, change, "approve")
    assert state(change) == "open"
    decide(admin, change, "take_back")
    assert state(change) == "approved"


def test_an_approval_before_the_objection_does_not_come_back_with_it(reviewer, change):
    for decision in ("approve", "request_changes", "take_back"):
        decide(reviewer, change, decision)
    assert state(change) == "open"
    assert gate.evaluate(ChangeRequest.objects.get(pk=change.pk), None).approvals == ()


@pytest.mark.parametrize("earlier", [(), ("comment",), ("approve", "take_back")])
def test_only_a_decision_can_be_taken_back(reviewer, change, earlier):
    for decision in earlier:
        decide(reviewer, change, decision)
    with pytest.raises(Conflict, match="neither approved version 1 nor asked for edits"):
        decide(reviewer, change, "take_back")


def test_only_one_s_own_is_taken_back(reviewer, admin, change):
    decide(reviewer, change, "approve")
    with pytest.raises(Conflict, match="neither approved"):
        decide(admin, change, "take_back")
    assert state(change) == "approved"


def test_an_approval_of_an_earlier_head_is_not_taken_back(author, reviewer, change, save):
    decide(reviewer, change, "approve")
    change_services.set_head(actor=author, number=change.number, version=save("two").number)
    with pytest.raises(Conflict, match="neither approved version 2"):
        decide(reviewer, change, "take_back")


def test_after_publishing_it_is_refused_with_what_to_do(author, reviewer, change):
    decide(reviewer, change, "approve")
    change_services.publish_change(actor=author, number=change.number)
    with pytest.raises(Conflict, match=r"is published: .* can't be taken back any more.*roll it back"):
        decide(reviewer, change, "take_back")


def test_after_withdrawing_it_is_refused(author, reviewer, change):
    decide(reviewer, change, "approve")
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    with pytest.raises(Conflict, match="is withdrawn"):
        decide(reviewer, change, "take_back")


@pytest.fixture
def peer(admin, support):
    """A second reviewer."""
    person = User.objects.create_user("peer")
    namespace_services.set_role(actor=admin, namespace="support", username="peer", role="reviewer")
    return Actor(person)


def test_of_an_emergency_it_is_possible_until_it_is_approved(admin, reviewer, peer, change):
    rules.set_rules(actor=admin, namespace="support", break_glass=True, approvals=2)
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It burns")
    decide(peer, change, "approve")
    decide(peer, change, "take_back")
    decide(admin, change, "approve")
    assert ChangeRequest.objects.get(pk=change.pk).unreviewed
    decide(peer, change, "approve")
    change_request = ChangeRequest.objects.get(pk=change.pk)
    assert not change_request.unreviewed
    assert emergencies.find_emergency(change_request).approvers == ("admin", "peer")
    with pytest.raises(Conflict, match="can't be taken back any more"):
        decide(peer, change, "take_back")


def test_a_former_reviewer_can_take_back_a_decision(admin, reviewer, change):
    decide(reviewer, change, "approve")
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role="author")
    decide(reviewer, change, "take_back")
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role="reviewer")
    assert state(change) == "open"


def test_a_key_takes_nothing_back(admin, reviewer, change):
    decide(reviewer, change, "approve")
    key = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person="reviewer").key
    with pytest.raises(NotAllowed, match="key can't take a decision back"):
        decide(Actor(reviewer.person, key), change, "take_back")
    assert state(change) == "approved"


def test_only_what_opens_the_gate_asks_for_a_proof(reviewer, change):
    unproven = Actor(reviewer.person, missing_proof="password")
    decide(reviewer, change, "approve")
    decide(unproven, change, "take_back")
    decide(reviewer, change, "request_changes")
    with pytest.raises(ProofRequired):
        decide(unproven, change, "take_back")


def test_the_event_says_what_was_taken_back_and_why(reviewer, change):
    decide(reviewer, change, "request_changes")
    decide(reviewer, change, "take_back", text="I misread it")
    body = json.loads(Event.objects.last().text)["body"]
    assert (body["decision"], body["taken_back"], body["number"]) == ("take_back", "request_changes", 2)
    assert Decision.objects.get(number=2).text == "I misread it"


def test_the_author_is_told(author, reviewer, change):
    decide(reviewer, change, "approve")
    decide(reviewer, change, "take_back")
    sentences = list(
        Notification.objects.filter(person=author.person).order_by("pk").values_list("sentence", flat=True)
    )
    assert sentences[-1].startswith("reviewer took back their approval of support/reply")
