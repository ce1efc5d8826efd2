"""Groups of people: the roles that they grant, who may change them, and refusals."""

from typing import Any

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import decisions, gate
from registry.changes import services as change_services
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotAllowed, NotFound, ProofRequired
from registry.journal.models import Event
from registry.namespaces import group_queries, groups, keys, permissions, roles, services
from registry.namespaces.models import Group, Membership
from registry.namespaces.permissions import find_role, is_allowed
from registry.namespaces.verbs import Verb

SUPPORT: dict[str, Any] = {"namespace": "support"}


@pytest.fixture
def legal(admin):
    return groups.make_group(actor=admin, **SUPPORT, title="Legal", role="reviewer")


def join(admin, *usernames, name="legal"):
    for username in usernames:
        groups.add_to_group(actor=admin, **SUPPORT, name=name, username=username)


def kinds():
    return list(Event.objects.order_by("number").values_list("kind", flat=True))


def test_a_group_member_has_its_role_until_removed(legal, admin, reader, support):
    join(admin, "reader")
    assert find_role(reader.person, support) == "reviewer"
    assert is_allowed(reader, Verb.APPROVE, support)
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="reader")
    assert find_role(reader.person, support) == "reader"
    assert not is_allowed(reader, Verb.APPROVE, support)
    assert kinds()[-2:] == ["group.joined", "group.left"]


def test_a_group_never_lowers_a_role(admin, reviewer, support):
    groups.make_group(actor=admin, **SUPPORT, title="Watchers", role="reader")
    join(admin, "reviewer", name="watchers")
    assert find_role(reviewer.person, support) == "reviewer"


def test_of_several_groups_the_highest_role_counts(legal, admin, reader, support):
    groups.make_group(actor=admin, **SUPPORT, title="Writers", role="author")
    join(admin, "reader")
    join(admin, "reader", name="writers")
    assert find_role(reader.person, support) == "reviewer"
    groups.remove_group(actor=admin, **SUPPORT, name="legal")
    assert find_role(reader.person, support) == "author"


def test_a_stranger_is_a_member_as_long_as_the_group_has_a_role(legal, admin, outsider, support):
    join(admin, "outsider")
    assert find_role(outsider.person, support) == "reviewer"
    groups.change_group(actor=admin, **SUPPORT, name="legal", role="")
    assert find_role(outsider.person, support) is None
    assert not Membership.objects.filter(namespace=support, person=outsider.person).exists()
    with pytest.raises(NotFound):
        group_queries.list_groups(outsider, "support")


def test_another_role_of_the_group_holds_for_all_in_it(legal, admin, reader, author, support):
    join(admin, "reader", "author")
    groups.change_group(actor=admin, **SUPPORT, name="legal", role="author")
    assert [find_role(person.person, support) for person in (reader, author)] == ["author", "author"]


def test_the_role_given_to_a_person_comes_and_goes_next_to_those_of_groups(legal, admin, reader, support):
    join(admin, "reader")
    kept = services.set_role(actor=admin, **SUPPORT, username="reader", role=None)
    assert (kept.role, kept.own_role) == ("reviewer", "")
    raised = services.set_role(actor=admin, **SUPPORT, username="reader", role="admin")
    assert (raised.role, raised.own_role) == ("admin", "admin")
    services.set_role(actor=admin, **SUPPORT, username="reader", role=None)
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="reader")
    assert find_role(reader.person, support) is None


def test_a_key_acts_with_the_role_that_a_group_gives(legal, admin, reader, support):
    join(admin, "reader")
    issued = keys.issue_key(actor=admin, **SUPPORT, name="ci", scope="write", person="reader").key
    by_key = Actor(reader.person, issued)
    assert is_allowed(by_key, Verb.SAVE, support)
    groups.remove_group(actor=admin, **SUPPORT, name="legal")
    assert not is_allowed(by_key, Verb.SAVE, support)


def test_an_approval_of_a_former_group_member_does_not_count(legal, admin, reader, save, propose, author):
    join(admin, "reader")
    change = propose(save("first"))
    decisions.decide_on_change(actor=reader, number=change.number, decision="approve", digest=change.version.digest)
    change.refresh_from_db()
    assert change.state == "approved"
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="reader")
    change.refresh_from_db()
    assert change.state == "open"
    with pytest.raises(ApprovalRequired):
        change_services.publish_change(actor=author, number=change.number)


def test_whom_a_contributor_puts_into_a_group_cannot_approve_the_change(legal, admin, reader, save, propose):
    change = propose(save("first", actor=admin), actor=admin)
    join(admin, "reader")
    fault = gate.evaluate(change, reader).refusal
    assert fault.startswith("You were put into the group Legal by admin, who contributed to this change")


def test_whose_group_a_contributor_raises_cannot_approve_the_change(admin, reader, save, propose):
    groups.make_group(actor=admin, **SUPPORT, title="Legal")
    join(admin, "reader")
    change = propose(save("first", actor=admin), actor=admin)
    groups.change_group(actor=admin, **SUPPORT, name="legal", role="reviewer")
    fault = gate.evaluate(change, reader).refusal
    assert fault.startswith("You have the role reviewer in support from admin, who contributed to this change")


def test_another_title_changes_nothing_else(legal, admin, reader, support):
    join(admin, "reader")
    renamed = groups.change_group(actor=admin, **SUPPORT, name="legal", title="  The \t lawyers ")
    assert (renamed.name, renamed.title, renamed.role) == ("legal", "The lawyers", "reviewer")
    assert find_role(reader.person, support) == "reviewer"


