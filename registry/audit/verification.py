"""Verification of the journal: numbers, hashes, and columns that must match the events' texts."""

# no texts here: faults are stored

import json
from collections.abc import Iterator
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from registry.journal.event import compute_digest, read_columns
from registry.journal.models import Event

__all__ = ["find_chain_faults", "parse_event_text", "read_event"]

_AT_ONCE = 500
_COLUMNS = ("number", "kind", "at", "person", "key", "namespace", "template", "version", "change", "hash")


def parse_event_text(text: str) -> dict[str, Any]:
    """An event's text parsed into a mapping."""
    facts: dict[str, Any] = json.loads(text)
    return facts


def read_event(text: str) -> Event:
    """An unsaved row of an event from its text. Raises ValueError, KeyError or TypeError if it isn't an event."""
    facts = parse_event_text(text)
    columns = read_columns(facts["kind"], facts["body"])
    return Event(
        number=int(facts["number"]),
        kind=str(facts["kind"]),
        at=int(facts["at"]),
        person=str(facts["person"]),
        key=facts["key"] or "",
        namespace=facts["namespace"] or "",
        template=columns.template,
        version=columns.version,
        change=columns.change,
        text=text,
        hash=compute_digest(text),
    )


def find_chain_faults(database: str = DEFAULT_DB_ALIAS) -> Iterator[str]:
    """A sentence for the first event whose number, hash or columns are wrong.

    database: the alias to read from.
    """
    head = None
    events = Event.objects.using(database).order_by("number")
    for number, event in enumerate(events.iterator(chunk_size=_AT_ONCE), start=1):
        fault = _find_fault(event, number, head)
        if fault:
            yield f"journal: {fault}"
            return
        head = event.hash


def _find_fault(event: Event, number: int, head: str | None) -> str:
    if event.number != number:
        return f"event {number} is missing; {event.number} follows instead."
    if compute_digest(event.text) != event.hash:
        return f"event {number} was changed: its hash does not fit its text."
    if parse_event_text(event.text)["previous"] != head:
        return f"event {number} does not follow from the event before it."
    fields = read_event(event.text)
    if different := [name for name in _COLUMNS if getattr(fields, name) != getattr(event, name)]:
        return f"event {number}: the column {different[0]} says something else than the event's text."
    return ""
