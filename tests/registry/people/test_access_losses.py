"""The effect of group and folder role changes on open requests, schedules and rollouts, shown in advance."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, emergencies, rules, schedules
from registry.changes import services as change_services
from registry.core.errors import Conflict, NotAllowed, NotFound, ProofRequired
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import folder_roles, groups, permissions
from registry.namespaces.models import Group, GroupMember
from registry.namespaces.verbs import Verb
from registry.people import administration, group_access, role_effects
from registry.people.access_losses import UnconfirmedLosses
from registry.people.queries import describe_effects_of_deactivation
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from tests.support.sessions import manage_accounts

SUPPORT: dict[str, Any] = {"namespace": "support"}


@pytest.fixture
def second(support, admin):
    """A reviewer by the group Legal alone."""
    person = User.objects.create(username="second")
    groups.make_group(actor=admin, **SUPPORT, title="Legal", role="reviewer")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="second")
    return Actor(person)


@pytest.fixture
def installation_admin(admin):
    manage_accounts(admin.person)
    return admin


@pytest.fixture
def change(second, propose, save, approve):
    change = propose(save("one"))
    approve(change, actor=second)
    return change


ACTS = {
    "another role": lambda admin, confirmed: group_access.change_group(
        actor=admin, **SUPPORT, name="legal", role="reader", confirmed=confirmed
    ),
    "no role": lambda admin, confirmed: group_access.change_group(
        actor=admin, **SUPPORT, name="legal", role="", confirmed=confirmed
    ),
    "removed": lambda admin, confirmed: group_access.remove_group(
        actor=admin, **SUPPORT, name="legal", confirmed=confirmed
    ),
    "left": lambda admin, confirmed: group_access.remove_from_group(
        actor=admin, **SUPPORT, name="legal", username="second", confirmed=confirmed
    ),
}


@pytest.mark.parametrize("name", ACTS)
def test_an_approval_that_would_not_count_is_named_and_nothing_is_done_until_it_is_confirmed(admin, change, name):
    before = Event.objects.count()
    for wrong in ("", "another seal"):
        with pytest.raises(UnconfirmedLosses) as refusal:
            ACTS[name](admin, wrong)
    assert refusal.value.losses.sentences == [f"second's approval of change {change.number} will not count any more."]
    assert refusal.value.facts["seal"] == refusal.value.losses.seal
    assert Event.objects.count() == before
    assert GroupMember.objects.filter(group__name="legal", group__role="reviewer").count() == 1
    ACTS[name](admin, refusal.value.losses.seal)
    assert Event.objects.count() == before + 1


def test_the_previews_say_the_same_and_store_nothing(admin, change):
    before = Event.objects.count()
    asking = Actor(admin.person, missing_proof="password")
    losses_by_preview = [
        group_access.preview_group(asking, "support", "legal", role) for role in ("reader", "", None)
    ] + [group_access.preview_leaving(asking, "support", "legal", "second")]
    assert {losses.approvals for losses in losses_by_preview} == {(("second", change.number),)}
    assert group_access.preview_group(asking, "support", "legal", "admin").sentences == []
    assert Event.objects.count() == before
    assert Group.objects.get(name="legal").role == "reviewer"


def test_the_action_requires_a_recent_proof(admin, change):
    with pytest.raises(ProofRequired):
        ACTS["removed"](Actor(admin.person, missing_proof="password"), "")


def test_a_new_title_needs_no_confirmation(admin, change):
    assert group_access.change_group(actor=admin, **SUPPORT, name="legal", title="Lawyers").title == "Lawyers"


def test_an_approval_that_no_longer_counts_for_its_group_is_named(admin, reviewer, propose, save, approve):
    groups.make_group(actor=admin, **SUPPORT, title="Legal")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reviewer")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="admin")
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"groups": ["legal"]}])
    change = propose(save("one"))
    approve(change)
    losses = group_access.preview_leaving(admin, "support", "legal", "reviewer")
    assert losses.sentences == [f"reviewer's approval of change {change.number} will not count for Legal any more."]
    group_access.remove_from_group(actor=admin, **SUPPORT, name="legal", username="admin")
    losses = group_access.preview_leaving(admin, "support", "legal", "reviewer")
    assert losses.without_approvers == (change.number,)


def test_a_role_in_a_folder_that_an_approval_depends_on_is_named(admin, support, propose, save, approve):
    groups.make_group(actor=admin, **SUPPORT, title="Legal", role="reader")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reader")
    folder_roles.set_folder_role(actor=admin, **SUPPORT, folder="refunds", role="reviewer", group="legal")
    reader = Actor(User.objects.get(username="reader"))
    change = propose(save("one", name="support/refunds/reply"))
    approve(change, actor=reader)
    take = {"actor": admin, **SUPPORT, "folder": "/refunds/", "group": "legal"}
    for role in (None, "author"):
        with pytest.raises(UnconfirmedLosses) as refusal:
            group_access.set_folder_role(role=role, **take)
        assert refusal.value.losses.sentences == [
            f"reader's approval of change {change.number} will not count any more."
        ]
    preview = group_access.preview_folder_role(admin, "support", "refunds", None, None, "legal")
    group_access.set_folder_role(role=None, confirmed=preview.seal, **take)
    assert not permissions.is_allowed(reader, Verb.APPROVE, support, "refunds/reply")
    assert group_access.set_folder_role(role=None, **take) is None


def test_the_roles_in_folders_that_end_with_a_group_are_named(admin, support):
    groups.make_group(actor=admin, **SUPPORT, title="Legal", role="reader")
    folder_roles.set_folder_role(actor=admin, **SUPPORT, folder="refunds", role="reviewer", group="legal")
    for role in ("", None):
        losses = group_access.preview_group(admin, "support", "legal", role)
        assert losses.sentences == ["The role of Legal in the folder refunds ends too."]
    assert group_access.preview_group(admin, "support", "legal", "author").sentences == []


def test_a_schedule_of_a_person_who_could_no_longer_publish_is_named(installation_admin, admin, second, propose, save):
    change = propose(save("one"))
    schedules.schedule_change(actor=second, number=change.number, at=log.now() + timedelta(hours=2))
    losses = group_access.preview_leaving(admin, "support", "legal", "second")
    assert losses.schedules == (("second", change.number),)
    assert describe_effects_of_deactivation(installation_admin, "second").schedules == [change.number]
    assert losses.sentences == [
        f"second scheduled change {change.number} and could not publish it any more: it would not go live."
    ]
    assert group_access.preview_group(admin, "support", "legal", "author").schedules == ()


def test_the_schedule_of_a_member_whose_role_changes_is_named(admin, author, propose, save):
    change = propose(save("one"))
    schedules.schedule_change(actor=author, number=change.number, at=log.now() + timedelta(hours=2))
    with pytest.raises(role_effects.RoleLosses) as refusal:
        role_effects.set_role(actor=admin, **SUPPORT, username="author", role="reader")
    assert refusal.value.effects.losses.schedules == (("author", change.number),)


def test_a_release_that_its_person_could_not_publish_is_named(installation_admin, admin, second, save):
    versions = {f"support/{name}": save("one", name=f"support/{name}").number for name in ("first", "other")}
    release = proposals.propose_release(
        actor=second, **SUPPORT, label="production", title="Both", selection=ReleaseSelection(versions=versions)
    ).release
    release_schedules.schedule_release(actor=second, number=release.number, at=log.now() + timedelta(hours=2))
    losses = group_access.preview_leaving(admin, "support", "legal", "second")
    assert losses.releases == (("second", release.number),)
    assert describe_effects_of_deactivation(installation_admin, "second").releases == [release.number]
    assert losses.sentences == [
        f"second scheduled release {release.number} and could not publish it any more: it would not go live."
    ]


def test_a_rollout_that_would_be_paused_is_named(installation_admin, admin, second, propose, save, publish, approve):
    publish(save("one"))
    change = propose(save("two"))
    approve(change)
    steps = [{"share": 500, "hours": 24}, {"share": 5000, "hours": None}]
    rollout = rollout_services.start_rollout(actor=second, change=change.number, steps=steps)
    losses = group_access.preview_leaving(admin, "support", "legal", "second")
    assert losses.rollouts == (("second", rollout.number),)
    assert describe_effects_of_deactivation(installation_admin, "second").rollouts == [rollout.number]
    rollout_services.pause_rollout(actor=second, number=rollout.number, reason="Wait")
    assert group_access.preview_leaving(admin, "support", "legal", "second").rollouts == ()


def test_other_refusals_come_before_the_losses(admin, reviewer, change):
    with pytest.raises(NotAllowed):
        group_access.preview_group(reviewer, "support", "legal", None)
    with pytest.raises(NotFound):
        group_access.preview_group(admin, "support", "medicine", None)
    rules.set_rules(actor=admin, **SUPPORT, approval_rules=[{"groups": ["legal"]}])
    with pytest.raises(Conflict, match="names the group Legal"):
        group_access.remove_group(actor=admin, **SUPPORT, name="legal")


def test_a_rollout_belongs_to_who_resumed_it_last(
    installation_admin, admin, second, author, propose, save, publish, approve
):
    publish(save("one"))
    change = propose(save("two"))
    approve(change)
    rollout = rollout_services.start_rollout(actor=second, change=change.number)
    rollout_services.pause_rollout(actor=second, number=rollout.number)
    rollout_services.resume_rollout(actor=admin, number=rollout.number)
    assert describe_effects_of_deactivation(installation_admin, "second").rollouts == []
    assert describe_effects_of_deactivation(installation_admin, "admin").rollouts == [rollout.number]


def test_the_approvals_that_a_deactivation_takes_away_are_named(
    installation_admin, change, second, author, save, propose, approve
):
    outdated = propose(save("two"))
    approve(outdated, actor=second)
    change_services.set_head(actor=author, number=outdated.number, version=save("three").number)
    taken_back = propose(save("four"))
    approve(taken_back, actor=second)
    digest = taken_back.version.digest
    decisions.decide_on_change(actor=second, number=taken_back.number, decision="take_back", digest=digest)
    assert describe_effects_of_deactivation(installation_admin, "second").approvals == [change.number]
    assert describe_effects_of_deactivation(installation_admin, "reviewer").approvals == []
    administration.deactivate_person(actor=installation_admin, username="second")
    change.refresh_from_db()
    assert change.state == "open"
    assert describe_effects_of_deactivation(installation_admin, "second").approvals == []


def test_the_approval_of_an_emergency_that_needs_a_second_one_is_named(
    installation_admin, admin, reviewer, second, propose, save, approve
):
    rules.set_rules(actor=admin, namespace="support", approvals=2, break_glass=True)
    number = propose(save("one")).number
    change = emergencies.publish_in_emergency(actor=reviewer, number=number, reason="Nothing works")
    approve(change, actor=second)
    assert describe_effects_of_deactivation(installation_admin, "second").approvals == [number]


def test_ten_approvals_cost_as_many_queries_as_one(installation_admin, change, second, save, propose, approve):
    describe_effects_of_deactivation(installation_admin, "second")
    with CaptureQueriesContext(connection) as one:
        describe_effects_of_deactivation(installation_admin, "second")
    for mark in "abcdefghi":
        approve(propose(save(mark)), actor=second)
    with CaptureQueriesContext(connection) as ten:
        assert len(describe_effects_of_deactivation(installation_admin, "second").approvals) == 10
    assert len(ten) == len(one)
