"""Proposing a change: numbering, refusals, and several changes of one label."""

import pytest

from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.templates import labels
from registry.templates.models import Version
from registry.templates.restore import restore_version


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


def test_the_served_version_cannot_be_proposed(propose, save, publish):
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


def test_where_no_approval_is_needed_it_is_approved_immediately(admin, propose, save, support):
    support.approvals = 0
    support.save()
    assert propose(save("one")).state == "approved"


def test_an_older_version_cannot_be_proposed_and_the_error_names_roll_back(propose, save, publish):
    for mark in ("one", "two", "three"):
        publish(save(mark))
    with pytest.raises(Invalid) as caught:
        propose(Version.objects.get(number=2))
    assert caught.value.fields == {
        "version": "production serves version 3, which already contains version 2. "
        "To serve version 2 again, use Roll back instead."
    }
    assert not ChangeRequest.objects.pending().exists()


def test_a_contained_version_that_was_never_live_is_restored_first(author, propose, save, publish):
    first = save("one")
    publish(save("two"))
    with pytest.raises(Invalid) as caught:
        propose(first)
    assert "production serves version 2, which already contains version 1" in caught.value.fields["version"]
    assert "restore its text as a new version, and propose that" in caught.value.fields["version"]
    restored = restore_version(actor=author, name="support/reply", ref="1", base=Version.objects.get(number=2).digest)
    assert propose(restored.version).version.number == 3


def test_a_branch_and_what_was_rolled_back_are_proposed(reviewer, propose, save, publish):
    first, second = save("one"), save("two")
    publish(first), publish(second)
    assert propose(save("beside", base=first.digest, parallel=True)).version.number == 3
    labels.roll_back_label(actor=reviewer, name="support/reply", label="production", version=1, reason="It erred")
    assert propose(second).version.number == 2


def test_no_change_turns_to_what_is_contained_or_opens_with_it_again(author, propose, save, publish):
    first = save("one")
    withdrawn = propose(first)
    change_services.withdraw_change(actor=author, number=withdrawn.number, reason="Later")
    publish(save("two"))
    change = propose(save("three"))
    with pytest.raises(Invalid, match="already contains version 1"):
        change_services.set_head(actor=author, number=change.number, version=1)
    with pytest.raises(Invalid, match="already contains version 1"):
        change_services.reopen_change(actor=author, number=withdrawn.number)
