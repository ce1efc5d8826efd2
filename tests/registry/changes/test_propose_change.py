"""Proposing a change: numbering, refusals, and several changes of one label."""

import pytest

from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event


def test_a_request_is_open_and_numbered(propose, save):
    change = propose(save("one"))
    assert (change.number, change.state, change.round, change.message) == (1, "open", 1, "Please")
    event = Event.objects.latest("number")
    assert (event.kind, event.change, event.version) == ("change.proposed", 1, 1)


def test_numbers_rise_over_all_templates(propose, save):
    propose(save("one"))
    assert propose(save("one", name="support/other")).number == 2


def test_a_free_label_needs_no_request(author, save):
    save("one")
    with pytest.raises(Invalid, match="move it without a change"):
        change_services.propose_change(actor=author, name="support/reply", label="staging", version=1, message="")


def test_what_the_label_holds_is_no_news(propose, save, publish):
    version = save("one")
    publish(version)
    with pytest.raises(Invalid, match="already serves exactly this"):
        propose(version)


def test_the_same_twice_is_refused_and_names_the_first(propose, save):
    version = save("one")
    propose(version)
    with pytest.raises(Conflict) as caught:
        propose(version)
    assert caught.value.facts == {"change": 1}


def test_two_versions_may_be_proposed_side_by_side(propose, save):
    propose(save("one"))
    propose(save("two"))
    assert ChangeRequest.objects.filter(state="open").count() == 2


def test_a_missing_version_is_refused(author, save):
    save("one")
    with pytest.raises(NotFound, match="no version 4"):
        change_services.propose_change(actor=author, name="support/reply", label="production", version=4, message="")


def test_a_reader_proposes_nothing(reader, propose, save):
    with pytest.raises(NotAllowed):
        propose(save("one"), actor=reader)


def test_where_no_approval_is_needed_it_is_approved_at_once(admin, propose, save, support):
    support.approvals = 0
    support.save()
    assert propose(save("one")).state == "approved"
