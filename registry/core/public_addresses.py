"""IP addresses that are not public, from our own list, because Python's results change between versions.

Sources: the IANA registries of special-purpose IPv4 and IPv6 addresses (RFC 6890 and its updates, as of 2025) and of
IPv6 address space. All entries are refused, even those registered as globally reachable: no service is hosted there.
"""

import ipaddress
from ipaddress import IPv4Address, IPv6Address

__all__ = ["find_embedded_address", "is_public"]

_IPV4 = [
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers; also a cloud's metadata service
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's platform service on every machine, in public space
        "169.254.0.0/16",  # link-local, with the metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, dummy, NAT64 discovery; also a cloud's metadata service
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # multicast tunnels
        "192.88.99.0/24",  # 6to4 relays, deprecated
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
]
# Everything ever allocated as global unicast. This excludes loopback, mapped, compatible and translated IPv4, NAT64,
# discard, segment routing, unique local, link-local, site-local and multicast addresses.
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_IPV6 = [
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID, AS112, drones
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3ffe::/16",  # the 6bone, returned
        "3fff::/20",  # documentation
    )
]
_EMBEDDED_LAST = [  # the last 32 bits are an IPv4 address
    ipaddress.IPv6Network(network)
    for network in (
        "::/96",  # compatible
        "::ffff:0:0/96",  # mapped
        "::ffff:0:0:0/96",  # translated
        "64:ff9b::/96",  # NAT64
        "64:ff9b:1::/48",  # NAT64 of one network
    )
]
_6TO4, _TEREDO = ipaddress.IPv6Network("2002::/16"), ipaddress.IPv6Network("2001::/32")


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether the address is public, and not an embedded IPv4 address."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _IPV4)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _IPV6)


def find_embedded_address(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 address in one of the standard forms, or None."""
    if isinstance(address, IPv4Address) or int(address) <= 1:  # :: and ::1 are special addresses of their own
        return None
    if any(address in network for network in _EMBEDDED_LAST):
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _6TO4:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    if address in _TEREDO:
        return IPv4Address(~int(address) & 0xFFFFFFFF)
    return None
