"""Callers' keys on the fetch path, and what each may fetch, cached for less than a second.

A key is read from the database again after KEY_TTL. One thread reads it: in a web process that of `start_key_reader`,
else the first that needs the key. Others use the cached value for up to KEY_STALE_WHILE_REFRESHING more, so a revoked
key or a lost role takes effect within one second.
"""

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from django.db import DatabaseError

from registry.accounts.models import Key
from registry.core.client_address import Network, parse_networks
from registry.core.errors import PromptuaryError
from registry.namespaces.key_attempts import KeyAttempts
from registry.namespaces.key_queries import require_address
from registry.namespaces.key_rights import is_limited, list_key_verbs
from registry.namespaces.permissions import find_role
from registry.namespaces.verbs import Verb
from registry.serving.journal_follower import renew_connection

__all__ = [
    "KEY_STALE_WHILE_REFRESHING",
    "KEY_TTL",
    "Caller",
    "CallerCache",
    "Unauthenticated",
    "read_caller",
    "start_key_reader",
]

KEY_TTL = 0.7  # seconds a key is cached
KEY_STALE_WHILE_REFRESHING = 0.3  # additional seconds while one thread reads it again, so that others needn't
MAX_CALLERS = 10_000
logger = logging.getLogger(__name__)


class Unauthenticated(PromptuaryError):
    """The key is not valid."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller and what it may fetch: everything in one namespace, possibly only what was approved or a protected label
    holds, or only what some labels serve. Two are equal if they may fetch the same.
    """

    key: str  # its id; empty for a person
    namespace: str
    approved_only: bool = False
    protected: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()  # none: all
    may_fetch: bool = True
    networks: tuple[Network, ...] = ()  # that its key may be used from; empty: any
    valid_until: float = field(default=0.0, compare=False)  # by the fetcher's clock


class CallerCache:
    """A process's cached callers, by Authorization header. Thread-safe.

    has_reader: whether a thread calls `read_next_key`, so that no fetch waits for a key that was read before.
    """

    def __init__(self, clock: Callable[[], float], attempts: KeyAttempts) -> None:
        self._clock, self._attempts = clock, attempts
        self._callers: dict[str, Caller] = {}
        self._refreshing: dict[str, None] = {}  # the headers whose key is being read by a thread
        self._due: queue.SimpleQueue[str] = queue.SimpleQueue()  # the headers that the reader has to read again
        self.has_reader = False

    def authenticate(self, authorization: str, address: str = "") -> Caller:
        """The caller of an Authorization header. Raises Unauthenticated, AddressNotAllowed, or TooMany after many wrong
        keys.
        """
        caller = self._find(authorization, address)
        if caller.networks:  # the cached request may have come from another address
            require_address(caller.key, caller.networks, address)
        return caller

    def find(self, authorization: str) -> Caller | None:
        """The cached caller of a key that may be used from anywhere, or None if the key has to be read first.

        Asks the reader to read a key that is due; until it has done so, the cached caller is returned for
        KEY_STALE_WHILE_REFRESHING.
        """
        caller = self._callers.get(authorization)
        if caller is None or caller.networks:
            return None
        overdue = self._clock() - caller.valid_until
        if overdue < 0:
            return caller
        if not self.has_reader or overdue >= KEY_STALE_WHILE_REFRESHING:
            return None
        if authorization not in self._refreshing:
            self._refreshing[authorization] = None
            self._due.put(authorization)
        return caller

    def read_next_key(self) -> None:
        """Wait until a key is due and read it. A key that is refused is dropped, so that the next fetch is told why."""
        authorization = self._due.get()
        try:
            self._read(authorization, "")
        except (PromptuaryError, DatabaseError):  # fetches meet the same error and report it
            logger.debug("a key can't be read", exc_info=True)

    def clear(self) -> None:
        """Drop all cached keys."""
        self._callers.clear()

    def _find(self, authorization: str, address: str) -> Caller:
        """The caller, from the cache or the database."""
        caller, now = self._callers.get(authorization), self._clock()
        if caller is not None:
            remaining = caller.valid_until - now
            if remaining > 0 or (remaining > -KEY_STALE_WHILE_REFRESHING and authorization in self._refreshing):
                return caller
        return self._read(authorization, address)

    def _read(self, authorization: str, address: str) -> Caller:
        """The caller according to the database, which is cached. Raises like `authenticate`."""
        self._refreshing[authorization] = None
        valid_until = self._clock() + KEY_TTL
        try:
            renew_connection()
            actor = self._attempts.authenticate(authorization[len("Bearer ") :].strip(), address)
            caller = read_caller(actor.key, valid_until) if actor and actor.key else None
        finally:
            self._refreshing.pop(authorization, None)
        if caller is None:
            self._callers.pop(authorization, None)
            raise Unauthenticated("This key is unknown, expired or revoked.")  # no text: keys get English
        if len(self._callers) >= MAX_CALLERS:
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


def start_key_reader(callers: CallerCache) -> threading.Thread:
    """Start the thread that reads keys again when they are due, until the process ends."""
    callers.has_reader = True
    thread = threading.Thread(target=_run_reader, args=(callers,), name="key-reader", daemon=True)
    thread.start()
    return thread


def _run_reader(callers: CallerCache) -> None:
    while True:
        callers.read_next_key()
