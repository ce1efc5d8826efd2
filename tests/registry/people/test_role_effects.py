"""The effect of a person's new role on open requests, shown before it is set."""

import pytest

from registry.changes import decisions, rules
from registry.core.errors import NotAllowed
from registry.journal.models import Event
from registry.namespaces import folder_roles, groups
from registry.namespaces.models import Membership
from registry.people.role_effects import find_role_effects


def test_an_approval_that_would_not_count_is_named_and_nothing_is_stored(admin, change, approve):
    approve(change)
    before = Event.objects.count()
    effects = find_role_effects(admin, "support", "reviewer", "author")
    assert (effects.role_before, effects.losses.approvals) == ("reviewer", (("reviewer", change.number),))
    assert effects.sentences == [f"reviewer's approval of change {change.number} will not count any more."]
    assert Membership.objects.get(person__username="reviewer", namespace__name="support").role == "reviewer"
    assert Event.objects.count() == before


def test_an_objection_that_would_not_count_is_named(admin, reviewer, change):
    digest = change.version.digest
    decisions.decide_on_change(
        actor=reviewer, number=change.number, decision="request_changes", digest=digest, text="Shorter"
    )
    assert find_role_effects(admin, "support", "reviewer", None).losses.objections == (("reviewer", change.number),)


def test_a_change_that_too_few_could_approve_is_named(admin, change):
    assert find_role_effects(admin, "support", "reviewer", "reader").sentences == []
    rules.set_rules(actor=admin, namespace="support", approvals=2)
    effects = find_role_effects(admin, "support", "reviewer", "reader")
    assert effects.losses.without_approvers == (change.number,)
    assert effects.sentences == [f"Too few people will be left who can approve change {change.number}."]


def test_roles_in_folders_end_with_the_role_in_the_namespace_only(admin, support):
    folder_roles.set_folder_role(
        actor=admin, namespace="support", folder="refunds", role="reviewer", person="reader", group=None
    )
    assert find_role_effects(admin, "support", "reader", None).folders == ("refunds",)
    assert find_role_effects(admin, "support", "reader", "author").folders == ()


def test_a_group_that_gives_the_role_as_well_keeps_the_approval(admin, change, approve):
    approve(change)
    groups.make_group(actor=admin, namespace="support", title="Legal", role="reviewer")
    groups.add_to_group(actor=admin, namespace="support", name="legal", username="reviewer")
    assert find_role_effects(admin, "support", "reviewer", "reader").sentences == []


def test_the_seal_changes_with_what_would_be_lost(admin, change, approve):
    first = find_role_effects(admin, "support", "reviewer", "author")
    approve(change)
    assert find_role_effects(admin, "support", "reviewer", "author").seal != first.seal


def test_an_unchanged_role_has_no_effects(admin, change, approve):
    approve(change)
    assert find_role_effects(admin, "support", "reviewer", "reviewer").sentences == []
    assert find_role_effects(admin, "support", "nobody", None).sentences == []


def test_it_is_for_admins(reviewer, change):
    with pytest.raises(NotAllowed):
        find_role_effects(reviewer, "support", "author", None)
