"""Rolling back a protected label: who may, and to which versions."""

import json

import pytest

from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.templates import labels
from registry.templates.label_models import Label


@pytest.fixture
def published(save, publish):
    """Versions 1 and 2 of support/reply were both published; 3 never was."""
    for mark in ("one", "two"):
        publish(save(mark))
    save("three")


def back(actor, version, reason="It answered in French"):
    return labels.roll_back_label(actor=actor, name="support/reply", label="production", version=version, reason=reason)


def test_a_reviewer_goes_back_immediately(reviewer, published):
    assert back(reviewer, 1).version.number == 1
    body = json.loads(Event.objects.latest("number").text)["body"]
    assert (body["from"], body["to"], body["how"], body["reason"]) == (2, 1, "rolled_back", "It answered in French")


def test_going_back_and_forth_is_possible(reviewer, published):
    back(reviewer, 1)
    assert back(reviewer, 2).version.number == 2


def test_an_author_does_not_roll_back(author, published):
    with pytest.raises(NotAllowed, match="role reviewer"):
        back(author, 1)


def test_a_reason_is_needed(reviewer, published):
    with pytest.raises(Invalid, match="say why"):
        back(reviewer, 1, reason="  ")


def test_a_version_that_the_label_never_held_needs_approval(reviewer, published):
    with pytest.raises(ApprovalRequired, match="never held version 3"):
        back(reviewer, 3)
    assert Label.objects.get().version.number == 2


def test_a_version_with_the_digest_of_a_former_one_will_do(reviewer, save, published):
    save("one")
    assert back(reviewer, 4).version.number == 4


def test_it_stays_where_it_is(reviewer, published):
    with pytest.raises(Conflict, match="already serves version 2"):
        back(reviewer, 2)


def test_a_label_that_is_not_set_has_no_way_back(reviewer, save):
    save("one")
    with pytest.raises(Conflict, match="nothing to roll back"):
        back(reviewer, 1)
