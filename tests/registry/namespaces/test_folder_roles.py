"""Roles in folders: their scope, who may have one, how they end and move, and how they count for approvals."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.accounts.actor import Actor
from registry.changes import gate
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces import folder_roles, groups, keys, permissions, queries, services
from registry.namespaces.models import FolderRole, Membership, Role
from registry.namespaces.permissions import MemberRoles, find_role, is_allowed
from registry.namespaces.verbs import TABLE, Verb
from registry.notifications.queries import list_reviewers
from registry.releases import comments as release_comments
from registry.releases import proposals
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.templates import drafts, labels, rename
from registry.templates import queries as template_queries
from registry.templates.rename_losses import UnconfirmedRename

SUPPORT: dict[str, Any] = {"namespace": "support"}
INSIDE, DEEPER, OUTSIDE = "refunds/reply", "refunds/europe/reply", "refunds-old/reply"


@pytest.fixture
def give(admin):
    """Give a person a role in the folder refunds, or in another one."""

    def run(role="author", person="reader", folder="refunds", actor: Actor | None = None, **holder):
        holder = holder or {"person": person}
        return folder_roles.set_folder_role(actor=actor or admin, **SUPPORT, folder=folder, role=role, **holder)

    return run


def verbs_at(actor, namespace, path):
    return {verb for verb in Verb if is_allowed(actor, verb, namespace, path)}


def verbs_up_to(role):
    return {verb for verb, least in TABLE.items() if least.rank <= Role(role).rank}


def kinds():
    return list(Event.objects.order_by("number").values_list("kind", flat=True))


@pytest.mark.parametrize("role", ["author", "reviewer"])
def test_a_role_in_a_folder_gives_its_rights_there_and_nowhere_else(give, reader, support, role):
    give(role)
    assert verbs_at(reader, support, INSIDE) == verbs_at(reader, support, DEEPER) == verbs_up_to(role)
    for path in (OUTSIDE, "refunds", "other/refunds/reply", ""):
        assert verbs_at(reader, support, path) == verbs_up_to("reader")


@pytest.mark.parametrize("role", ["author", "reviewer"])
def test_a_person_who_is_not_a_member_gets_no_folder_role(give, outsider, support, role):
    with pytest.raises(Conflict, match="outsider has no role of their own in support"):
        give(role, "outsider")
    assert verbs_at(outsider, support, INSIDE) == set()


NAMES = st.sampled_from(["refunds", "refunds/europe", "billing"])
PATHS = st.sampled_from(["", INSIDE, DEEPER, OUTSIDE, "billing/x", "x", "billing"])
GIVEN = st.dictionaries(NAMES, st.sampled_from([Role.AUTHOR, Role.REVIEWER]))


@given(own=st.sampled_from(list(Role)), before=GIVEN, folder=NAMES, role=st.sampled_from([Role.AUTHOR, Role.REVIEWER]))
def test_adding_a_folder_role_never_takes_a_right_away(own, before, folder, role):
    less = MemberRoles(own, before)
    more = MemberRoles(own, {**before, folder: max(before.get(folder, own), role, key=lambda it: it.rank)})
    for path in ("", INSIDE, DEEPER, OUTSIDE, "billing/x", "x"):
        assert more.at(path).rank >= less.at(path).rank >= own.rank
    assert more.highest.rank >= less.highest.rank


@given(own=st.sampled_from(list(Role)), folders=GIVEN, paths=st.lists(PATHS, min_size=1))
def test_a_right_at_all_paths_is_one_at_each_and_at_any_at_some(own, folders, paths):
    roles = MemberRoles(own, folders)
    ranks = [roles.at(path).rank for path in paths]
    assert (roles.at_all(paths).rank, roles.at_any(paths).rank) == (min(ranks), max(ranks))


def test_of_folders_on_the_way_the_highest_role_counts(give, reader, support):
    give("reviewer")
    give("author", folder="refunds/europe")
    assert is_allowed(reader, Verb.APPROVE, support, DEEPER)
    give(None)
    assert not is_allowed(reader, Verb.APPROVE, support, DEEPER)
    assert is_allowed(reader, Verb.SAVE, support, DEEPER)


def test_the_role_in_the_namespace_stays_what_it_is(give, reader, support):
    give("reviewer")
    assert find_role(reader.person, support) == "reader"


def test_a_folder_author_works_there_from_draft_to_publishing(give, reader, reviewer, save, approve, support):
    give("author")
    drafts.save_draft(actor=reader, namespace="support", path=INSIDE, document="x", samples="", base=None, message="")
    version = save("one", name=f"support/{INSIDE}", actor=reader)
    labels.move_label(actor=reader, name=f"support/{INSIDE}", label="staging", version=version.number, expected=None)
    change = change_services.propose_change(
        actor=reader, name=f"support/{INSIDE}", label="production", version=version.number, message=""
    )
    approve(change)
    assert change_services.publish_change(actor=reader, number=change.number).state == "published"


def test_outside_of_the_folder_the_refusal_says_where(give, reader, save):
    give("author")
    with pytest.raises(NotAllowed, match="You need the role author to save in support/billing; reader is reader"):
        save("one", name="support/billing/reply", actor=reader)


def test_a_draft_without_a_name_may_be_begun_by_who_writes_somewhere(give, reader):
    fields: dict[str, Any] = {"document": "x", "samples": "", "base": None, "message": ""}
    with pytest.raises(NotAllowed):
        drafts.save_draft(actor=reader, namespace="support", path="", **fields)
    give("author")
    assert drafts.save_draft(actor=reader, namespace="support", path="", **fields).document == "x"


def test_the_approval_of_a_folder_reviewer_counts_in_the_folder_only(give, author, reader, save, propose, approve):
    give("reviewer")
    change = propose(save("one", name=f"support/{INSIDE}"))
    approve(change, actor=reader)
    assert change_services.publish_change(actor=author, number=change.number).state == "published"
    other = propose(save("one", name="support/billing/reply"))
    assert "needs the role reviewer" in gate.evaluate(other, reader).refusal
    with pytest.raises(NotAllowed):
        approve(other, actor=reader)
    assert reader.person in list_reviewers(change.template)
    assert reader.person not in list_reviewers(other.template)


def test_an_approval_counts_no_more_when_the_folder_role_is_taken(give, author, reader, save, propose, approve):
    give("reviewer")
    change = propose(save("one", name=f"support/{INSIDE}"))
    approve(change, actor=reader)
    change.refresh_from_db()
    assert change.state == "approved"
    give(None)
    change.refresh_from_db()
    assert change.state == "open"
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=author, number=change.number)


def test_only_those_who_may_approve_there_are_waited_for(give, reader, save, propose):
    give("reviewer")
    inside = gate.evaluate(propose(save("one", name=f"support/{INSIDE}")), reader)
    outside = gate.evaluate(propose(save("one", name="support/billing/reply")), reader)
    assert [set(it.blockers[0].waiting_for) for it in (inside, outside)] == [
        {"admin", "reader", "reviewer"},
        {"admin", "reviewer"},
    ]


def test_whom_a_contributor_gives_a_folder_role_cannot_approve_the_change(give, admin, reader, save, propose):
    change = propose(save("first", name=f"support/{INSIDE}", actor=admin), actor=admin)
    give("reviewer")
    fault = gate.evaluate(change, reader).refusal
    assert fault.startswith("You have the role reviewer in support/refunds from admin, who contributed")


def test_a_folder_role_that_a_contributor_gave_elsewhere_changes_nothing(give, admin, reader, save, propose):
    services.set_role(actor=admin, **SUPPORT, username="reader", role="author")
    give("reviewer")
    change = propose(save("first", name=f"support/{INSIDE}", actor=admin), actor=admin)
    give("reviewer", folder="billing")
    assert gate.evaluate(change, reader).may_approve


def test_whose_group_a_contributor_gives_a_folder_role_cannot_approve(give, admin, reader, save, propose):
    groups.make_group(actor=admin, **SUPPORT, title="Legal", role="reader")
    groups.add_to_group(actor=admin, **SUPPORT, name="legal", username="reader")
    change = propose(save("first", name=f"support/{INSIDE}", actor=admin), actor=admin)
    give("reviewer", group="legal")
    assert "reviewer in support/refunds from admin" in gate.evaluate(change, reader).refusal


def test_a_contributor_who_moves_a_template_to_a_reviewer_wins_no_approval(give, admin, reader, save, propose):
    give("reviewer")
    change = propose(save("first", name="support/billing/reply", actor=admin), actor=admin)
    rename_confirmed(admin, "support/billing/reply", f"support/{INSIDE}")
    change.refresh_from_db()
    fault = gate.evaluate(change, reader).refusal
    assert fault.startswith(f"You have the role reviewer for support/{INSIDE} because admin, who contributed")
    rename.rename_template(actor=admin, name=f"support/{INSIDE}", to="support/refunds/answer")
    change.refresh_from_db()
    assert "because admin" in gate.evaluate(change, reader).refusal


def rename_confirmed(actor, name, to):
    """Rename a template into a folder with roles, after reading whom that concerns."""
    with pytest.raises(UnconfirmedRename) as refusal:
        rename.rename_template(actor=actor, name=name, to=to)
    rename.rename_template(actor=actor, name=name, to=to, confirmed=str(refusal.value.facts["seal"]))


def test_a_role_follows_its_folder_to_a_new_name(give, admin, reader, save, support, propose):
    give("reviewer")
    give("author", folder="refunds/europe", person="author")
    change = propose(save("one", name=f"support/{INSIDE}"))
    rename.rename_folder(actor=admin, folder="support/refunds", to="support/money/back")
    held = {(row.folder, row.role) for row in FolderRole.objects.all()}
    assert held == {("money/back", "reviewer"), ("money/back/europe", "author")}
    assert is_allowed(reader, Verb.APPROVE, support, "money/back/reply")
    assert not is_allowed(reader, Verb.SAVE, support, INSIDE)
    change.refresh_from_db()
    assert gate.evaluate(change, reader).may_approve
    assert kinds()[-2:] == ["folder_role.set", "folder_role.set"]


@pytest.mark.parametrize("target", ["support/billing", "support"])
def test_a_folder_with_roles_is_not_renamed_into_one_whose_templates_they_would_reach(give, admin, save, target):
    give("reviewer")
    save("one", name=f"support/{INSIDE}")
    save("one", name="support/billing/other")
    with pytest.raises(Conflict, match="reader would get the same role for more templates"):
        rename.rename_folder(actor=admin, folder="support/refunds", to=target)
    assert template_queries.find_template(admin, Verb.READ, f"support/{INSIDE}").name == f"support/{INSIDE}"


def test_a_group_gives_its_folder_role_to_its_members(give, admin, reader, support):
    groups.make_group(actor=admin, **SUPPORT, title="Refunds", role="reader")
    give("reviewer", group="refunds")
    assert not is_allowed(reader, Verb.APPROVE, support, INSIDE)
    groups.add_to_group(actor=admin, **SUPPORT, name="refunds", username="reader")
    assert is_allowed(reader, Verb.APPROVE, support, INSIDE)
    groups.remove_from_group(actor=admin, **SUPPORT, name="refunds", username="reader")
    assert not is_allowed(reader, Verb.APPROVE, support, INSIDE)


def test_a_group_without_a_role_gets_none_in_a_folder(give, admin):
    groups.make_group(actor=admin, **SUPPORT, title="Refunds")
    with pytest.raises(Conflict, match="The group Refunds has no role in support"):
        give("author", group="refunds")


def test_the_folder_roles_of_a_group_end_with_its_role_and_with_the_group(give, admin, reader, support):
    for act in ("role", "group"):
        groups.make_group(actor=admin, **SUPPORT, title=act, role="reader")
        groups.add_to_group(actor=admin, **SUPPORT, name=act, username="reader")
        give("author", group=act)
    groups.change_group(actor=admin, **SUPPORT, name="role", role="")
    assert [row.group.name for row in folder_roles.list_folder_roles(admin, "support")] == ["group"]
    groups.remove_group(actor=admin, **SUPPORT, name="group")
    assert folder_roles.list_folder_roles(admin, "support") == []
    assert not is_allowed(reader, Verb.SAVE, support, INSIDE)


def test_a_removed_member_loses_folder_roles_permanently(give, admin, reader, support):
    give("reviewer")
    services.set_role(actor=admin, **SUPPORT, username="reader", role=None)
    assert Event.objects.latest("number").text.count('"folders":["refunds"]') == 1
    services.set_role(actor=admin, **SUPPORT, username="reader", role="reader")
    assert not is_allowed(reader, Verb.APPROVE, support, INSIDE)


def test_a_membership_keeps_what_counts_in_one_row(give, admin, support, reader):
    give("reviewer")
    give("author", folder="billing")
    row = Membership.objects.get(namespace=support, person=reader.person)
    assert (row.role, row.folder_roles, row.highest_folder_role) == (
        "reader",
        {"billing": "author", "refunds": "reviewer"},
        "reviewer",
    )
    services.set_role(actor=admin, **SUPPORT, username="reader", role="author")
    row.refresh_from_db()
    assert (row.role, row.folder_roles, row.highest_folder_role) == ("author", {"refunds": "reviewer"}, "reviewer")


def test_a_right_at_a_path_takes_one_query(give, reader, support, django_assert_num_queries):
    give("reviewer")
    with django_assert_num_queries(1):
        permissions.require_verb(reader, Verb.APPROVE, support, INSIDE)


def test_a_key_has_the_role_in_the_namespace_only(give, admin, reader, save, support):
    give("reviewer")
    with pytest.raises(Invalid, match="reader is reader, so a key of theirs can't"):
        keys.issue_key(actor=admin, **SUPPORT, name="ci", scope="write", person="reader")
    services.set_role(actor=admin, **SUPPORT, username="reader", role="author")
    issued = keys.issue_key(actor=admin, **SUPPORT, name="ci", scope="write", person="reader").key
    services.set_role(actor=admin, **SUPPORT, username="reader", role="reader")
    by_key = Actor(reader.person, issued)
    assert not is_allowed(by_key, Verb.SAVE, support, INSIDE)
    with pytest.raises(NotAllowed, match="A key acts with the role in the namespace, without those in folders"):
        save("one", name=f"support/{INSIDE}", actor=by_key)


def test_two_step_sign_in_is_asked_of_who_writes_in_a_folder(give, reader, support):
    give("author")
    support.two_step_required = True
    support.save()
    assert queries.list_namespaces_closed_without_two_step(reader) == ["support"]
    assert not is_allowed(reader, Verb.SAVE, support, INSIDE)
    assert is_allowed(reader, Verb.READ, support, INSIDE)


def test_a_release_takes_the_right_to_each_of_its_templates(give, author, admin, reader, reviewer, save):
    give("author")
    inside, outside = save("one", name=f"support/{INSIDE}"), save("one", name="support/billing/reply")
    fields: dict[str, Any] = {**SUPPORT, "label": "production", "title": "Both"}
    both = ReleaseSelection(versions={f"support/{INSIDE}": inside.number, "support/billing/reply": outside.number})
    with pytest.raises(NotAllowed, match="You need the role author to propose in support/billing"):
        proposals.propose_release(actor=reader, selection=both, **fields)
    release = proposals.propose_release(actor=author, selection=both, **fields).release
    with pytest.raises(NotAllowed):
        release_services.publish_release(actor=reader, number=release.number)
    with pytest.raises(NotAllowed):
        release_services.withdraw_release(actor=reader, number=release.number, reason="no")
    assert release_comments.comment_on_release(actor=reader, number=release.number, text="Fine").text == "Fine"
    give("author", folder="billing")
    release_services.withdraw_release(actor=author, number=release.number, reason="again")
    assert proposals.propose_release(actor=reader, selection=both, **fields).release.is_open


def test_a_folder_reviewer_approves_of_a_release_what_is_in_the_folder(give, author, reader, save):
    give("reviewer")
    names = [f"support/{INSIDE}", "support/billing/reply"]
    selection = ReleaseSelection(versions={name: save("one", name=name).number for name in names})
    release = proposals.propose_release(
        actor=author, **SUPPORT, label="production", title="Both", selection=selection
    ).release
    members = {row.template.name: row for row in release.members.select_related("template", "version")}
    digests = {name: {members[name].number: members[name].version.digest} for name in names}
    release_services.approve_release(actor=reader, number=release.number, digests=digests[names[0]])
    with pytest.raises(NotAllowed):
        release_services.approve_release(actor=reader, number=release.number, digests=digests[names[1]])


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"role": "admin"}, "role"),
        ({"role": "reader"}, "role"),
        ({"folder": ""}, "folder"),
        ({"folder": " / "}, "folder"),
        ({"folder": "Refunds"}, "folder"),
        ({"folder": "a/" * 9 + "a"}, "folder"),
    ],
)
def test_invalid_fields_are_named(give, fields, named):
    with pytest.raises(Invalid) as error:
        give(**fields)
    assert list(error.value.fields) == [named]


@pytest.mark.parametrize("holder", [{}, {"person": "reader", "group": "legal"}])
def test_a_folder_role_is_given_to_one_person_or_one_group(admin, holder):
    with pytest.raises(Invalid, match="either a person or a group"):
        folder_roles.set_folder_role(actor=admin, **SUPPORT, folder="refunds", role="author", **holder)


def test_a_missing_person_or_group_is_not_found(give):
    for holder in ({"person": "nobody"}, {"group": "nobody"}):
        with pytest.raises(NotFound):
            give(**holder)


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_only_admins_give_roles_in_folders(give, request, role):
    with pytest.raises(NotAllowed):
        give(actor=request.getfixturevalue(role))


def test_every_member_may_see_them_and_nobody_else(give, reader, outsider):
    give("author")
    assert [row.folder for row in folder_roles.list_folder_roles(reader, "support")] == ["refunds"]
    with pytest.raises(NotFound):
        folder_roles.list_folder_roles(outsider, "support")


def test_giving_the_same_role_again_writes_no_event(give):
    give("author")
    before = Event.objects.count()
    give("author", folder="/refunds/")
    give(None, folder="billing")
    assert Event.objects.count() == before
