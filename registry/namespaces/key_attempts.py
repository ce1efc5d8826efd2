"""Authentication by API key for every entry point, with wrong keys counted by network address.

An address that sent too many wrong keys is refused before the database is queried. A recently valid key is never
refused for that: many services can share an address, and one of them must not lock out the others.
"""

import functools
import hashlib
import threading
import time
from collections.abc import Callable

from registry.accounts.actor import Actor
from registry.core.errors import AddressNotAllowed
from registry.core.refusal_limiter import Refusals
from registry.namespaces import key_queries

__all__ = ["KeyAttempts", "key_attempts"]

MAX_KNOWN = 10_000  # valid keys remembered
KNOWN_SECONDS = 3600.0


class KeyAttempts:
    """Counts wrong keys in one process. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._refusals = Refusals(clock)
        self._known: dict[bytes, float] = {}  # sha256 of a valid key: when to forget it

    def authenticate(self, token: str, address: str) -> Actor | None:
        """The actor of `pb_<id>_<secret>`, or None for a wrong key, which is counted.

        Raises TooMany, without querying the database, if the address recently sent too many wrong keys (the rate
        `anonymous` of the settings) and this key is not known to be valid. Raises AddressNotAllowed for a valid key
        from an address that it is not allowed for, which is counted too.
        """
        mark = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        if self._known.get(mark, 0.0) < self._clock():
            self._refusals.check("anonymous", address)
        try:
            actor = key_queries.authenticate_key(token, address)
        except AddressNotAllowed:
            self._refusals.count("anonymous", address)
            raise
        with self._lock:
            if actor is None:
                self._known.pop(mark, None)
            else:
                if len(self._known) >= MAX_KNOWN:
                    self._known.clear()
                self._known[mark] = self._clock() + KNOWN_SECONDS
        if actor is None:
            self._refusals.count("anonymous", address)
        return actor

    def forget(self) -> None:
        """Reset all counts and known keys."""
        with self._lock:
            self._known.clear()
        self._refusals.forget()


@functools.cache
def key_attempts() -> KeyAttempts:
    """The instance of this process."""
    return KeyAttempts()
