"""A scheduled revocation can be cancelled until it is due; the key then has its previous expiry again."""

from datetime import timedelta

import pytest

from registry.accounts.actor import Actor
from registry.accounts.models import Key
from registry.core.errors import Conflict, NotAllowed, NotFound, ProofRequired
from registry.journal import log
from registry.journal.models import Event
from registry.namespaces import key_queries, keys, revocations


@pytest.fixture
def key(admin):
    """A key of the author that has no end."""
    return keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", person="author").key


def revoke_later(actor, key, hours=1):
    keys.revoke_key(actor=actor, key_id=key.id, keep_until=log.now() + timedelta(hours=hours))


def end_of(key):
    return Key.objects.get(id=key.id).expires_at


def test_a_key_without_an_end_has_none_again(admin, key):
    revoke_later(admin, key)
    assert end_of(key) is not None
    revocations.keep_key(actor=admin, key_id=key.id)
    assert end_of(key) is None
    event = Event.objects.latest("number")
    assert (event.kind, event.person) == ("key.kept", "admin")


def test_a_key_ends_when_it_did_before(admin):
    end = log.now() + timedelta(days=30)
    issued = keys.issue_key(actor=admin, namespace="support", name="bot", scope="read", expires_at=end)
    revoke_later(admin, issued.key, hours=24)
    revoke_later(admin, issued.key, hours=1)  # sooner still: the end before both counts
    revocations.keep_key(actor=admin, key_id=issued.key.id)
    assert end_of(issued.key) == end
    assert key_queries.authenticate_key(issued.secret) is not None


def test_the_end_that_a_rotation_set_stays(admin, key):
    end = log.now() + timedelta(days=2)
    keys.rotate_key(actor=admin, key_id=key.id, keep_until=end)
    with pytest.raises(Conflict, match="has no revocation"):
        revocations.keep_key(actor=admin, key_id=key.id)
    revoke_later(admin, key)
    revocations.keep_key(actor=admin, key_id=key.id)
    assert end_of(key) == end


def test_a_rotation_after_the_revocation_leaves_none_to_cancel(admin, key):
    revoke_later(admin, key)
    keys.rotate_key(actor=admin, key_id=key.id, keep_until=log.now() + timedelta(minutes=5))
    with pytest.raises(Conflict):
        revocations.keep_key(actor=admin, key_id=key.id)


def test_nothing_is_cancelled_of_a_key_that_is_revoked_ended_or_was_kept(admin, key, monkeypatch):
    with pytest.raises(Conflict, match="bot"):
        revocations.keep_key(actor=admin, key_id=key.id)
    revoke_later(admin, key)
    later = log.now() + timedelta(hours=2)
    with monkeypatch.context() as clock:
        clock.setattr(log, "now", lambda: later)
        with pytest.raises(Conflict):
            revocations.keep_key(actor=admin, key_id=key.id)
    revocations.keep_key(actor=admin, key_id=key.id)
    with pytest.raises(Conflict):
        revocations.keep_key(actor=admin, key_id=key.id)
    revoke_later(admin, key)
    keys.revoke_key(actor=admin, key_id=key.id)
    with pytest.raises(Conflict):
        revocations.keep_key(actor=admin, key_id=key.id)


def test_its_person_cancels_what_they_set_and_not_what_an_admin_set(admin, author, key):
    revoke_later(author, key)
    revocations.keep_key(actor=author, key_id=key.id)
    revoke_later(admin, key)
    with pytest.raises(NotAllowed, match="admin set this revocation"):
        revocations.keep_key(actor=author, key_id=key.id)
    revocations.keep_key(actor=admin, key_id=key.id)


def test_nobody_else_cancels_it_no_key_does_and_a_proof_is_asked_for(admin, author, reviewer, outsider, key):
    revoke_later(admin, key)
    with pytest.raises(NotAllowed):
        revocations.keep_key(actor=reviewer, key_id=key.id)
    with pytest.raises(NotFound):
        revocations.keep_key(actor=outsider, key_id=key.id)
    writing = keys.issue_key(actor=admin, namespace="support", name="ci", scope="write", person="admin").key
    with pytest.raises(NotAllowed):
        revocations.keep_key(actor=Actor(admin.person, writing), key_id=key.id)
    with pytest.raises(ProofRequired):
        revocations.keep_key(actor=Actor(admin.person, missing_proof="password"), key_id=key.id)
    assert end_of(key) is not None


def test_keys_are_listed_with_the_revocations_that_have_not_come(admin, author, key):
    other = keys.issue_key(actor=admin, namespace="support", name="other", scope="read", person="author").key
    assert revocations.find_later_revocations(Key.objects.all()) == {}
    revoke_later(author, key)
    (found,) = revocations.find_later_revocations(Key.objects.select_related("namespace")).items()
    assert found == (key.id, revocations.LaterRevocation("author", None))
    assert other.id not in found
