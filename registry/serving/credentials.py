"""Callers' keys on the fetch path, and what each may fetch, cached for less than a second.

A key is read from the database again after KEY_TTL. One thread reads it; others use the cached value for up to
KEY_STALE_WHILE_REFRESHING more, so a revoked key or a lost role takes effect within one second.
"""

from collections.abc import Callable
from dataclasses import dataclass

from registry.accounts.models import Key
from registry.core.client_address import Network, parse_networks
from registry.core.errors import PromptuaryError
from registry.namespaces.key_attempts import KeyAttempts
from registry.namespaces.key_queries import require_address
from registry.namespaces.key_rights import is_limited, list_key_verbs
from registry.namespaces.permissions import find_role
from registry.namespaces.verbs import Verb
from registry.serving.journal_follower import renew_connection

__all__ = ["KEY_STALE_WHILE_REFRESHING", "KEY_TTL", "Caller", "CallerCache", "Unauthenticated", "read_caller"]

KEY_TTL = 0.7  # seconds a key is cached
KEY_STALE_WHILE_REFRESHING = 0.3  # additional seconds while one thread reads it again, so that others needn't
MOST_CALLERS = 10_000


class Unauthenticated(PromptuaryError):
    """The key is not valid."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller and what it may fetch: everything in one namespace, possibly only what was approved or a protected label
    holds, or only what some labels serve.
    """

    key: str  # its id; empty for a person
    namespace: str
    approved_only: bool = False
    protected: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # none: all
    may_fetch: bool = True
    networks: tuple[Network, ...] = ()  # that its key may be used from; empty: any
    valid_until: float = 0.0  # by the fetcher's clock


class CallerCache:
    """A process's cached callers, by Authorization header. Thread-safe."""

    def __init__(self, clock: Callable[[], float], attempts: KeyAttempts) -> None:
        self._clock, self._attempts = clock, attempts
        self._callers: dict[str, Caller] = {}
        self._refreshing: dict[str, None] = {}  # the headers whose key is being read by a thread
        self._claims: dict[str, float] = {}  # by header the end of the time for which one fetch took on to read again

    def authenticate(self, authorization: str, address: str = "") -> Caller:
        """The caller of an Authorization header. Raises Unauthenticated, AddressNotAllowed, or TooMany after many wrong
        keys.
        """
        caller = self._find(authorization, address)
        if caller.networks:  # the cached request may have come from another address
            require_address(caller.key, caller.networks, address)
        return caller

    def takes_on_reading(self, authorization: str, valid_until: float, now: float) -> bool:
        """Whether this fetch has to read a key that was valid until then. False: another one does, and for a moment
        what was decided is given meanwhile.
        """
        if now < valid_until + KEY_STALE_WHILE_REFRESHING and self._claims.get(authorization) == valid_until:
            return False
        self._claims[authorization] = valid_until
        return True

    def clear(self) -> None:
        """Drop all cached keys."""
        self._callers.clear()
        self._claims.clear()

    def _find(self, authorization: str, address: str) -> Caller:
        """The caller, from the cache or the database."""
        caller, now = self._callers.get(authorization), self._clock()
        if caller is not None:
            remaining = caller.valid_until - now
            if remaining > 0 or (remaining > -KEY_STALE_WHILE_REFRESHING and authorization in self._refreshing):
                return caller
        self._refreshing[authorization] = None
        try:
            renew_connection()
            actor = self._attempts.authenticate(authorization[len("Bearer ") :].strip(), address)
            caller = read_caller(actor.key, now + KEY_TTL) if actor and actor.key else None
        finally:
            self._refreshing.pop(authorization, None)
        if caller is None:
            self._callers.pop(authorization, None)
            raise Unauthenticated("This key is unknown, expired or revoked.")  # no text: keys get English
        if len(self._callers) >= MOST_CALLERS:
            self.clear()
        self._callers[authorization] = caller
        return caller


def read_caller(key: Key, valid_until: float) -> Caller:
    """What the key may fetch according to the database now; valid until `valid_until` (the fetcher's clock)."""
    # Without a role in the namespace the key finds nothing, as no template is in a namespace with an empty name.
    namespace = key.namespace.name if find_role(key.person, key.namespace) else ""
    return Caller(
        key.id,
        namespace,
        is_limited(key),
        frozenset(key.namespace.protected_labels),
        frozenset(key.labels),
        Verb.FETCH in list_key_verbs(key),
        parse_networks(key.addresses),
        valid_until,
    )
