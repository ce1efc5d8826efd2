"""Addresses and networks: their notation, and which address belongs to which network."""

import pytest

from registry.core.client_address import is_address_in, parse_networks, read_networks
from registry.core.errors import Invalid


def test_networks_get_their_usual_spelling_and_are_listed_once():
    texts = [" 203.0.113.7 ", "203.0.113.7/32", "2001:DB8:0::/32", "0.0.0.0/0"]
    assert read_networks("addresses", texts, 3) == ["203.0.113.7/32", "2001:db8::/32", "0.0.0.0/0"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("office", "'office' is not a network"),
        ("203.0.113.0/33", "is not a network"),
        ("", "is not a network"),
        ("fe80::1%eth0", "is not a network"),
        ("1" * 100, "is not a network"),
        ("203.0.113.7/24", "write 203.0.113.0/24, or the address"),
        ("::ffff:203.0.113.0/120", "write them as IPv4"),
    ],
)
def test_something_that_is_not_a_network_is_refused_at_its_field(text, reason):
    with pytest.raises(Invalid) as refusal:
        read_networks("addresses", [text], 5)
    assert reason in refusal.value.fields["addresses"]


def test_there_are_no_more_than_the_most():
    with pytest.raises(Invalid, match="at most 1"):
        read_networks("addresses", ["203.0.113.7", "203.0.113.8"], 1)


@pytest.mark.parametrize(
    ("address", "is_inside"),
    [
        ("203.0.113.0", True),
        ("203.0.113.255", True),
        ("203.0.114.0", False),
        ("::ffff:203.0.113.9", True),
        ("2001:db8:ffff::1", True),
        ("2001:db9::1", False),
        ("", False),
        ("unix:", False),
        ("203.0.113.9:443", False),
    ],
)
def test_an_address_is_in_a_network_or_not(address, is_inside):
    assert is_address_in(address, parse_networks(["203.0.113.0/24", "2001:db8::/32"])) is is_inside
