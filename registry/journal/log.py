"""Every lasting decision, appended in order in the same transaction as the rows it speaks of.

An event's text is the canonical JSON (RFC 8785) of

    {"at": microseconds, "body": {…}, "key": id or null, "kind": "version.saved", "namespace": name or null, "number": 7,
     "person": username, "previous": hash of event 6 or null}

and its hash is the SHA-256 of that text, so each event seals all before it. Documents, samples and discussion stand in
the body by their digest, never by their bytes. Numbers have no gaps and rise in commit order, because whoever appends
holds one lock until commit: an advisory lock on PostgreSQL, the write lock that BEGIN IMMEDIATE takes on SQLite.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import rfc8785
from django.db import connection, transaction

from registry.accounts.actor import Actor
from registry.core.failpoints import reach
from registry.core.text_checks import check_secrets
from registry.journal import rollback_guard
from registry.journal.models import Event
from registry.namespaces.models import Namespace

__all__ = ["CHANNEL", "Kind", "append", "canonical", "digest_of", "lock", "microseconds", "now", "subscribe"]

CHANNEL = "promptuary_journal"  # on which PostgreSQL tells of each append
_LOCK = 0x70726F6D70747561  # "promptua": one number for all writers of one database
_subscribers: list[Callable[[], None]] = []


class Kind(StrEnum):
    """What an event can be about; the body of each is described where a service appends it."""

    NAMESPACE_CREATED = "namespace.created"
    NAMESPACE_RULED = "namespace.ruled"
    MEMBER_SET = "member.set"
    KEY_ISSUED = "key.issued"
    KEY_REVOKED = "key.revoked"
    KEY_ROTATED = "key.rotated"
    VERSION_SAVED = "version.saved"
    VERSION_REDACTED = "version.redacted"
    SAMPLES_SAVED = "samples.saved"
    TEMPLATE_ARCHIVED = "template.archived"
    TEMPLATE_UNARCHIVED = "template.unarchived"
    LABEL_MOVED = "label.moved"
    CHANGE_PROPOSED = "change.proposed"
    CHANGE_HEADED = "change.headed"
    CHANGE_DECIDED = "change.decided"
    CHANGE_WITHDRAWN = "change.withdrawn"
    CHANGE_REOPENED = "change.reopened"
    EMERGENCY_CLOSED = "emergency.closed"
    COMMENT_ADDED = "comment.added"
    THREAD_RESOLVED = "thread.resolved"
    VERDICT_GIVEN = "verdict.given"
    DATASET_SAVED = "dataset.saved"
    EVALUATION_ATTACHED = "evaluation.attached"
    EVALUATION_DETACHED = "evaluation.detached"
    WEBHOOK_SET = "webhook.set"
    WEBHOOK_REMOVED = "webhook.removed"


def now() -> datetime:
    """The present moment, UTC, in whole microseconds."""
    return datetime.now(UTC)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970 UTC, exactly."""
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86400 + since.seconds) * 1_000_000 + since.microseconds


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


def append(  # an event has these facts; a dataclass to carry them would be read in one place
    kind: Kind,
    actor: Actor,
    namespace: Namespace | None,
    body: Mapping[str, Any],
    *,
    at: datetime,
    template: str = "",
    version: int | None = None,
    change: int | None = None,
) -> Event:
    """Write the event inside the caller's transaction, as the last thing in it.

    `at` is the moment that the rows of the same write carry; `template`, `version` and `change` are what the audit page
    and the mirror search by, and stand in the body as well. Invalid where a text of the body holds a credential.
    """
    _require_no_secrets(kind, body)
    lock()
    reach("journal.appending")
    head = Event.objects.order_by("-number").values_list("number", "hash").first()
    rollback_guard.require_agreement(head)
    number, previous = (head[0] + 1, head[1]) if head else (1, None)
    facts = {
        "at": microseconds(at),
        "body": dict(body),
        "key": actor.key.id if actor.key else None,
        "kind": kind.value,
        "namespace": namespace.name if namespace else None,
        "number": number,
        "person": actor.person.username,
        "previous": previous,
    }
    text = canonical(facts)
    event = Event.objects.create(
        number=number,
        kind=kind.value,
        at=microseconds(at),
        person=actor.person.username,
        key=actor.key.id if actor.key else "",
        namespace=namespace.name if namespace else "",
        template=template,
        version=version,
        change=change,
        text=text,
        hash=digest_of(text),
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")  # heard by others once this is committed
    reach("journal.appended")
    for wake in _subscribers:
        transaction.on_commit(wake, robust=True)
    return event


def _require_no_secrets(kind: Kind, body: Mapping[str, Any]) -> None:
    """The last look before a text is kept for ever; services look earlier, at what they name in their own words.

    A verdict is written by the worker, from messages that repeat no secret.
    """
    if kind is Kind.VERDICT_GIVEN:
        return
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
