"""The loader of the texts that events name by digest: one query a kind for a batch of events."""

import json
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from registry.changes.events import ChangeDecided, CommentAdded, VerdictGiven
from registry.changes.models import Comment, Decision, Verdict
from registry.evaluations.events import DatasetSaved
from registry.evaluations.models import DatasetVersion
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.templates.events import SamplesSaved
from registry.templates.models import SampleSet, Version

__all__ = ["Sources"]


class Sources:
    """What the journal holds by digest only: documents, samples, what was said in a change request."""

    def __init__(self, events: Iterable[Event]) -> None:
        event_list = list(events)
        self._versions = _load_versions({(e.template, e.version) for e in event_list if e.version is not None})
        self._samples = _load_samples(event_list)
        self._decisions = _load_decisions(event_list)
        self._comments = _load_comments(event_list)
        self._verdicts = _load_verdicts(event_list)
        self._datasets = _load_datasets(event_list)

    def version(self, event: Event) -> Version:
        """The version that the event saved or moved a label to."""
        version: Version = _found(self._versions, (event.template, event.version), event)
        return version

    def samples(self, event: Event, digest: str) -> str:
        """The canonical JSON of the samples that the event saved."""
        text: str = _found(self._samples, (event.template, digest), event)
        return text

    def decision(self, event: Event, number: int) -> str:
        """What was said with a decision."""
        text: str = _found(self._decisions, (event.change, number), event)
        return text

    def comment(self, event: Event, thread: int, number: int) -> dict[str, Any]:
        """A comment's words, the lines it suggests or None, and the lines that its thread is about."""
        words: dict[str, Any] = _found(self._comments, (event.change, thread, number), event)
        return words

    def verdict(self, event: Event, key: str) -> str:
        """The canonical JSON of what a check found, item by item."""
        details: str = _found(self._verdicts, key, event)
        return details

    def dataset(self, event: Event, name: str, number: int) -> str:
        """The rows that the event saved, a line each."""
        text: str = _found(self._datasets, (name, number), event)
        return text


def _found(rows: Mapping[Any, Any], key: Any, event: Event) -> Any:
    try:
        return rows[key]
    except KeyError:
        raise MirrorError(
            f"The row that event {event.number} ({event.kind}) speaks of is not in the database."
        ) from None


def _load_versions(keys: set[tuple[str, int]]) -> dict[tuple[str, int], Version]:
    if not keys:
        return {}
    condition = reduce(or_, (Q(template__name=name, number=number) for name, number in sorted(keys)))
    rows = Version.objects.filter(condition).select_related("template")
    return {(row.template.name, row.number): row for row in rows}


def _load_samples(events: list[Event]) -> dict[tuple[str, str], str]:
    names = {event.template for event in events if event.kind == SamplesSaved.kind}
    rows = SampleSet.objects.filter(template__name__in=names).values_list("template__name", "digest", "text")
    return {(name, digest): text for name, digest, text in rows} if names else {}


def _load_decisions(events: list[Event]) -> dict[tuple[int, int], str]:
    numbers = {event.change for event in events if event.kind == ChangeDecided.kind}
    rows = Decision.objects.filter(change__in=numbers).values_list("change_id", "number", "text")
    return {(change, number): text for change, number, text in rows} if numbers else {}


def _load_comments(events: list[Event]) -> dict[tuple[int, int, int], dict[str, Any]]:
    numbers = {event.change for event in events if event.kind == CommentAdded.kind}
    rows = Comment.objects.filter(thread__change__in=numbers).select_related("thread") if numbers else ()
    return {
        (row.thread.change_id, row.thread.number, row.number): {
            "text": row.text,
            "suggestion": row.suggestion,
            "quote": row.thread.quote,
        }
        for row in rows
    }


def _load_verdicts(events: list[Event]) -> dict[str, str]:
    keys = [json.loads(event.text)["body"]["key"] for event in events if event.kind == VerdictGiven.kind]
    return dict(Verdict.objects.filter(key__in=keys).values_list("key", "details")) if keys else {}


def _load_datasets(events: list[Event]) -> dict[tuple[str, int], str]:
    bodies = [json.loads(event.text)["body"] for event in events if event.kind == DatasetSaved.kind]
    if not bodies:
        return {}
    condition = reduce(or_, (Q(dataset__name=body["dataset"], number=body["number"]) for body in bodies))
    rows = DatasetVersion.objects.filter(condition).values_list("dataset__name", "number", "text")
    return {(name, number): text for name, number, text in rows}
