"""The journal looked at for itself: numbers, hashes, and rows that must say what their events say."""

import json
from collections.abc import Iterator

from registry.journal import digest_of
from registry.models import Event

__all__ = ["faults_of_chain"]

_AT_ONCE = 500


def faults_of_chain() -> Iterator[str]:
    """A sentence for the first event whose number, hash or columns are not what they must be."""
    head = None
    for number, event in enumerate(Event.objects.order_by("number").iterator(chunk_size=_AT_ONCE), start=1):
        fault = _fault(event, number, head)
        if fault:
            yield f"journal: {fault}"
            return
        head = event.hash


def _fault(event: Event, number: int, head: str | None) -> str:
    if event.number != number:
        return f"event {number} is missing; {event.number} follows instead."
    if digest_of(event.text) != event.hash:
        return f"event {number} was changed: its hash does not fit its text."
    facts = json.loads(event.text)
    if facts["previous"] != head:
        return f"event {number} does not follow from the event before it."
    columns = (event.number, event.kind, event.at, event.person, event.key or None, event.namespace or None)
    if columns != tuple(facts[name] for name in ("number", "kind", "at", "person", "key", "namespace")):
        return f"the columns of event {number} say something else than its text."
    return ""
