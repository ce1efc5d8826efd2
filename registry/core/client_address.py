"""The network address that a request comes from, and lists of networks that it is compared with."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from registry.core.errors import Invalid

__all__ = ["Network", "client_address", "is_address_in", "parse_networks", "read_networks"]

Network = IPv4Network | IPv6Network
_MOST_CHARACTERS = 64  # of an address or a network as somebody wrote it


def client_address(environ: Mapping[str, Any]) -> str:
    """The caller's address from a WSGI environ or `request.META`.

    Behind a proxy that is trusted (PROMPTUARY_TRUST_PROXY) it is the last entry of X-Forwarded-For: the one that the
    proxy itself wrote. Otherwise that header is ignored, because anybody can send it.
    """
    if settings.TRUST_PROXY:
        forwarded = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        if forwarded:
            return forwarded[:64]
    return str(environ.get("REMOTE_ADDR", ""))


def read_networks(field: str, texts: Iterable[str], most: int) -> list[str]:
    """Addresses and networks as somebody wrote them, IPv4 or IPv6, each in its usual spelling and once.

    A single address is a network of one: `203.0.113.7` becomes `203.0.113.7/32`. Raises Invalid, with the field's name,
    for what is none and for more than `most`.
    """
    networks = list(dict.fromkeys(str(_read_network(field, text.strip())) for text in texts))
    if len(networks) > most:
        raise Invalid(fields={field: gettext("at most {most}.").format(most=most)})
    return networks


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """The networks that `read_networks` gave, parsed."""
    return tuple(ip_network(text) for text in texts)


def is_address_in(address: str, networks: Iterable[Network]) -> bool:
    """Whether the address lies in one of the networks; what is not an address lies in none.

    An IPv4 address that a socket for both shows as `::ffff:203.0.113.7` is that IPv4 address.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)


def _read_network(field: str, text: str) -> Network:
    shown = text[:_MOST_CHARACTERS]
    if len(text) > _MOST_CHARACTERS or "%" in text:
        raise Invalid(
            fields={
                field: gettext("{shown!r} is not a network, such as 203.0.113.0/24 or 2001:db8::/32.").format(
                    shown=shown
                )
            }
        )
    try:
        network = ip_network(text, strict=False)
    except ValueError as error:
        message = gettext("{shown!r} is not a network, such as 203.0.113.0/24 or 2001:db8::/32.").format(shown=shown)
        raise Invalid(fields={field: message}) from error
    if "/" in text and ip_address(text.partition("/")[0]) != network.network_address:
        raise Invalid(
            fields={
                field: gettext("{shown} names an address inside a network: write {network}, or the address.").format(
                    shown=shown, network=network
                )
            }
        )
    if isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None:
        raise Invalid(
            fields={
                field: gettext("{shown} is the IPv6 form of IPv4 addresses: write them as IPv4.").format(shown=shown)
            }
        )
    return network
