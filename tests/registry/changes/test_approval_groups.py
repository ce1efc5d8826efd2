"""Approvals by group, label and folder through the services: what is required, refused and kept."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import emergencies, gate, label_preview, rules
from registry.changes import queries as change_queries
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed
from registry.namespaces import groups, services
from registry.templates.search_models import SearchEntry

SUPPORT: dict[str, Any] = {"namespace": "support"}


@pytest.fixture
def second(operator, support):
    """Another reviewer."""
    person = User.objects.create(username="second")
    services.set_role(actor=operator, **SUPPORT, username="second", role="reviewer")
    return Actor(person)


@pytest.fixture
def legal(admin, second):
    """`second` is in Legal, and one of its members must approve."""
    groups.make_group(actor=admin, **SUPPORT, title="Legal")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="second")
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"groups": ["legal"]}])


def look(change, actor):
    return gate.evaluate(change_queries.get_change(actor, change.number), actor)


def test_nothing_is_published_before_the_group_approved(legal, author, second, save, propose, approve):
    change = propose(save("first"))
    approve(change)
    assert change.state == "open"
    with pytest.raises(ApprovalRequired, match=r"Needs an approval from Legal\."):
        change_services.publish_change(actor=author, number=change.number)
    approve(change, actor=second)
    assert change_services.publish_change(actor=author, number=change.number).state == "published"


def test_the_group_alone_is_enough_where_one_approval_is_asked(legal, author, second, save, propose, approve):
    change = propose(save("first"))
    approve(change, actor=second)
    assert look(change, author).blockers == ()


def test_membership_is_read_at_publish(legal, admin, author, second, save, propose, approve):
    """The approval of a person who leaves the group no longer counts for it, and counts again once they are back."""
    change = propose(save("first"))
    approve(change, actor=second)
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="second")
    found = look(change, author)
    assert [blocker.code for blocker in found.blockers] == ["group:legal"]
    assert found.approval_status.approvals == ("second",)
    assert found.change.state == "open"
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=author, number=change.number)
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="second")
    assert look(change, author).change.state == "approved"


def test_an_approval_counts_for_a_group_joined_afterwards(legal, admin, author, save, propose, approve):
    change = propose(save("first"))
    approve(change)
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reviewer")
    assert look(change, author).blockers == ()


def test_a_contributor_cannot_find_themselves_a_group(legal, admin, reviewer, save, propose, approve):
    """An admin wrote the change and puts a reviewer into Legal: that approval does not count at all."""
    change = propose(save("first", actor=admin), actor=admin)
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reviewer")
    assert "You were put into the group Legal by admin" in look(change, reviewer).refusal
    with pytest.raises(NotAllowed, match="You were put into the group Legal by admin"):
        approve(change)


def test_an_approval_does_not_count_for_a_group_without_the_role_reviewer(legal, admin, second, save, propose, approve):
    change = propose(save("first"))
    approve(change, actor=second)
    services.set_role(actor=admin, **SUPPORT, username="second", role="author")
    assert [it.code for it in look(change, admin).blockers] == ["approvals", "group:legal"]


def test_the_author_is_never_their_own_group(legal, admin, author, save, propose):
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="author")
    services.set_role(actor=admin, **SUPPORT, username="author", role="reviewer")
    change = propose(save("first"))
    assert look(change, author).refusal.startswith("You proposed this change.")
    (_, blocker) = look(change, author).blockers
    assert blocker.waiting_for == ("second",)


def test_a_rule_of_a_folder_is_about_what_is_in_it(legal, admin, author, save, propose, approve):
    rules.set_rules(
        actor=admin, **SUPPORT, approval_rules=[{"folder": "contracts/", "groups": ["legal"], "approvals": 2}]
    )
    outside, inside = propose(save("one")), propose(save("two", name="support/contracts/reply"))
    for change in (outside, inside):
        approve(change)
    assert look(outside, author).blockers == ()
    assert [it.cause for it in look(inside, author).blockers] == [
        "Needs 1 more approval.",
        "Needs an approval from Legal.",
    ]
    assert (look(outside, author).needed, look(inside, author).needed) == (1, 2)


def test_a_rule_of_a_label_is_about_that_label(legal, admin, author, save, approve):
    rules.set_rules(
        actor=admin,
        **SUPPORT,
        protected_labels=["production", "staging"],
        approval_rules=[{"label": "production", "groups": ["legal"]}],
    )
    version = save("one")
    for label, codes in (("staging", []), ("production", ["group:legal"])):
        change = change_services.propose_change(
            actor=author, name="support/reply", label=label, version=version.number, message=""
        )
        approve(change)
        assert [it.code for it in look(change, author).blockers] == codes


def test_a_stricter_rule_holds_for_open_requests_immediately(admin, second, author, save, propose, approve):
    change = propose(save("first"))
    approve(change)
    assert look(change, author).change.state == "approved"
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"approvals": 2}])
    assert look(change, author).change.state == "open"
    approve(change, actor=second)
    assert look(change, author).change.state == "approved"


def test_an_emergency_owes_the_group_its_approval(legal, admin, reviewer, second, save, propose, approve):
    rules.set_rules(actor=admin, **SUPPORT, break_glass=True)
    change = propose(save("first"))
    emergencies.publish_in_emergency(actor=reviewer, number=change.number, reason="It burns")
    approve(change, actor=admin)
    change.refresh_from_db()
    assert change.unreviewed
    approve(change, actor=second)
    change.refresh_from_db()
    assert not change.unreviewed


def test_a_closed_request_keeps_who_spoke_for_which_group(legal, admin, author, second, save, propose, approve):
    change = propose(save("first"))
    approve(change, actor=second)
    change_services.publish_change(actor=author, number=change.number)
    groups.change_group(actor=admin, **SUPPORT, name="legal", title="Lawyers")
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="second")
    (group_approval,) = look(change, author).group_approvals
    assert (group_approval.name, group_approval.title, group_approval.people) == ("legal", "Legal", ("second",))


def test_a_group_is_named_by_its_current_title(legal, admin, author, save, propose):
    change = propose(save("first"))
    groups.change_group(actor=admin, **SUPPORT, name="legal", title="Lawyers")
    assert look(change, author).find_blocker("group:legal").cause == "Needs an approval from Lawyers."


def test_those_of_the_group_are_asked(legal, author, save, propose):
    assert "second" in look(propose(save("first")), author).turn.people


def test_a_group_that_a_rule_names_stays(legal, admin):
    with pytest.raises(Conflict, match="A rule of support names the group Legal: change the rule first"):
        groups.remove_group(actor=admin, **SUPPORT, name="legal")
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[])
    groups.remove_group(actor=admin, **SUPPORT, name="legal")


def test_a_rule_names_groups_that_there_are(admin, support):
    with pytest.raises(Invalid, match="legal: not a group of support") as refused:
        rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"groups": ["legal"]}])
    assert list(refused.value.fields) == ["approval_rules"]
    with pytest.raises(Invalid, match="a new namespace has no group yet"):
        services.create_namespace(actor=admin, name="fresh", approval_rules=[{"groups": ["legal"]}])


def test_the_preview_tells_what_will_be_needed(legal, admin, author, save):
    save("one")
    preview = label_preview.find_preview(author, "support/reply", "production", 1)
    assert (preview.approvals_needed, preview.groups) == (1, ("Legal",))
    rules.set_rules(
        actor=admin, **SUPPORT, approval_rules=[{"folder": "elsewhere", "groups": ["legal"], "approvals": 5}]
    )
    preview = label_preview.find_preview(author, "support/reply", "production", 1)
    assert (preview.approvals_needed, preview.groups) == (1, ())


def test_groups_are_read_in_one_query_and_only_where_a_rule_names_one(legal, admin, author, save, propose):
    changes = [propose(save("one", name=f"support/reply{number}")) for number in range(3)]
    rows = [change_queries.get_change(author, change.number) for change in changes]

    def count(listed):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            gate.evaluate_many(listed, author)
        return len([query for query in queries if '"registry_group"' in query["sql"]])

    assert (count(rows[:1]), count(rows)) == (1, 1)
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"approvals": 2}])
    assert count([change_queries.get_change(author, changes[0].number)]) == 0


@pytest.fixture
def owning(admin, second):
    """Legal, with `second` in it, owns the folder `contracts`."""
    groups.make_group(actor=admin, **SUPPORT, title="Legal")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="second")
    rules.set_rules(actor=admin, **SUPPORT, owners=[{"pattern": "contracts/*", "people": [], "groups": ["legal"]}])


def test_a_group_owns_templates(owning, admin, author, second, save, propose, approve):
    change = propose(save("one", name="support/contracts/reply"))
    approve(change)
    assert [it.cause for it in look(change, author).blockers] == ["An owner of contracts/reply has to approve: Legal."]
    assert label_preview.find_preview(author, "support/contracts/reply", "production", 1).owners == ("second",)
    approve(change, actor=second)
    assert look(change, author).blockers == ()
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="second")
    assert [it.code for it in look(change, author).blockers] == ["owners"]
    with pytest.raises(Conflict, match="A rule of support names the group Legal"):
        groups.remove_group(actor=admin, **SUPPORT, name="legal")


def test_the_list_finds_templates_by_the_people_of_the_owning_group(owning, admin, author, save):
    save("one", name="support/contracts/reply")

    def owners():
        return json.loads(SearchEntry.objects.get(name="support/contracts/reply").facts)["owner"]

    assert owners() == ["second"]
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reviewer")
    assert owners() == ["reviewer", "second"]
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="second")
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="reviewer")
    assert owners() == ["author"]


def test_an_owning_group_is_one_that_there_is(admin, support):
    with pytest.raises(Invalid, match="medicine: not a group of support") as refused:
        rules.set_rules(actor=admin, **SUPPORT, owners=[{"pattern": "*", "people": [], "groups": ["medicine"]}])
    assert list(refused.value.fields) == ["owners"]
