"""Rotation: a new secret immediately, and the old one as long as services need it."""

import json
from datetime import timedelta

import pytest

from registry.accounts.models import Key
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.journal.event import to_microseconds
from registry.journal.models import Event
from registry.namespaces import key_queries as found
from registry.namespaces import keys
from registry.namespaces import services as namespace_services


@pytest.fixture
def old(admin):
    return keys.issue_key(
        actor=admin, namespace="support", name="bot", scope="read", person="author", labels=["staging"]
    )


def in_hours(hours):
    return log.now() + timedelta(hours=hours)


def test_both_hold_until_the_chosen_time(admin, old):
    until = in_hours(1)
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=until)
    assert {found.authenticate_key(token).key.id for token in (old.secret, new.secret)} == {old.key.id, new.key.id}
    assert Key.objects.get(id=old.key.id).expires_at == until
    Key.objects.filter(id=old.key.id).update(expires_at=in_hours(-1))
    assert found.authenticate_key(old.secret) is None
    assert found.authenticate_key(new.secret) is not None


def test_without_a_time_the_old_one_ends_now(admin, old):
    new = keys.rotate_key(actor=admin, key_id=old.key.id)
    assert found.authenticate_key(old.secret) is None
    assert found.authenticate_key(new.secret) is not None


def test_the_new_one_has_all_rights_of_the_old_one(admin, old):
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(1)).key
    assert (new.name, new.scope, new.labels, new.person.username) == ("bot", "read", ["staging"], "author")
    assert new.replaces_id == old.key.id


def test_both_are_listed(admin, old):
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(1)).key
    assert [key.id for key in found.list_keys(admin, "support")] == [new.id, old.key.id]


def test_it_is_one_event_without_the_secret(admin, old):
    until = in_hours(1)
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=until)
    event = Event.objects.latest("number")
    body = json.loads(event.text)["body"]
    assert (event.kind, body["id"], body["replaces"]) == ("key.rotated", new.key.id, old.key.id)
    assert body["replaced_until"] == to_microseconds(until)
    assert new.secret.split("_", 2)[2] not in event.text


def test_the_new_one_lives_as_long_as_the_old_one_was_given(admin):
    old = keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", expires_at=in_hours(10))
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(1)).key
    assert abs((new.expires_at - new.created_at) - timedelta(hours=10)) < timedelta(minutes=1)


def test_the_old_one_never_holds_longer_than_it_would_have(admin):
    old = keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", expires_at=in_hours(2))
    keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(50))
    assert Key.objects.get(id=old.key.id).expires_at == old.key.expires_at


def test_a_key_is_rotated_once(admin, old):
    new = keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(1))
    with pytest.raises(Conflict, match=f"rotated to {new.key.id} already"):
        keys.rotate_key(actor=admin, key_id=old.key.id, keep_until=in_hours(1))
    assert keys.rotate_key(actor=admin, key_id=new.key.id).key.replaces_id == new.key.id


def test_a_key_that_ended_is_not_rotated(admin, old):
    keys.revoke_key(actor=admin, key_id=old.key.id)
    with pytest.raises(Conflict, match="no longer valid: issue a new one"):
        keys.rotate_key(actor=admin, key_id=old.key.id)


def test_moments_lie_ahead(admin, old):
    for field in ("keep_until", "expires_at"):
        with pytest.raises(Invalid, match="past already"):
            keys.rotate_key(actor=admin, key_id=old.key.id, **{field: in_hours(-1)})


def test_a_key_whose_person_left_is_not_rotated(admin, old):
    namespace_services.set_role(actor=admin, namespace="support", username="author", role=None)
    with pytest.raises(Invalid, match="not a member"):
        keys.rotate_key(actor=admin, key_id=old.key.id)


def test_only_admins_rotate(author, outsider, old):
    with pytest.raises(NotAllowed, match="need the role admin"):
        keys.rotate_key(actor=author, key_id=old.key.id)
    with pytest.raises(NotFound):
        keys.rotate_key(actor=outsider, key_id=old.key.id)
