"""The export of events: CSV for spreadsheets, JSON lines for programs."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from registry.core.spreadsheets import neutralize_formula
from registry.core.timestamps import format_moment
from registry.journal.event import from_microseconds
from registry.journal.models import Event

__all__ = ["CONTENT_TYPES", "format_event", "write_lines"]

CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson; charset=utf-8"}
_COLUMNS = ("number", "at", "kind", "person", "key", "template", "version", "change", "body", "hash")


def write_lines(form: str, events: Iterable[Event]) -> Iterator[str]:
    """The file's text, one event at a time; `form` is one of CONTENT_TYPES."""
    return _WRITERS[form](events)


def format_event(event: Event) -> dict[str, Any]:
    """An event as JSON: `at` as 2026-05-01T09:30:00.000000Z, fields that don't apply as null."""
    facts = json.loads(event.text)
    return {
        "number": event.number,
        "at": format_moment(from_microseconds(event.at)),
        "kind": event.kind,
        "person": event.person,
        "key": event.key or None,
        "namespace": event.namespace,
        "template": event.template or None,
        "version": event.version,
        "change": event.change,
        "body": facts["body"],
        "previous": facts["previous"],
        "hash": event.hash,
    }


def _write_json(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        yield json.dumps(format_event(event), ensure_ascii=False) + "\n"


def _write_csv(events: Iterable[Event]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for event in events:
        facts = format_event(event)
        facts["body"] = json.dumps(facts["body"], ensure_ascii=False)
        writer.writerow([neutralize_formula(facts[name]) for name in _COLUMNS])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


_WRITERS: Mapping[str, Callable[[Iterable[Event]], Iterator[str]]] = {"csv": _write_csv, "jsonl": _write_json}
