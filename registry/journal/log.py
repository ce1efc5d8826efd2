"""Appending to the journal: each lasting decision as one event, in the transaction that writes its rows.

An event's text is the canonical JSON (RFC 8785) of

    {"at": microseconds, "body": {…}, "key": id or null, "kind": "version.saved", "namespace": name or null, "number":
    7,
     "person": username, "previous": hash of event 6 or null}

and its hash is the SHA-256 of that text, so each event seals all earlier ones. The body contains only digests of
documents, samples and discussion. Numbers have no gaps and rise in commit order, because each writer holds one lock
until commit: an advisory lock on PostgreSQL, the write lock of BEGIN IMMEDIATE on SQLite.

A database restored from an older backup lacks events that the Git mirror still has. Writing to it would give a number
to two events. So the mirror writes a mark, a small file with the journal's last event; each append checks it (one
`stat`) and is refused until an operator has decided which history counts.
"""

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext

from promptuary.renderer.files import write_atomically
from promptuary.renderer.validation import secrets
from registry.core import failpoints
from registry.core.errors import Halted
from registry.core.input_checks import check_secrets
from registry.journal.event import (
    JournalEvent,
    Occasion,
    compute_digest,
    format_canonical_json,
    read_columns,
    run_reactions,
    to_microseconds,
)
from registry.journal.models import Event

__all__ = [
    "CHANNEL",
    "Author",
    "Identified",
    "Mark",
    "Named",
    "Person",
    "append",
    "describe_disagreement",
    "lock",
    "now",
    "read_head",
    "read_mark",
    "require_agreement",
    "subscribe",
    "write_mark",
]

CHANNEL = "promptuary_journal"  # on which PostgreSQL announces each append
_LOCK = 0x70726F6D70747561  # "promptua": one number for all writers of one database
_MARK_FILE = "promptuary-head"
_ADVICE = "Nothing is written until an operator chooses: `manage.py mirror adopt` or `manage.py mirror discard`."
_subscribers: list[Callable[[], None]] = []


class Person(Protocol):
    """The person who caused an event."""

    @property
    def username(self) -> str: ...


class Identified(Protocol):
    """The key that the person acted through."""

    @property
    def id(self) -> str: ...


class Author(Protocol):
    """The actor: a person, possibly through a key."""

    @property
    def person(self) -> Person: ...
    @property
    def key(self) -> Identified | None: ...


class Named(Protocol):
    """The namespace of an event."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Mark:
    """The last event in the mirror, and its hash."""

    number: int
    chain: str


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def lock() -> None:
    """Serialize writers from here to commit; what is read after this stays valid until then.

    A template's row must be locked before this. Rows of change requests are only written under this lock.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("the journal is written inside a transaction")  # no text: a fault
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])


def append(
    author: Author, event: JournalEvent, *, namespace: Named | None, at: datetime, subject: object = None
) -> Event:
    """Write the event as the last step of the caller's transaction, run its reactions and return its row.

    at: the time in the rows of the same write. subject: the rows that reactions work on. Raises Invalid if a text of
    the body contains a credential.
    """
    body = event.build_body()
    if event.is_by_person:
        _require_no_secrets(body)
    lock()
    if failpoints.armed:
        failpoints.reach("journal.appending")
    row = _write_row(author, event.kind, body, namespace, at)
    if failpoints.armed:
        failpoints.reach("journal.appended")
    for wake in _subscribers:
        transaction.on_commit(wake, robust=True)
    run_reactions(Occasion(event, author, subject))
    return row


def _write_row(author: Author, kind: str, body: Mapping[str, Any], namespace: Named | None, at: datetime) -> Event:
    """Write the event after the last one, and announce it to PostgreSQL's listeners."""
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    require_agreement(head)
    number, previous = (head[0] + 1, head[1]) if head else (1, None)
    facts = {
        "at": to_microseconds(at),
        "body": body,
        "key": author.key.id if author.key else None,
        "kind": kind,
        "namespace": namespace.name if namespace else None,
        "number": number,
        "person": author.person.username,
        "previous": previous,
    }
    text = format_canonical_json(facts)
    columns = read_columns(kind, body)
    row = Event.objects.create(
        number=number,
        kind=kind,
        at=to_microseconds(at),
        person=author.person.username,
        key=author.key.id if author.key else "",
        namespace=namespace.name if namespace else "",
        template=columns.template,
        version=columns.version,
        change=columns.change,
        text=text,
        hash=compute_digest(text),
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")  # delivered to others once this is committed
    return row


def _require_no_secrets(body: Mapping[str, Any]) -> None:
    """The last check before a text is kept forever; services check earlier, with more specific messages."""
    for field, value in body.items():
        for text in _list_strings(value):
            if next(secrets.find_secrets(text), None):
                check_secrets(field, text)


def _list_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (str(name), *_list_strings(item))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _list_strings(item)


def subscribe(wake: Callable[[], None]) -> None:
    """Call `wake` after each commit that appended, in the process that did; readers keep their own cursor."""
    if wake not in _subscribers:
        _subscribers.append(wake)


def write_mark(repository: Path, mark: Mark) -> None:
    """Record that the repository contains events up to this one; for the mirror's writer, which holds its lock."""
    content = json.dumps({"number": mark.number, "chain": mark.chain})
    write_atomically(repository / _MARK_FILE, content.encode("ascii"))


def read_mark() -> Mark | None:
    """The mirror's mark, or None if it is missing or unreadable."""
    return _mark_reader.read(settings.MIRROR_PATH / _MARK_FILE)


def read_head() -> str:
    """The hash of the last event, empty for an empty journal. It changes with every append."""
    return Event.objects.order_by("-number").values_list("hash", flat=True).first() or ""


def describe_disagreement() -> str:
    """A sentence that says why writing is halted; empty if journal and mirror agree."""
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    try:
        require_agreement(head)
    except Halted as error:
        return error.message
    return ""


def require_agreement(head: tuple[int, str] | None) -> None:
    """Raise Halted if the mirror contains events that this journal, which ends with `head`, lacks."""
    mark = read_mark()
    if mark is None:
        return
    number = head[0] if head else 0
    if number < mark.number:
        raise Halted(
            gettext(
                "The database is older than its Git mirror: it ends with event {number}, the mirror with "
                "event {mark_number}. {advice}"
            ).format(number=number, mark_number=mark.number, advice=_ADVICE),
            journal=number,
            mirror=mark.number,
        )
    if mark == _mark_reader.agreed:
        return
    stored_hash = Event.objects.filter(number=mark.number).values_list("hash", flat=True).first()
    if stored_hash != mark.chain:
        raise Halted(
            (
                gettext(
                    "The Git mirror has another event {number} than the database: they belong to two "
                    "histories. {advice}"
                ).format(number=mark.number, advice=_ADVICE)
            ),
            journal=number,
            mirror=mark.number,
        )
    _mark_reader.agreed = mark


class _MarkReader:
    """The file's content as last read, cached by its stat result."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[object, ...] = ()
        self._mark: Mark | None = None
        self.agreed: Mark | None = None  # already found in the journal; only a newer one is looked up

    def read(self, path: Path) -> Mark | None:
        try:
            status = os.stat(path)
        except OSError:
            return None
        file_state = (path, status.st_ino, status.st_mtime_ns, status.st_size)
        with self._lock:
            if file_state != self._seen:
                self._mark, self._seen = _parse_mark(path), file_state
            return self._mark


def _parse_mark(path: Path) -> Mark | None:
    try:
        content = json.loads(path.read_text(encoding="ascii"))
        return Mark(int(content["number"]), str(content["chain"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


_mark_reader = _MarkReader()
