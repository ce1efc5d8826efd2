"""The rule that people without two-step sign-in can only read: every verb, keys too, and who may set it."""

import pytest
from allauth.mfa.models import Authenticator

from registry.accounts.actor import Actor, build_operator_actor
from registry.changes import rules
from registry.core.errors import Invalid, NotAllowed, TwoStepRequired
from registry.journal.models import Event
from registry.namespaces import keys, permissions, queries, services
from registry.namespaces.models import Namespace, Role
from registry.namespaces.verbs import TABLE, Verb
from registry.serving.fetcher import get_fetcher

READING = [verb for verb in Verb if TABLE[verb] is Role.READER]
WRITING = [verb for verb in Verb if TABLE[verb] is not Role.READER]


def switch_on(actor: Actor) -> None:
    Authenticator.objects.create(user=actor.person, type=Authenticator.Type.TOTP, data={})


@pytest.fixture
def strict(support) -> Namespace:
    """The namespace with the rule; no member has a second step."""
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    return Namespace.objects.get(name="support")


@pytest.mark.parametrize("verb", WRITING)
def test_without_two_step_nobody_writes(strict, admin, verb):
    with pytest.raises(TwoStepRequired) as refusal:
        permissions.require_verb(admin, verb, strict)
    assert "Turn it on at /account/second-step." in refusal.value.message
    switch_on(admin)
    permissions.require_verb(admin, verb, strict)


@pytest.mark.parametrize("verb", READING)
def test_without_two_step_everybody_reads(strict, reader, verb):
    permissions.require_verb(reader, verb, strict)


@pytest.mark.parametrize("verb", WRITING)
def test_a_role_that_does_not_reach_is_reported_first(strict, reader, verb):
    with pytest.raises(NotAllowed) as refusal:
        permissions.require_verb(reader, verb, strict)
    assert not isinstance(refusal.value, TwoStepRequired)


def test_with_a_passkey_people_write_and_are_not_named_as_missing_one(strict, author):
    names = queries.list_members_without_two_step(strict)
    for _ in range(2):
        Authenticator.objects.create(user=author.person, type=Authenticator.Type.WEBAUTHN, data={})
    permissions.require_verb(author, Verb.SAVE, strict)
    assert "author" in names
    assert queries.list_members_without_two_step(strict) == [name for name in names if name != "author"]


def test_recovery_codes_alone_are_not_a_second_step(strict, author):
    Authenticator.objects.create(user=author.person, type=Authenticator.Type.RECOVERY_CODES, data={})
    assert not permissions.is_allowed(author, Verb.SAVE, strict)


def test_without_the_rule_nothing_is_asked(support, author):
    permissions.require_verb(author, Verb.SAVE, Namespace.objects.get(name="support"))


def test_a_key_writes_as_far_as_its_person_may_and_goes_on_fetching(support, save, admin, author):
    get_fetcher().clear()
    save("one")
    issued = keys.issue_key(actor=admin, namespace="support", name="bot", scope="write", person="author")
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=True)
    strict, by_key = Namespace.objects.get(name="support"), Actor(author.person, issued.key)
    assert not permissions.is_allowed(by_key, Verb.SAVE, strict)
    assert permissions.is_allowed(by_key, Verb.FETCH, strict)
    assert get_fetcher().answer(f"Bearer {issued.secret}", "support/reply@1").status == 200
    switch_on(author)
    assert permissions.is_allowed(by_key, Verb.SAVE, strict)


def test_commands_have_no_sign_in_and_go_on(strict):
    permissions.require_verb(build_operator_actor(), Verb.SAVE, strict)


def test_setting_the_rule_requires_two_step_sign_in(support, admin):
    with pytest.raises(Invalid) as refusal:
        rules.set_rules(actor=admin, namespace="support", two_step_required=True)
    assert list(refusal.value.fields) == ["two_step_required"]
    with pytest.raises(Invalid):
        services.create_namespace(actor=admin, name="fresh", two_step_required=True)
    switch_on(admin)
    rules.set_rules(actor=admin, namespace="support", two_step_required=True)
    services.create_namespace(actor=admin, name="fresh", two_step_required=True)
    assert Namespace.objects.filter(two_step_required=True).count() == 2


def test_the_event_has_the_rule_only_while_it_is_on(strict):
    assert '"two_step_required":true' in Event.objects.latest("number").text
    rules.set_rules(actor=build_operator_actor(), namespace="support", two_step_required=False)
    assert "two_step_required" not in Event.objects.latest("number").text


def test_the_namespaces_that_wait_for_it_are_named_to_those_who_write_there(strict, author, reader):
    assert queries.list_namespaces_closed_without_two_step(author) == ["support"]
    assert queries.list_namespaces_closed_without_two_step(reader) == []
    switch_on(author)
    assert queries.list_namespaces_closed_without_two_step(author) == []
