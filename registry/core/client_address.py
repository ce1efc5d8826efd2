"""A request's client address, and the lists of networks that it is matched against."""

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from registry.core.errors import Invalid

__all__ = ["Network", "is_address_in", "parse_networks", "read_client_address", "read_networks"]

Network = IPv4Network | IPv6Network
_MAX_CHARACTERS = 64  # of an address or a network as entered


def read_client_address(environ: Mapping[str, Any]) -> str:
    """The caller's address from a WSGI environ or `request.META`.

    Behind a trusted proxy (PROMPTUARY_TRUST_PROXY) it is the last entry of X-Forwarded-For, which the proxy itself
    wrote. Otherwise that header is ignored, because anybody can send it.
    """
    if settings.TRUST_PROXY:
        forwarded = str(environ.get("HTTP_X_FORWARDED_FOR", "")).rpartition(",")[2].strip()
        if forwarded:
            return forwarded[:64]
    return str(environ.get("REMOTE_ADDR", ""))


def read_networks(field: str, texts: Iterable[str], limit: int) -> list[str]:
    """Normalize entered addresses and networks, IPv4 or IPv6, without duplicates.

    A single address is a network of one: `203.0.113.7` becomes `203.0.113.7/32`. Raises Invalid, with the field's name,
    for malformed ones and for more than `limit`.
    """
    networks = list(dict.fromkeys(str(_read_network(field, text.strip())) for text in texts))
    if len(networks) > limit:
        raise Invalid(fields={field: gettext("at most {most}.").format(most=limit)})
    return networks


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Parse the networks that `read_networks` returned."""
    return tuple(ip_network(text) for text in texts)


def is_address_in(address: str, networks: Iterable[Network]) -> bool:
    """Whether the address is in one of the networks; False for text that isn't an address.

    An IPv4 address that a dual-stack socket reports as `::ffff:203.0.113.7` counts as that IPv4 address.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return any(parsed in network for network in networks)


def _read_network(field: str, text: str) -> Network:
    excerpt = text[:_MAX_CHARACTERS]
    if len(text) > _MAX_CHARACTERS or "%" in text:
        raise Invalid(
            fields={
                field: gettext("{shown!r} is not a network, such as 203.0.113.0/24 or 2001:db8::/32.").format(
                    shown=excerpt
                )
            }
        )
    try:
        network = ip_network(text, strict=False)
    except ValueError as error:
        message = gettext("{shown!r} is not a network, such as 203.0.113.0/24 or 2001:db8::/32.").format(shown=excerpt)
        raise Invalid(fields={field: message}) from error
    if "/" in text and ip_address(text.partition("/")[0]) != network.network_address:
        raise Invalid(
            fields={
                field: gettext("{shown} names an address inside a network: write {network}, or the address.").format(
                    shown=excerpt, network=network
                )
            }
        )
    if isinstance(network, IPv6Network) and network.network_address.ipv4_mapped is not None:
        raise Invalid(
            fields={
                field: gettext("{shown} is the IPv6 form of IPv4 addresses: write them as IPv4.").format(shown=excerpt)
            }
        )
    return network
