"""The network addresses to which a key is limited: set when issued or later, kept by a rotation."""

import pytest

from registry.accounts.models import Key
from registry.core.errors import AddressNotAllowed, Conflict, Invalid, NotAllowed, NotFound
from registry.journal.models import Event
from registry.namespaces import key_queries, keys
from registry.namespaces.key_use import write_key_uses

OFFICE = ["203.0.113.0/24", "2001:db8::/32"]


def issue(admin, **facts):
    return keys.issue_key(
        **{"actor": admin, "namespace": "support", "name": "bot", "verbs": ["fetch"], "person": "author"} | facts
    )


@pytest.mark.parametrize("address", ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8::1"])
def test_the_key_opens_from_its_networks(admin, address):
    secret = issue(admin, addresses=OFFICE).secret
    assert key_queries.authenticate_key(secret, address).key.addresses == OFFICE


@pytest.mark.parametrize("address", ["198.51.100.1", "2001:db9::1", "", "nowhere"])
def test_the_key_is_refused_from_anywhere_else_and_counts_as_unused(admin, address):
    issued = issue(admin, addresses=OFFICE)
    write_key_uses()
    with pytest.raises(AddressNotAllowed) as refusal:
        key_queries.authenticate_key(issued.secret, address)
    assert refusal.value.facts == {"key": issued.key.id, "address": address}
    write_key_uses()
    assert Key.objects.get(pk=issued.key.pk).last_used_at is None


def test_a_wrong_secret_learns_nothing_of_the_networks(admin):
    issued = issue(admin, addresses=OFFICE)
    assert key_queries.authenticate_key(f"pb_{issued.key.id}_wrong", "198.51.100.1") is None


def test_a_key_without_networks_opens_from_anywhere(admin):
    assert key_queries.authenticate_key(issue(admin).secret, "198.51.100.1") is not None


def test_a_rotated_key_keeps_its_networks(admin):
    rotated = keys.rotate_key(actor=admin, key_id=issue(admin, addresses=OFFICE).key.id)
    with pytest.raises(AddressNotAllowed):
        key_queries.authenticate_key(rotated.secret, "198.51.100.1")


def test_networks_are_set_and_taken_away_with_an_event_each(admin):
    issued = issue(admin)
    keys.set_key_addresses(actor=admin, key_id=issued.key.id, addresses=["203.0.113.7"])
    assert Key.objects.get(pk=issued.key.pk).addresses == ["203.0.113.7/32"]
    for _ in range(2):  # the second changes nothing
        keys.set_key_addresses(actor=admin, key_id=issued.key.id, addresses=[])
    assert Event.objects.filter(kind="key.addresses_set").count() == 2
    assert key_queries.authenticate_key(issued.secret, "198.51.100.1") is not None


@pytest.mark.parametrize("addresses", [["office"], ["203.0.113.7/24"], [f"203.0.113.{n}" for n in range(51)]])
def test_something_that_is_not_a_list_of_networks_is_refused_and_nothing_changes(admin, addresses):
    issued = issue(admin, addresses=OFFICE)
    with pytest.raises(Invalid) as refusal:
        keys.set_key_addresses(actor=admin, key_id=issued.key.id, addresses=addresses)
    assert list(refusal.value.fields) == ["addresses"]
    assert Key.objects.get(pk=issued.key.pk).addresses == OFFICE


def test_only_admins_set_them_and_not_of_a_key_that_ended(admin, author, outsider):
    key_id = issue(admin).key.id
    for actor, error in ((author, NotAllowed), (outsider, NotFound)):
        with pytest.raises(error):
            keys.set_key_addresses(actor=actor, key_id=key_id, addresses=OFFICE)
    keys.revoke_key(actor=admin, key_id=key_id)
    with pytest.raises(Conflict):
        keys.set_key_addresses(actor=admin, key_id=key_id, addresses=OFFICE)
