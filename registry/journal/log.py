"""Appending to the journal: each lasting decision as one event, in the transaction of the rows it speaks of.

An event's text is the canonical JSON (RFC 8785) of

    {"at": microseconds, "body": {…}, "key": id or null, "kind": "version.saved", "namespace": name or null, "number":
    7,
     "person": username, "previous": hash of event 6 or null}

and its hash is the SHA-256 of that text, so each event seals all before it. Documents, samples and discussion are in
the body by their digest, never by their bytes. Numbers have no gaps and rise in commit order, because whoever appends
holds one lock until commit: an advisory lock on PostgreSQL, the write lock that BEGIN IMMEDIATE takes on SQLite.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

import rfc8785
from django.db import connection, transaction

from registry.core.failpoints import reach
from registry.core.text_checks import check_secrets
from registry.journal import rollback_guard
from registry.journal.event import JournalEvent, columns_of, to_microseconds
from registry.journal.models import Event

__all__ = [
    "CHANNEL",
    "Author",
    "Identified",
    "Named",
    "Occasion",
    "Person",
    "append",
    "canonical",
    "digest_of",
    "lock",
    "now",
    "react",
    "set_reactions",
    "subscribe",
]

CHANNEL = "promptuary_journal"  # on which PostgreSQL tells of each append
_LOCK = 0x70726F6D70747561  # "promptua": one number for all writers of one database
_subscribers: list[Callable[[], None]] = []
_reactions: list[Callable[["Occasion"], None]] = []
T = TypeVar("T")


class Person(Protocol):
    """Whom an event is by."""

    @property
    def username(self) -> str: ...


class Identified(Protocol):
    """The key that somebody acted through."""

    @property
    def id(self) -> str: ...


class Author(Protocol):
    """Who acts: a person, maybe through a key."""

    @property
    def person(self) -> Person: ...
    @property
    def key(self) -> Identified | None: ...


class Named(Protocol):
    """The namespace of an event."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Occasion:
    """What happened. author: who acts, None for the worker; subject: the rows it is about, as the service has them."""

    event: object
    author: object = None
    subject: object = None

    def author_as(self, cls: type[T]) -> T:
        """The author, of this class. TypeError where it is none."""
        return _require(cls, self.author)

    def subject_as(self, cls: type[T]) -> T:
        """The subject, of this class. TypeError where it is none."""
        return _require(cls, self.subject)


def now() -> datetime:
    """The present moment, UTC, in whole microseconds."""
    return datetime.now(UTC)


def canonical(value: Any) -> str:
    """The one JSON text of a value (RFC 8785). Raises rfc8785.CanonicalizationError for what JSON can't say exactly."""
    return rfc8785.dumps(value).decode("utf-8")


def digest_of(text: str) -> str:
    """`sha256:…` over the UTF-8 bytes of a text."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def lock() -> None:
    """Let writers go one at a time from here to commit; what is read after this stays true until then.

    Rows that are locked too are locked before: template, change, then this.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("the journal is written inside a transaction only")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def append(
    author: Author, event: JournalEvent, *, namespace: Named | None, at: datetime, subject: object = None
) -> Event:
    """Write the event inside the caller's transaction, as the last thing in it, and run the reactions to it; gives its
    row.

    at: the moment that the rows of the same write carry. subject: the rows that reactions work on. Invalid where a
    text of the body holds a credential.
    """
    body = event.body()
    if event.is_by_person:
        _require_no_secrets(body)
    lock()
    reach("journal.appending")
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    rollback_guard.require_agreement(head)
    number, previous = (head[0] + 1, head[1]) if head else (1, None)
    facts = {
        "at": to_microseconds(at),
        "body": body,
        "key": author.key.id if author.key else None,
        "kind": event.kind,
        "namespace": namespace.name if namespace else None,
        "number": number,
        "person": author.person.username,
        "previous": previous,
    }
    text = canonical(facts)
    columns = columns_of(event.kind, body)
    row = Event.objects.create(
        number=number,
        kind=event.kind,
        at=to_microseconds(at),
        person=author.person.username,
        key=author.key.id if author.key else "",
        namespace=namespace.name if namespace else "",
        template=columns.template,
        version=columns.version,
        change=columns.change,
        text=text,
        hash=digest_of(text),
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")  # heard by others once this is committed
    reach("journal.appended")
    for wake in _subscribers:
        transaction.on_commit(wake, robust=True)
    react(Occasion(event, author, subject))
    return row


def _require_no_secrets(body: Mapping[str, Any]) -> None:
    """The last look before a text is kept for ever; services look earlier, at what they name in their own words."""
    for field, value in body.items():
        for text in _strings(value):
            check_secrets(field, text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (str(name), *_strings(item))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def subscribe(wake: Callable[[], None]) -> None:
    """Call `wake` after each commit that appended, in the process that did; readers keep their own cursor."""
    if wake not in _subscribers:
        _subscribers.append(wake)


def react(occasion: Occasion) -> None:
    """Have the domains above react, in the caller's transaction; nothing below imports them."""
    for reaction in _reactions:
        reaction(occasion)


def set_reactions(reaction: Callable[[Occasion], None]) -> None:
    """Call this function with each occasion from now on, in the place of the one before."""
    _reactions[:] = [reaction]


def _require(cls: type[T], value: Any) -> T:
    if not isinstance(value, cls):
        raise TypeError(f"A reaction needs {cls.__name__}, not {type(value).__name__}.")
    return value
