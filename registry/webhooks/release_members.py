"""Releases in a chat: one message for an act on a release, without one more for each of its templates."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence

from registry.changes.models import ChangeRequest
from registry.journal.event import parse_event
from registry.journal.models import Event
from registry.releases.events import LAST_STEPS, ReleaseStep

__all__ = ["leave_out_members"]


def leave_out_members(batch: Sequence[Event], following: Sequence[Event]) -> list[Event]:
    """The events in their order, without those of templates whose release follows as the end of the same act.

    following: what follows them, since an act may have more events than are read at once.
    """
    numbers = {event.number: release for event in (*batch, *following) if (release := _read_release(event))}
    templates = _read_templates(set(numbers.values())) if numbers else {}
    events: list[Event] = []
    end: Event | None = None
    for event in (*following[::-1], *batch[::-1]):
        if event.number in numbers:
            end = event
        elif end is not None and not _is_member(event, end, templates[numbers[end.number]]):
            end = None
        elif end is not None:
            continue
        events.append(event)
    read = {event.number for event in batch}
    return [event for event in events[::-1] if event.number in read]


def _read_release(event: Event) -> int | None:
    """The number of the release whose act the event ends, else None."""
    if not event.kind.startswith("release."):
        return None
    parsed = parse_event(event.kind, json.loads(event.text)["body"])
    return parsed.release if isinstance(parsed, ReleaseStep) and isinstance(parsed, LAST_STEPS) else None


def _read_templates(releases: Collection[int]) -> defaultdict[int, set[str]]:
    """The names of the templates of each release."""
    rows = ChangeRequest.objects.filter(release__number__in=releases)
    templates: defaultdict[int, set[str]] = defaultdict(set)
    for release, name in rows.values_list("release__number", "template__name"):
        templates[release].add(name)
    return templates


def _is_member(event: Event, end: Event, templates: Collection[str]) -> bool:
    return event.template in templates and (event.person, event.key) == (end.person, end.key)
