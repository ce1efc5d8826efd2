"""Which addresses are public by our own list: the first and last of every network, and their neighbours."""

from ipaddress import ip_address, ip_network

import pytest

from registry.core.public_addresses import find_embedded_address, is_public

RESERVED = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/31",
    "192.0.0.192/32",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.88.99.2/32",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "168.63.129.16/32",
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "200::/7",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3ffe::/16",
    "3fff::/20",
    "5f00::/16",
    "4000::/3",
    "fc00::/7",
    "fd00:ec2::254/128",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "93.184.216.34",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "168.63.129.15",
    "168.63.129.17",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.88.98.255",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2001:200::1",
    "2001:4860:4860::8888",
    "2003::1",
    "2400:cb00::1",
    "2606:4700::1111",
    "2620:4f:7fff::1",
    "2620:fe::fe",
    "2a00:1450:4001::1",
    "2001:db7:ffff::1",
    "2001:db9::1",
    "2c0f:f248::1",
]
FORMS = ["::{}", "::ffff:{}", "::ffff:0:{}", "64:ff9b::{}", "64:ff9b:1::{}"]


@pytest.mark.parametrize("text", RESERVED)
def test_a_reserved_network_is_not_public_from_its_first_address_to_its_last(text):
    network = ip_network(text)
    assert not is_public(network[0])
    assert not is_public(network[network.num_addresses // 2])
    assert not is_public(network[-1])


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_next_to_them_is_public(text):
    assert is_public(ip_address(text))


@pytest.mark.parametrize("inside", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "93.184.216.34"])
@pytest.mark.parametrize("form", FORMS)
def test_an_ipv4_address_in_another_form_is_found_and_never_public(form, inside):
    address = ip_address(form.format(inside))
    assert find_embedded_address(address) == ip_address(inside)
    assert not is_public(address)


@pytest.mark.parametrize(
    ("text", "inside"),
    [("2002:7f00:1::", "127.0.0.1"), ("2002:a9fe:a9fe::1", "169.254.169.254"), ("2001:0:1::80ff:fffe", "127.0.0.1")],
)
def test_6to4_and_teredo_are_taken_apart(text, inside):
    assert str(find_embedded_address(ip_address(text))) == inside
    assert not is_public(ip_address(text))


@pytest.mark.parametrize("text", ["::1", "::", "2606:4700::1111", "127.0.0.1"])
def test_other_addresses_carry_none(text):
    assert find_embedded_address(ip_address(text)) is None
