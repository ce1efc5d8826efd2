"""Publishing a change: the label moves once, or the reason why it doesn't."""

import json
from typing import Any

import pytest

from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, NotAllowed
from registry.journal.models import Event
from registry.templates import labels
from registry.templates.label_models import Label, LabelMove


def test_an_approved_request_moves_the_label(author, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    change = change_services.publish_change(actor=author, number=change.number)
    assert (change.state, Label.objects.get().version.number) == ("published", 1)
    move = LabelMove.objects.get()
    assert (move.how, move.change, move.person) == ("published", change, author.person)


def test_publishing_is_one_event_of_the_label(save, publish):
    publish(save("one"))
    event = Event.objects.latest("number")
    body = json.loads(event.text)["body"]
    assert (event.kind, event.change) == ("label.moved", 1)
    assert (body["from"], body["to"], body["how"], body["change"]) == (None, 1, "published", 1)


def test_an_unapproved_change_is_not_published(author, propose, save):
    change = propose(save("one"))
    with pytest.raises(ApprovalRequired) as caught:
        change_services.publish_change(actor=author, number=change.number)
    blockers: Any = caught.value.facts["blockers"]
    assert [blocker["code"] for blocker in blockers] == ["approvals"]
    assert not Label.objects.exists()


def test_twice_is_a_conflict(author, save, publish):
    change = publish(save("one"))
    with pytest.raises(Conflict, match="is published"):
        change_services.publish_change(actor=author, number=change.number)


def test_a_reader_publishes_nothing(reader, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    with pytest.raises(NotAllowed):
        change_services.publish_change(actor=reader, number=change.number)


def test_a_version_not_based_on_the_live_one_has_to_be_merged_first(author, propose, approve, publish, save):
    first = save("one")
    beside = save("two", base=first.digest, parallel=True)
    other = save("three", base=first.digest, parallel=True)
    publish(beside)
    change = propose(other)
    approve(change)
    with pytest.raises(Conflict, match="not made from version 2"):
        change_services.publish_change(actor=author, number=change.number)


def test_after_a_roll_back_the_next_one_still_goes_live(author, reviewer, propose, approve, publish, save):
    publish(save("one"))
    publish(save("two"))
    labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="Wrong")
    change = propose(save("three"))
    approve(change)
    assert change_services.publish_change(actor=author, number=change.number).state == "published"
