"""Approvals by people who may no longer approve: they don't count, and the gate says whose and why."""

import pytest

from registry.accounts.actor import build_operator_actor
from registry.changes import gate, rules
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired
from registry.namespaces import groups
from registry.namespaces import services as namespace_services

OF_REVIEWER = "The approval by reviewer does not count: reviewer may not approve here any more."


@pytest.fixture
def approved(propose, save, approve):
    """A request that the reviewer approved."""
    change = propose(save("one"))
    approve(change)
    return change


@pytest.mark.parametrize("role", ["author", None])
def test_whose_role_was_removed_is_named(admin, author, approved, role):
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role=role)
    with pytest.raises(ApprovalRequired) as refused:
        change_services.publish_change(actor=author, number=approved.number)
    assert refused.value.message == f"Needs 1 more approval. {OF_REVIEWER}"


def test_the_person_themselves_reads_it_too(admin, reviewer, approved):
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role="author")
    approved.refresh_from_db()
    blocker = gate.evaluate(approved, reviewer).find_blocker("approvals")
    assert blocker is not None
    assert blocker.cause.endswith("Your approval does not count: you may not approve here any more.")


def test_without_two_step_sign_in_that_is_the_reason(admin, reviewer, approved):
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    approved.refresh_from_db()
    for actor, sentence in (
        (admin, "The approval by reviewer does not count: reviewer needs the role reviewer and two-step sign-in now."),
        (reviewer, "Your approval does not count: you need the role reviewer and two-step sign-in now."),
    ):
        blocker = gate.evaluate(approved, actor).find_blocker("approvals")
        assert blocker is not None
        assert blocker.cause.endswith(sentence)
        assert blocker.action == (
            "Ask a reviewer to turn on two-step sign-in, or an admin to make another person a reviewer: nobody else "
            "may approve."
        )


def test_a_group_without_two_step_sign_in_is_asked_for_it(admin, approved):
    groups.make_group(actor=admin, namespace="support", title="Legal", name="legal")
    rule = {"label": "production", "folder": "", "approvals": 1, "groups": ["legal"]}
    rules.set_rules(actor=build_operator_actor(), namespace="support", approval_rules=[rule])

    def read_action() -> str:
        approved.refresh_from_db()
        blocker = gate.evaluate(approved, admin).find_blocker("group:legal")
        assert blocker is not None
        return blocker.action

    assert read_action() == "Ask an admin to put a reviewer into Legal: nobody in it may approve."
    groups.add_to_group(actor=admin, namespace="support", name="legal", username="reviewer")
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    assert read_action() == (
        "Ask somebody in Legal to turn on two-step sign-in, or an admin to put a reviewer into it: nobody in it may "
        "approve."
    )


def test_an_approval_of_an_earlier_version_is_not_named(admin, author, save, approved):
    change_services.set_head(actor=author, number=approved.number, version=save("two").number)
    namespace_services.set_role(actor=admin, namespace="support", username="reviewer", role="author")
    with pytest.raises(ApprovalRequired) as refused:
        change_services.publish_change(actor=author, number=approved.number)
    assert refused.value.message == "Needs 1 more approval."
