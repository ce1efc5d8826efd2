"""The gate in a namespace that requires two-step sign-in: whose approvals count, and who may publish."""

import pytest
from allauth.mfa.models import Authenticator

from registry.accounts.actor import build_operator_actor
from registry.changes import gate, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import ApprovalRequired, Conflict, TwoStepRequired
from registry.people.administration import reset_second_step, set_installation_admin


def switch_on(*actors):
    for actor in actors:
        Authenticator.objects.create(user=actor.person, type=Authenticator.Type.TOTP, data={})


@pytest.fixture
def change(propose, save, author):
    """An open request of a namespace with the rule; only the author has a second step."""
    change = propose(save("one"))
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    switch_on(author)
    return change


def look(change, actor=None):
    return gate.evaluate(ChangeRequest.objects.get(pk=change.pk), actor)


def test_a_reviewer_without_two_step_is_refused_as_the_gate_says(change, reviewer, approve):
    assert look(change, reviewer).refusal == "Approving in support needs the role reviewer and two-step sign-in."
    with pytest.raises(TwoStepRequired):
        approve(change)
    switch_on(reviewer)
    assert look(change, reviewer).may_approve
    approve(change)
    assert look(change).approval_status.approvals == ("reviewer",)


def test_a_passkey_counts_as_two_step_sign_in(change, reviewer, approve):
    for _ in range(2):  # who has several counts once
        Authenticator.objects.create(user=reviewer.person, type=Authenticator.Type.WEBAUTHN, data={})
    approve(change)
    assert look(change).approval_status.approvals == ("reviewer",)


def test_an_approval_of_before_the_rule_counts_once_its_person_has_two_step(propose, save, approve, author, reviewer):
    change = propose(save("one"))
    approve(change)
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    switch_on(author)
    assert look(change).approval_status.approvals == ()
    with pytest.raises((ApprovalRequired, Conflict)):
        change_services.publish_change(actor=author, number=change.number)
    switch_on(reviewer)
    assert change_services.publish_change(actor=author, number=change.number).state == ChangeRequest.PUBLISHED


def test_publishing_requires_two_step_sign_in(change, approve, author, reviewer):
    switch_on(reviewer)
    approve(change)
    Authenticator.objects.filter(user=author.person).delete()
    with pytest.raises(TwoStepRequired):
        change_services.publish_change(actor=author, number=change.number)


def test_a_reset_takes_the_approval_out_of_the_count(change, approve, admin, author, reviewer):
    switch_on(reviewer)
    approve(change)
    assert ChangeRequest.objects.get(pk=change.pk).state == ChangeRequest.APPROVED
    set_installation_admin(actor=build_operator_actor(), username="admin", is_admin=True)
    admin.person.refresh_from_db()
    reset_second_step(actor=admin, username="reviewer")
    assert ChangeRequest.objects.get(pk=change.pk).state == ChangeRequest.OPEN


def test_nobody_is_waited_for_who_could_not_approve(change, reviewer):
    assert "reviewer" not in look(change).facts.reviewers
    switch_on(reviewer)
    assert look(change).facts.reviewers == ("reviewer",)


def test_other_namespaces_are_as_before(propose, save, approve):
    change = propose(save("one"))
    approve(change)
    assert look(change).approval_status.approvals == ("reviewer",)
