"""Loading of the texts that events refer to by digest: one query per kind for a batch of events."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.apps import apps
from django.db.models import Q

from registry.journal.event import StoredRow, list_event_classes
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.templates.former_names import find_current_names
from registry.templates.models import Version

__all__ = ["Sources"]

_Body = Mapping[str, Any]
_NAME = "template__name"


class Sources:
    """What a batch of events refers to by digest only: versions, and the rows named by the event classes."""

    def __init__(self, events: Iterable[Event]) -> None:
        event_list = list(events)
        self._versions = _load_versions({(e.template, e.version) for e in event_list if e.version is not None})
        self._stored_rows = {cls.kind: cls.stored_row for cls in list_event_classes() if cls.stored_row is not None}
        bodies: defaultdict[str, list[_Body]] = defaultdict(list)
        for event in event_list:
            if event.kind in self._stored_rows:
                bodies[event.kind].append(json.loads(event.text)["body"])
        self._rows = {kind: _load_rows(self._stored_rows[kind], of_kind) for kind, of_kind in bodies.items()}

    def find_version(self, event: Event, number: int | None = None) -> Version:
        """The version that the event saved or moved a label to, or another one of its template. Raises MirrorError if
        the database lacks it.
        """
        key = event.template, number or event.version
        if number is not None and key not in self._versions:
            self._versions |= _load_versions({(event.template, number)})
        version: Version = _find_row(self._versions, key, event)
        return version

    def find_stored_row(self, event: Event, body: _Body) -> Mapping[str, Any]:
        """The columns of the row that the event's class names. Raises MirrorError if the database lacks it."""
        key = _make_key(self._stored_rows[event.kind], body)
        columns: Mapping[str, Any] = _find_row(self._rows[event.kind], key, event)
        return columns


def _find_row(rows: Mapping[Any, Any], key: Any, event: Event) -> Any:
    try:
        return rows[key]
    except KeyError:
        raise MirrorError(
            f"The row that event {event.number} ({event.kind}) speaks of is not in the database."
        ) from None


def _load_versions(keys: set[tuple[str, int]]) -> dict[tuple[str, int], Version]:
    if not keys:
        return {}
    current = find_current_names({name for name, _ in keys})
    pairs = {(current.get(name, name), number) for name, number in keys}
    condition = reduce(or_, (Q(template__name=name, number=number) for name, number in sorted(pairs)))
    rows = {
        (row.template.name, row.number): row for row in Version.objects.filter(condition).select_related("template")
    }
    places = ((name, number, (current.get(name, name), number)) for name, number in keys)
    return {(name, number): rows[place] for name, number, place in places if place in rows}


def _load_rows(stored_row: StoredRow, bodies: Iterable[_Body]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Map each row's key to its columns."""
    lookups = list(stored_row.lookups)
    keys = {_make_key(stored_row, body) for body in bodies}
    current = _find_current_keys(lookups, keys)
    condition = reduce(or_, (Q(**dict(zip(lookups, key, strict=True))) for key in sorted(current.values())))
    manager = apps.get_model("registry", stored_row.model)._default_manager
    rows = manager.filter(condition).values_list(*lookups, *stored_row.columns.values())
    stored = {row[: len(lookups)]: dict(zip(stored_row.columns, row[len(lookups) :], strict=True)) for row in rows}
    return {key: stored[current[key]] for key in keys if current[key] in stored}


def _find_current_keys(lookups: list[str], keys: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """Map each key to its row's current key: a template may have been renamed since."""
    if _NAME not in lookups:
        return {key: key for key in keys}
    place = lookups.index(_NAME)
    current = find_current_names({key[place] for key in keys})
    return {key: (*key[:place], current.get(key[place], key[place]), *key[place + 1 :]) for key in keys}


def _make_key(stored_row: StoredRow, body: _Body) -> tuple[Any, ...]:
    return tuple(body[name] for name in stored_row.lookups.values())
