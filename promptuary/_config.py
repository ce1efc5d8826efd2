"""The registry's address and key, from arguments or the environment."""

import ipaddress
import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from promptuary.errors import ConfigurationError

__all__ = ["ClientConfig"]

ALLOW_HTTP = "PROMPTUARY_ALLOW_HTTP"  # permits sending a key over plain http to any host


@dataclass(frozen=True)
class ClientConfig:
    """A validated address and key; `repr` leaves the key out."""

    url: str
    key: str = field(default="", repr=False)

    @classmethod
    def read(cls, url: str | None, key: str | None, *, allow_http: bool | None = None) -> "ClientConfig":
        """Take the arguments, or else the environment's PROMPTUARY_URL, PROMPTUARY_KEY and PROMPTUARY_ALLOW_HTTP.

        Raises ConfigurationError, also for a key over plain http to another machine, where anyone on the network path
        could read it. `allow_http` permits that.
        """
        base_url = url or os.environ.get("PROMPTUARY_URL", "")
        address = cls(_check_url(base_url), _check_key(key or os.environ.get("PROMPTUARY_KEY", "")))
        if allow_http is None:
            allow_http = os.environ.get(ALLOW_HTTP, "").strip().lower() in ("1", "true", "yes", "on")
        if address.key and not allow_http and not _is_private(address.url):
            raise ConfigurationError(
                f"{address.url} is plain http, so everybody on the way could read the key: use https, "
                f"or permit it with allow_http=True or {ALLOW_HTTP}=1"
            )
        return address

    def build_headers(self, agent: str) -> dict[str, str]:
        """The headers of every request."""
        headers = {"User-Agent": agent}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        return headers


def _check_url(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ConfigurationError(f"{url!r} is not an address: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        sentence = f"the registry's address is http(s)://host, not {url!r}; give it or set PROMPTUARY_URL"
        raise ConfigurationError(sentence)
    if parts.username or parts.password:
        raise ConfigurationError("a key is given as `key`, not inside the address")
    return url.rstrip("/")


def _is_private(url: str) -> bool:
    """Whether nobody else can listen: https, or http that stays on this machine."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return True
    host = (parts.hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_key(key: str) -> str:
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigurationError("the key holds characters that no key has; was it pasted with a line break?")
    return key
