"""Permissions: what each role and each kind of key may do."""

import pytest

from registry.accounts import actor as accounts_actor
from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Conflict, NotAllowed, NotFound
from registry.namespaces import keys, permissions
from registry.namespaces.models import Membership, Role
from registry.namespaces.permissions import is_allowed, require_verb
from registry.namespaces.verbs import TABLE, Verb

# The table of the design, repeated by hand.
MAY = {
    "reader": {"browse", "read", "check", "fetch"},
    "author": {"browse", "read", "check", "fetch", "save", "propose", "comment", "move", "publish", "evaluate", "try"},
    "reviewer": {"browse", "read", "check", "fetch", "save", "propose", "comment", "move", "publish", "evaluate", "try"}
    | {"approve", "roll_back"},
    "admin": {verb.value for verb in Verb},
}


@pytest.fixture
def cast(author, reviewer, reader, admin):
    return {"author": author, "reviewer": reviewer, "reader": reader, "admin": admin}


@pytest.mark.parametrize("role", MAY)
def test_each_role_has_the_rights_in_the_table(cast, support, role):
    assert {verb.value for verb in Verb if is_allowed(cast[role], verb, support)} == MAY[role]


@pytest.mark.parametrize("two_step_required", [False, True])
@pytest.mark.parametrize("is_active", [True, False])
def test_the_namespaces_that_allow_a_verb_are_those_where_it_is_allowed(
    cast, support, outsider, is_active, two_step_required
):
    support.two_step_required = two_step_required
    support.save()
    for actor in [*cast.values(), outsider]:
        actor.person.is_active = is_active
        actor.person.save()
        for verb in Verb:
            allowing = permissions.find_allowing_namespaces(actor.person, verb)
            assert (support in allowing) is is_allowed(actor, verb, support)


@pytest.mark.parametrize("role", MAY)
def test_a_read_key_reads_whatever_its_person_may(cast, support, admin, role):
    key = keys.issue_key(
        actor=admin, namespace="support", name="service", scope="read", person=role, approved_only=False
    ).key
    actor = Actor(cast[role].person, key)
    assert {verb.value for verb in Verb if is_allowed(actor, verb, support)} == {"browse", "read", "check", "fetch"}


def test_a_key_limited_to_approved_versions_browses_and_fetches_only(support, author, admin):
    key = keys.issue_key(actor=admin, namespace="support", name="service", scope="read", person="author").key
    actor = Actor(author.person, key)
    assert {verb.value for verb in Verb if is_allowed(actor, verb, support)} == {"browse", "check", "fetch"}


def test_a_key_limited_to_labels_takes_no_part_in_reviews_and_runs(support, author, admin):
    key = keys.issue_key(
        actor=admin, namespace="support", name="service", scope="write", person="author", labels=["staging"]
    ).key
    actor = Actor(author.person, key)
    lost = {"read", "comment", "evaluate", "try"}
    assert {verb.value for verb in Verb if is_allowed(actor, verb, support)} == MAY["author"] - lost


@pytest.mark.parametrize("role", ["author", "reviewer", "admin"])
def test_a_write_key_never_approves_nor_manages(cast, support, admin, role):
    key = keys.issue_key(actor=admin, namespace="support", name="service", scope="write", person=role).key
    actor = Actor(cast[role].person, key)
    never = {"approve", "manage", "roll_back", "try"}
    assert {verb.value for verb in Verb if is_allowed(actor, verb, support)} == MAY[role] - never


def test_a_key_rolls_back_only_where_it_has_that_verb_by_name(support, reviewer, admin):
    written = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person="reviewer").key
    with pytest.raises(NotAllowed, match="takes one with the verb roll_back"):
        require_verb(Actor(reviewer.person, written), Verb.ROLL_BACK, support)
    named = keys.issue_key(actor=admin, namespace="support", name="pager", verbs=["roll_back"], person="reviewer").key
    require_verb(Actor(reviewer.person, named), Verb.ROLL_BACK, support)


def test_a_key_loses_what_its_person_loses(author, admin, support):
    key = keys.issue_key(actor=admin, namespace="support", name="service", scope="write", person="author").key
    support.memberships.filter(person=author.person).update(role="reader")
    assert not is_allowed(Actor(author.person, key), Verb.SAVE, support)


def test_a_key_opens_no_other_namespace_of_its_person(outsider, operator, support):
    Membership.objects.create(namespace=support, person=outsider.person, role="reader")
    key = keys.issue_key(actor=outsider, namespace="elsewhere", name="service", scope="read").key
    with pytest.raises(NotFound):
        require_verb(Actor(outsider.person, key), Verb.READ, support)


def test_an_outsider_gets_the_same_error_as_for_an_unknown_namespace(outsider, support):
    with pytest.raises(NotFound) as caught:
        require_verb(outsider, Verb.READ, support)
    with pytest.raises(NotFound) as missing:
        permissions.find_namespace(outsider, Verb.READ, "nowhere")
    assert caught.value.message == missing.value.message.replace("nowhere", "support")


def test_a_refusal_names_the_role_and_who_grants_it(reader, support):
    with pytest.raises(NotAllowed) as caught:
        require_verb(reader, Verb.SAVE, support)
    assert caught.value.message == (
        "You need the role author to save in support; reader is reader. Ask an admin of support: admin."
    )


def test_a_person_switched_off_is_an_outsider(author, support):
    author.person.is_active = False
    assert not is_allowed(author, Verb.READ, support)


def test_the_operator_may_all_but_approve(operator, support):
    assert {verb for verb in Verb if not is_allowed(operator, verb, support)} == {Verb.APPROVE}


def test_the_operator_can_not_sign_in(operator):
    assert not operator.person.is_active
    assert not operator.person.has_usable_password()


def test_a_key_never_makes_an_operator(operator):
    assert not Actor(operator.person, Key(id="x")).is_operator


def test_an_account_that_can_sign_in_is_never_the_operator(operator, support):
    operator.person.is_active = True
    operator.person.save()
    assert not is_allowed(Actor(operator.person), Verb.MANAGE, support)
    with pytest.raises(Conflict, match="that name is kept for commands"):
        accounts_actor.build_operator_actor()


def test_every_verb_is_in_the_table():
    assert set(TABLE) == set(Verb)
    assert [role.rank for role in Role] == [0, 1, 2, 3]
