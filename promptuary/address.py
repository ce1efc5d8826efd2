"""Where the registry is and with which key it is asked."""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from promptuary.errors import ConfigurationError

__all__ = ["Address"]


@dataclass(frozen=True)
class Address:
    """A checked address; the key is kept out of its representation."""

    url: str
    key: str = field(default="", repr=False)

    @classmethod
    def read(cls, url: str | None, key: str | None) -> "Address":
        """What was given, else the environment's PROMPTUARY_URL and PROMPTUARY_KEY. Raises ConfigurationError."""
        found = url or os.environ.get("PROMPTUARY_URL", "")
        return cls(_check_url(found), _check_key(key or os.environ.get("PROMPTUARY_KEY", "")))

    def headers(self, agent: str) -> dict[str, str]:
        """What every request carries."""
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


def _check_key(key: str) -> str:
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigurationError("the key holds characters that no key has; was it pasted with a line break?")
    return key
