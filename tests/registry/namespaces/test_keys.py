"""API keys: issuing, authenticating, rotating, revoking and expiry."""

import hashlib
import re
from datetime import timedelta

import pytest

from registry.accounts.models import Key
from registry.core.errors import Invalid, NotAllowed, NotFound, TooLarge
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import key_queries as found
from registry.namespaces import keys, permissions
from registry.namespaces import services as namespace_services
from registry.namespaces.verbs import Verb


def issue(actor, **facts):
    return keys.issue_key(
        **{"actor": actor, "namespace": "support", "name": "bot", "scope": "read", "person": "author"} | facts
    )


def test_the_secret_is_shown_once_and_never_stored(admin):
    issued = issue(admin)
    assert re.fullmatch(r"pb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}", issued.secret)
    secret = issued.secret.split("_", 2)[2]
    key = Key.objects.get()
    assert key.secret_sha256 == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in Event.objects.latest("number").text + str(vars(key))


def test_a_key_acts_for_its_person(admin, author):
    actor = found.authenticate_key(issue(admin).secret)
    assert (actor.person, actor.key.name) == (author.person, "bot")


def test_another_secret_opens_nothing(admin):
    token = issue(admin).secret
    assert [found.authenticate_key(other) for other in (token[:-1], token + "x", token.upper(), "pb_", "")] == [
        None
    ] * 5


@pytest.mark.parametrize("token", ["pb_é_x", "pb_aaaaaaaa_\ud800", "pb_\0_x", "Bearer", "pb_a_b_c"])
def test_odd_tokens_open_nothing(db, token):
    assert found.authenticate_key(token) is None


def test_a_revoked_key_opens_nothing(admin):
    issued = issue(admin)
    keys.revoke_key(actor=admin, key_id=issued.key.id)
    assert found.authenticate_key(issued.secret) is None
    assert Event.objects.latest("number").kind == "key.revoked"


def test_revoking_twice_is_one_event(admin):
    issued = issue(admin)
    for _ in range(2):
        keys.revoke_key(actor=admin, key_id=issued.key.id)
    assert Event.objects.filter(kind="key.revoked").count() == 1


def test_an_expired_key_opens_nothing(admin):
    issued = issue(admin, expires_at=log.now() + timedelta(hours=1))
    assert found.authenticate_key(issued.secret) is not None
    Key.objects.update(expires_at=log.now() - timedelta(seconds=1))
    assert found.authenticate_key(issued.secret) is None


def test_a_key_of_a_person_switched_off_opens_nothing(admin, author):
    issued = issue(admin)
    author.person.is_active = False
    author.person.save()
    assert found.authenticate_key(issued.secret) is None


def test_a_moment_in_the_past_is_not_an_expiry(admin):
    with pytest.raises(Invalid, match="past already"):
        issue(admin, expires_at=log.now() - timedelta(seconds=1))


def test_a_reader_s_key_does_not_write(admin):
    with pytest.raises(Invalid, match="can't write"):
        issue(admin, person="reader", scope="write")


def test_a_key_is_for_a_member(admin, outsider):
    with pytest.raises(Invalid, match="not a member of support"):
        issue(admin, person="outsider")


@pytest.mark.parametrize("facts", [{"scope": "admin"}, {"name": " "}, {"name": "a" * 101}])
def test_wrong_facts_are_refused(admin, facts):
    with pytest.raises((Invalid, TooLarge)):
        issue(admin, **facts)


def test_only_admins_make_keys_and_see_them(author, admin):
    with pytest.raises(NotAllowed):
        issue(author)
    with pytest.raises(NotAllowed):
        found.list_keys(author, "support")
    issue(admin)
    assert [key.name for key in found.list_keys(admin, "support")] == ["bot"]


def test_a_key_of_another_namespace_is_not_found(outsider, admin):
    issued = issue(admin)
    with pytest.raises(NotFound):
        keys.revoke_key(actor=outsider, key_id=issued.key.id)


def test_the_operator_makes_keys_for_members(operator, support):
    assert issue(operator, scope="write").key.person.username == "author"


def test_a_key_ends_with_its_person_s_membership(admin, author, support):
    actor = found.authenticate_key(issue(admin).secret)
    namespace_services.set_role(actor=admin, namespace="support", username="author", role=None)
    with pytest.raises(NotFound):
        permissions.require_verb(actor, Verb.READ, support)
