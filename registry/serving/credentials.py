"""Keys of callers on the fetch path: who a key lets fetch what, remembered for less than a second.

A key is read from the database again once it was believed for KEY_TTL. One thread reads it; others go on with what is
known of it for KEY_STALE_WHILE_REFRESHING more, so a revoked key or a lost role holds within one second.
"""

from collections.abc import Callable
from dataclasses import dataclass

from registry.accounts.models import Key
from registry.core.client_address import Network, parse_networks
from registry.core.errors import PromptuaryError
from registry.namespaces.key_attempts import KeyAttempts
from registry.namespaces.key_queries import require_address
from registry.namespaces.key_rights import is_limited, verbs_of
from registry.namespaces.permissions import role_of
from registry.namespaces.verbs import Verb
from registry.serving.journal_follower import renew_connection

__all__ = ["KEY_STALE_WHILE_REFRESHING", "KEY_TTL", "Caller", "CallerCache", "Unauthenticated", "caller_of_key"]

KEY_TTL = 0.7  # seconds a key is believed
KEY_STALE_WHILE_REFRESHING = 0.3  # seconds more while one thread reads it again, so that others need not
MOST_CALLERS = 10_000


class Unauthenticated(PromptuaryError):
    """The key opens nothing."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who may fetch what: everything below one namespace, perhaps only what was approved or a protected label holds, or
    only what some labels serve.
    """

    key: str  # its id; empty for a person
    namespace: str
    approved_only: bool = False
    protected: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # none: all
    may_fetch: bool = True
    networks: tuple[Network, ...] = ()  # that its key may be used from; none: any
    valid_until: float = 0.0  # by the fetcher's clock


class CallerCache:
    """The callers that a process knows, by Authorization header. Safe to share between threads."""

    def __init__(self, clock: Callable[[], float], attempts: KeyAttempts) -> None:
        self._clock, self._attempts = clock, attempts
        self._callers: dict[str, Caller] = {}
        self._refreshing: dict[str, None] = {}  # the headers whose key a thread reads at the moment

    def authenticate(self, authorization: str, address: str = "") -> Caller:
        """The caller that an Authorization header names. Raises Unauthenticated, AddressNotAllowed, or TooMany after
        many wrong keys.
        """
        caller = self._find(authorization, address)
        if caller.networks:  # whoever asked before may have asked from elsewhere
            require_address(caller.key, caller.networks, address)
        return caller

    def clear(self) -> None:
        """Drop what is known of every key."""
        self._callers.clear()

    def _find(self, authorization: str, address: str) -> Caller:
        """The caller, as it is known or as the database has it."""
        caller, now = self._callers.get(authorization), self._clock()
        if caller is not None:
            remaining = caller.valid_until - now
            if remaining > 0 or (remaining > -KEY_STALE_WHILE_REFRESHING and authorization in self._refreshing):
                return caller
        self._refreshing[authorization] = None
        try:
            renew_connection()
            actor = self._attempts.authenticate(authorization[len("Bearer ") :].strip(), address)
            caller = caller_of_key(actor.key, now + KEY_TTL) if actor and actor.key else None
        finally:
            self._refreshing.pop(authorization, None)
        if caller is None:
            self._callers.pop(authorization, None)
            raise Unauthenticated("This key is unknown, expired or revoked.")
        if len(self._callers) >= MOST_CALLERS:
            self._callers.clear()
        self._callers[authorization] = caller
        return caller


def caller_of_key(key: Key, valid_until: float) -> Caller:
    """What the key may fetch, as the database knows it now; to be believed until `valid_until` (the fetcher's
    clock).
    """
    # Without a role in the namespace any more the key finds nothing: no template lies below a namespace without a name.
    namespace = key.namespace.name if role_of(key.person, key.namespace) else ""
    return Caller(
        key.id,
        namespace,
        is_limited(key),
        frozenset(key.namespace.protected_labels),
        frozenset(key.labels),
        Verb.FETCH in verbs_of(key),
        parse_networks(key.addresses),
        valid_until,
    )
