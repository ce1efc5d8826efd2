"""Journal rows written in bulk, with the same texts, hashes and columns as those of `registry.journal.log`."""

from datetime import datetime
from typing import Any

from registry.accounts.models import User
from registry.journal.event import JournalEvent, compute_digest, format_canonical_json, read_columns, to_microseconds
from registry.journal.models import Commit, Event

__all__ = ["JournalRows"]

_BATCH = 2_000


class JournalRows:
    """Appends events after the last one in the journal, each with a commit, in batches of a few thousand."""

    def __init__(self) -> None:
        last = Event.objects.order_by("-number").values_list("number", "hash").first()
        self._number: int = last[0] if last else 0
        self._head: str | None = last[1] if last else None
        self._events: list[Event] = []

    def add(self, person: User, event: JournalEvent, *, namespace: str, at: datetime) -> int:
        """Add an event; return its number."""
        self._number += 1
        body = event.build_body()
        facts: dict[str, Any] = {
            "at": to_microseconds(at),
            "body": body,
            "key": None,
            "kind": event.kind,
            "namespace": namespace,
            "number": self._number,
            "person": person.username,
            "previous": self._head,
        }
        text = format_canonical_json(facts)
        self._head = compute_digest(text)
        columns = read_columns(event.kind, body)
        row = Event(number=self._number, kind=event.kind, at=facts["at"], person=person.username, namespace=namespace)
        row.template, row.version, row.change = columns.template, columns.version, columns.change
        row.text, row.hash = text, self._head
        self._events.append(row)
        return self._number

    def flush(self) -> None:
        """Write the added events."""
        Event.objects.bulk_create(self._events, batch_size=_BATCH)
        commits = [Commit(event=event, sha=event.hash[7:47]) for event in self._events]
        Commit.objects.bulk_create(commits, batch_size=_BATCH)
        self._events = []
