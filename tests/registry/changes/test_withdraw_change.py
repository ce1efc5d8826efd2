"""Withdrawing and reopening a change: who may, and the effect on its approvals."""

import pytest

from registry.accounts.models import User
from registry.changes import services as change_services
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal.models import Event
from registry.namespaces import services as namespace_services


def test_its_opener_withdraws_a_request(author, propose, save):
    change = change_services.withdraw_change(actor=author, number=propose(save("one")).number, reason="Not yet")
    assert change.state == "withdrawn"
    assert Event.objects.latest("number").kind == "change.withdrawn"


def test_a_reviewer_may_too(reviewer, propose, save):
    change = change_services.withdraw_change(actor=reviewer, number=propose(save("one")).number, reason="Not needed")
    assert change.state == "withdrawn"


def test_it_needs_a_reason(author, propose, save):
    change = propose(save("one"))
    with pytest.raises(Invalid, match="reason: say why"):
        change_services.withdraw_change(actor=author, number=change.number, reason=" ")
    change.refresh_from_db()
    assert change.state == "open"


def test_another_author_may_not(admin, propose, save, author):
    person = User.objects.create(username="second")
    namespace_services.set_role(actor=admin, namespace="support", username="second", role="author")
    change = propose(save("one"))
    with pytest.raises(NotAllowed, match="author proposed this change"):
        change_services.withdraw_change(actor=type(author)(person), number=change.number, reason="Not needed")


def test_a_published_change_cannot_be_withdrawn(author, save, publish):
    with pytest.raises(Conflict, match="is published"):
        change_services.withdraw_change(actor=author, number=publish(save("one")).number, reason="Not needed")


def test_reopened_it_needs_its_approvals_again(author, propose, approve, save):
    change = propose(save("one"))
    approve(change)
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    change = change_services.reopen_change(actor=author, number=change.number)
    assert (change.state, change.round, change.closed_at) == ("open", 2, None)


def test_only_a_withdrawn_one_is_reopened(author, propose, save):
    with pytest.raises(Conflict, match="only a withdrawn one"):
        change_services.reopen_change(actor=author, number=propose(save("one")).number)


def test_a_request_that_another_has_overtaken_is_not_reopened(author, propose, publish, save):
    version = save("one")
    change = propose(version)
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    propose(version)
    with pytest.raises(Conflict, match="proposes version 1"):
        change_services.reopen_change(actor=author, number=change.number)
