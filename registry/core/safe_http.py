"""HTTP to user-supplied URLs (webhooks, remotes, model endpoints), limited to public hosts against SSRF.

Users could otherwise reach what only this machine can (a metadata service, the database, an internal admin page). So
the host is resolved, all its addresses must be public (`public_addresses`), and the connection is made to the checked
address, which prevents DNS rebinding. An operator may list internal hosts in PROMPTUARY_OUTBOUND_HOSTS as `host`,
`host:port` or `*.suffix`; these may be private and use plain http.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.utils.translation import gettext

from registry.core import public_addresses
from registry.core.errors import Invalid

__all__ = ["AsyncTransport", "Destination", "Refused", "check_url", "is_listed", "open_client"]

_PORTS = {"https": 443, "http": 80, "ssh": 22}
_MAX_LENGTH = 2000


class Refused(Invalid):
    """The URL may not be requested; the field is `url`."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, fields={"url": sentence})


@dataclass(frozen=True)
class Destination:
    """A checked destination: the URL as given, its parts, and the IP address to connect to."""

    url: str
    scheme: str
    host: str
    port: int
    address: str


def check_url(url: str, *, schemes: Iterable[str] = ("https",)) -> Destination:
    """Resolve and check a URL. Raises Refused with a sentence for the user.

    schemes: those accepted; where https is, plain http is accepted too for listed hosts.
    """
    scheme, host, port = _split_url(url)
    listed = is_listed(host, port, settings.OUTBOUND_HOSTS)
    accepted_schemes = {*schemes, *(("http",) if listed and "https" in schemes else ())}
    if scheme not in accepted_schemes:
        raise Refused(
            gettext("the address must start with {names}.").format(
                names=gettext(" or ").join(f"{name}://" for name in sorted(accepted_schemes))
            )
        )
    addresses = _resolve(host, port)
    if not listed:
        for address in addresses:
            _require_public(host, address)
    return Destination(url, scheme, host, port, addresses[0])


class AsyncTransport(httpx.AsyncHTTPTransport):
    """Sends each request to its checked address, for asyncio. Host names are resolved in a thread."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Check, then connect by address; TLS still requests and verifies the host name."""
        _set_destination(request, await asyncio.to_thread(check_url, str(request.url)))
        return await super().handle_async_request(request)


def open_client(*, timeout: float) -> httpx.AsyncClient:
    """An HTTP client for such URLs, without redirects and without proxies or netrc from the environment.

    timeout: seconds for each step, such as the connection or the next bytes.
    """
    return httpx.AsyncClient(transport=AsyncTransport(), timeout=timeout, follow_redirects=False, trust_env=False)


def _set_destination(request: httpx.Request, destination: Destination) -> None:
    request.url = request.url.copy_with(host=destination.address)
    request.extensions = {**request.extensions, "sni_hostname": destination.host}


def _split_url(url: str) -> tuple[str, str, int]:
    if len(url) > _MAX_LENGTH or not url.isprintable() or " " in url:
        raise Refused(
            gettext("this is not an address: at most {longest} characters, no blanks.").format(longest=_MAX_LENGTH)
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise Refused(gettext("this is not an address.")) from error
    host = (parts.hostname or "").rstrip(".")
    if not host or parts.scheme not in _PORTS:
        raise Refused(gettext("write the whole address, as in https://hooks.example.org/promptuary."))
    if parts.password is not None or (parts.username is not None and parts.scheme != "ssh"):
        raise Refused(gettext("no user name or password in the address: it is shown and logged."))
    return parts.scheme, host, port or _PORTS[parts.scheme]


def is_listed(host: str, port: int, entries: Iterable[str]) -> bool:
    """Whether one of the entries (`host`, `host:port` or `*.suffix`) matches this host."""
    name = f"[{host}]" if ":" in host else host
    listed = [entry.lower() for entry in entries]
    if name in listed or f"{name}:{port}" in listed:
        return True
    return any(entry.startswith("*.") and name.endswith(entry[1:]) for entry in listed)


def _resolve(host: str, port: int) -> list[str]:
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Refused(gettext("{host} is not found.").format(host=host)) from error
    return [str(address[0]) for *_family, address in addresses]


def _require_public(host: str, text: str) -> None:
    address = ipaddress.ip_address(text.partition("%")[0])
    if public_addresses.is_public(address):
        return
    embedded = public_addresses.find_embedded_address(address)
    stands_for = f" (it stands for {embedded})" if embedded else ""
    raise Refused(
        gettext(
            "{host} is {address}{stands_for}, which is not a public address. An operator can allow it in "
            "PROMPTUARY_OUTBOUND_HOSTS."
        ).format(host=host, address=address, stands_for=stands_for)
    )