def test_an_act_without_effect_writes_no_event(legal, admin):
    join(admin, "reader")
    before = Event.objects.count()
    join(admin, "reader")
    groups.change_group(actor=admin, **SUPPORT, name="legal", title="Legal", role="reviewer")
    groups.remove_from_group(actor=admin, **SUPPORT, name="legal", username="author")
    assert Event.objects.count() == before


def test_the_name_is_made_of_the_title_unless_it_is_given(admin):
    assert groups.make_group(actor=admin, **SUPPORT, title="Refund owners").name == "refund-owners"
    assert groups.make_group(actor=admin, **SUPPORT, title="Über alles", name="top").name == "top"


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"title": ""}, "title"),
        ({"title": "\u0007"}, "title"),
        ({"title": "x" * 81}, "title"),
        ({"title": "Legal", "role": "owner"}, "role"),
        ({"title": "Legal", "name": "Not a slug"}, "name"),
        ({"title": "???"}, "name"),
    ],
)
def test_a_wrong_field_is_named(admin, fields, named):
    with pytest.raises(Invalid) as refused:
        groups.make_group(actor=admin, **SUPPORT, **fields)
    assert list(refused.value.fields) == [named]
    assert not Group.objects.exists()


def test_two_groups_of_a_namespace_have_two_names(legal, admin):
    with pytest.raises(Conflict, match=r"There is a group legal in support already\."):
        groups.make_group(actor=admin, **SUPPORT, title="Legal!")


def test_there_is_a_limit_of_groups_and_of_people(legal, admin, monkeypatch):
    monkeypatch.setattr(groups, "MAX_GROUPS", 1)
    monkeypatch.setattr(groups, "MAX_PEOPLE", 1)
    with pytest.raises(Conflict, match="has 1 groups already"):
        groups.make_group(actor=admin, **SUPPORT, title="Another")
    join(admin, "reader")
    with pytest.raises(Conflict, match="has 1 people already"):
        join(admin, "author")


def test_unknown_and_deactivated_people_cannot_join_a_group(legal, admin, operator):
    User.objects.create(username="asleep", is_active=False)
    for username in ("nobody", "asleep", "operator"):
        with pytest.raises(NotFound, match="There is no active account"):
            join(admin, username)
    with pytest.raises(NotFound, match=r"There is no group medicine in support\."):
        join(admin, "reader", name="medicine")


@pytest.mark.parametrize("role", ["reader", "author", "reviewer"])
def test_only_admins_change_groups(legal, role, request):
    actor = request.getfixturevalue(role)
    for act in (
        lambda: groups.make_group(actor=actor, **SUPPORT, title="Mine", role="admin"),
        lambda: groups.change_group(actor=actor, **SUPPORT, name="legal", role="admin"),
        lambda: groups.add_to_group(actor=actor, **SUPPORT, name="legal", username=role),
        lambda: groups.remove_from_group(actor=actor, **SUPPORT, name="legal", username=role),
        lambda: groups.remove_group(actor=actor, **SUPPORT, name="legal"),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_a_group_of_another_namespace_is_out_of_reach(legal, outsider):
    with pytest.raises(NotFound):
        groups.add_to_group(actor=outsider, namespace="support", name="legal", username="outsider")
    with pytest.raises(NotFound, match=r"There is no group legal in elsewhere\."):
        groups.add_to_group(actor=outsider, namespace="elsewhere", name="legal", username="outsider")


def test_no_key_changes_groups(legal, admin):
    issued = keys.issue_key(actor=admin, **SUPPORT, name="ci", scope="write", person="admin").key
    with pytest.raises(NotAllowed, match="A key can't"):
        groups.add_to_group(actor=Actor(admin.person, issued), **SUPPORT, name="legal", username="reader")


def test_a_group_takes_a_fresh_proof(legal, admin):
    old = Actor(admin.person, missing_proof="password")
    with pytest.raises(ProofRequired):
        groups.add_to_group(actor=old, **SUPPORT, name="legal", username="reader")
    assert not legal.members.exists()


def test_the_last_admin_stays_one_whether_by_group_or_not(admin, reader, support):
    groups.make_group(actor=admin, **SUPPORT, title="Owners", role="admin")
    join(admin, "admin", name="owners")
    services.set_role(actor=admin, **SUPPORT, username="admin", role=None)
    for act in (
        lambda: groups.remove_from_group(actor=admin, **SUPPORT, name="owners", username="admin"),
        lambda: groups.change_group(actor=admin, **SUPPORT, name="owners", role="reviewer"),
        lambda: groups.remove_group(actor=admin, **SUPPORT, name="owners"),
    ):
        with pytest.raises(Conflict, match=r"support would be left without an admin: make another one first\."):
            act()
        assert roles.has_active_admin(support)
    join(admin, "reader", name="owners")
    groups.remove_from_group(actor=admin, **SUPPORT, name="owners", username="admin")
    assert find_role(reader.person, support) == "admin"


def test_members_see_groups_with_their_people_by_title(legal, admin, reader):
    groups.make_group(actor=admin, **SUPPORT, title="Agency")
    join(admin, "reviewer", "author")
    seen = group_queries.list_groups(reader, "support")
    assert [(row.title, [it.person.username for it in row.members.all()]) for row in seen] == [
        ("Agency", []),
        ("Legal", ["author", "reviewer"]),
    ]
    assert permissions.list_visible_namespaces(reader).count() == 1
