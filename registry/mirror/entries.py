"""The journal's events as entries of the mirror: the content of each commit.

Each file contains one small object (a document, a label of a template, a step of a change request), so an event's files
depend only on that event and its rows, never on earlier events. The exception: a redacted version is written without
its text, so a redaction rewrites the history (`rebuilding`).
"""

import json
from collections.abc import Mapping
from typing import Any

from promptuary.renderer.syntax import yaml_writer
from registry.core.timestamps import format_moment
from registry.journal import mirror_paths
from registry.journal.event import from_microseconds, parse_event
from registry.journal.mirroring import CommitContent, MirrorError
from registry.journal.models import Event
from registry.mirror.blob_loader import Sources
from registry.mirror.commit_message import Entry
from registry.templates.models import Version

__all__ = ["read_entries"]


def read_entries(*, after: int, limit: int) -> list[Entry]:
    """The entries of the events after a number, in order, at most `limit`. Raises MirrorError if one can't be
    parsed.
    """
    events = list(Event.objects.filter(number__gt=after).order_by("number")[:limit])
    sources = Sources(events)
    return [_build_entry(event, sources) for event in events]


def _build_entry(row: Event, sources: Sources) -> Entry:
    body = json.loads(row.text)["body"]
    try:
        event = parse_event(row.kind, body)
    except TypeError as error:
        raise MirrorError(f"Event {row.number} ({row.kind}) can't be read: {error}") from error
    texts = _EventTexts(row, body, sources)
    content = event.commit(texts) if event else _describe_unknown_event(row, texts)
    return Entry(
        number=row.number,
        at=row.at,
        author=row.person,
        subject=content.subject,
        note=content.note,
        record=row.text,
        chain=row.hash,
        template=row.template,
        version=row.version,
        digest=content.digest,
        files=content.files,
        renames=content.renames,
        moves=content.moves,
    )


def _describe_unknown_event(row: Event, texts: "_EventTexts") -> CommitContent:
    """The commit of an event of a kind unknown to this release."""
    subject = f"{row.template or row.namespace or 'promptuary'}: {row.kind}"
    return CommitContent(
        subject, {mirror_paths.locate_other_event(row.namespace, row.kind, row.number): texts.record()}
    )


class _EventTexts:
    """One stored event and its texts: the implementation of `registry.journal.mirroring.Texts`."""

    def __init__(self, row: Event, body: Mapping[str, Any], sources: Sources) -> None:
        self._row, self._body, self._sources = row, body, sources
        self.number: int = row.number
        self.namespace: str = row.namespace

    def record(self, **more: Any) -> bytes:
        row = self._row
        author = {"person": row.person, **({"key": row.key} if row.key else {})}
        return self.write_yaml(
            {"event": row.number, "at": format_moment(from_microseconds(row.at)), "by": author, **self._body, **more}
        )

    def write_yaml(self, value: Any, *, sort_keys: bool = True) -> bytes:
        return yaml_writer.write_yaml(value, sort_keys=sort_keys).encode()

    def find_version(self, number: int | None = None) -> Version:
        return self._sources.find_version(self._row, number)

    def find_stored_row(self) -> Mapping[str, Any]:
        return self._sources.find_stored_row(self._row, self._body)
