"""Requesting a review from a specific person, and reminding them."""

import json
from datetime import timedelta

import pytest

from registry.accounts.models import User
from registry.changes import decisions, gate, review_requests, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.namespaces import groups
from registry.notifications.models import Notification


def ask(actor, change, person="reviewer"):
    return review_requests.ask_for_review(actor=actor, number=change.number, person=person)


def let_a_day_pass(change, person="reviewer"):
    """Move the moment at which the person was asked back by a day."""
    row = ChangeRequest.objects.get(pk=change.pk)
    at = row.asked[person]["at"] - int(timedelta(hours=24).total_seconds() * 1_000_000)
    ChangeRequest.objects.filter(pk=change.pk).update(asked={**row.asked, person: {**row.asked[person], "at": at}})


def evaluate(change):
    return gate.evaluate(ChangeRequest.objects.get(pk=change.pk), None)


def list_notifications(person):
    rows = Notification.objects.filter(person=User.objects.get(username=person), read_at=None, is_waiting=True)
    return list(rows.order_by("pk").values_list("kind", "sentence"))


def test_an_asked_reviewer_is_notified_once_and_the_change_waits_on_them(author, change):
    ask(author, change)
    ((kind, sentence),) = list_notifications("reviewer")
    assert kind == "review.requested"
    assert sentence.startswith("author asks for your review: support/reply v1")
    assert evaluate(change).waits_on("reviewer")
    (request,) = review_requests.list_review_requests(evaluate(change))
    assert (request.person, request.requested_by, request.decision) == ("reviewer", "author", "")
    assert not request.may_be_reminded


def test_a_change_waits_on_an_asked_reviewer_during_another_turn(author, admin, change):
    decisions.decide_on_change(
        actor=admin, number=change.number, decision="request_changes", digest=change.version.digest, text="No"
    )
    assert not evaluate(change).waits_on("reviewer")
    ask(author, change)
    assert evaluate(change).waits_on("reviewer")


def test_a_decision_ends_the_waiting_and_taking_it_back_begins_it_again(author, reviewer, change, approve):
    ask(author, change)
    approve(change)
    assert not evaluate(change).waits_on("reviewer")
    assert list_notifications("reviewer") == []
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="take_back", digest=change.version.digest)
    assert evaluate(change).awaited_reviewers == ("reviewer",)


def test_within_a_day_nobody_is_asked_again(author, admin, change):
    ask(author, change)
    with pytest.raises(Conflict, match="reviewer was asked by author within the last day; ask again after"):
        ask(admin, change)
    assert Event.objects.filter(kind="review.requested").count() == 1


def test_after_a_day_a_reminder_takes_the_place_of_what_waited(author, admin, change):
    ask(author, change)
    let_a_day_pass(change)
    assert review_requests.find_review_request(evaluate(change), "reviewer").may_be_reminded
    ask(admin, change)
    ((_, sentence),) = list_notifications("reviewer")
    assert sentence.startswith("admin asks for your review again")
    body = json.loads(Event.objects.last().text)["body"]
    assert (body["person"], body["again"]) == ("reviewer", True)


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        ("reader", "'reader' can't approve in support"),
        ("nobody", "'nobody' can't approve in support"),
        ("author", "ask somebody else"),
    ],
)
def test_a_person_who_cannot_review_cannot_be_asked(author, change, person, sentence):
    with pytest.raises(Invalid) as caught:
        ask(author, change, person)
    assert sentence in caught.value.fields["person"]


def test_a_contributor_cannot_be_asked(author, admin, propose, save):
    change = propose(save("one", actor=admin))
    with pytest.raises(Invalid) as caught:
        ask(author, change, "admin")
    assert caught.value.fields["person"] == "the approval of admin would not count: admin wrote version 1."


def test_a_reviewer_who_has_decided_cannot_be_asked(author, change, approve):
    approve(change)
    with pytest.raises(Conflict, match="reviewer decided on version 1 already"):
        ask(author, change)


def test_a_reader_asks_nobody(reader, change):
    with pytest.raises(NotAllowed):
        ask(reader, change)


def test_for_a_closed_request_nobody_is_asked(author, change):
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    with pytest.raises(Conflict, match="is withdrawn"):
        ask(author, change)


def test_a_proposal_asks_reviewers_or_stores_nothing(author, save):
    version = save("one")
    facts = {"actor": author, "name": "support/reply", "label": "production", "version": version.number, "message": ""}
    with pytest.raises(Invalid) as caught:
        change_services.propose_change(**facts, reviewers=["reviewer", "reader"])
    assert list(caught.value.fields) == ["reviewers"]
    assert not ChangeRequest.objects.exists()
    assert not Notification.objects.filter(is_waiting=True).exists()
    change = change_services.propose_change(**facts, reviewers=["reviewer", "reviewer"])
    assert list(change.asked) == ["reviewer"]
    assert [kind for kind, _ in list_notifications("reviewer")] == ["review.requested"]
    assert [kind for kind, _ in list_notifications("admin")] == ["change.proposed"]


def test_owners_are_suggested_first_then_needed_groups_then_earlier_reviewers(admin, reviewer, propose, save, publish):
    publish(save("one"))
    groups.make_group(actor=admin, namespace="support", title="Legal")
    groups.add_to_group(actor=admin, namespace="support", name="legal", username="admin")
    approval_rules = [{"label": "production", "groups": ["legal"]}]
    rules.set_rules(actor=admin, namespace="support", approval_rules=approval_rules)
    change = propose(save("two"))
    candidates = [(row.person, row.reason) for row in review_requests.list_candidates(evaluate(change))]
    assert candidates == [("admin", "group"), ("reviewer", "earlier")]
    owners = [{"pattern": "*", "people": ["reviewer"]}]
    rules.set_rules(actor=admin, namespace="support", owners=owners)
    candidates = [(row.person, row.reason) for row in review_requests.list_candidates(evaluate(change))]
    assert candidates == [("reviewer", "owner"), ("admin", "group")]


def test_before_there_is_a_request_its_contributors_are_not_candidates(author, reviewer, save):
    version = save("one", actor=reviewer)
    draft = review_requests.find_draft_gate(author, version.template, "production", version)
    assert [candidate.person for candidate in review_requests.list_candidates(draft)] == ["admin"]
    assert not ChangeRequest.objects.exists()
