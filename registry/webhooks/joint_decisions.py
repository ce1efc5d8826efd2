"""Decisions on several templates of a release in a chat: one message, as for the other acts on a release."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, Decision
from registry.journal.models import Event
from registry.releases.plans import MAX_TEMPLATES

__all__ = ["JointDecisions", "find_joint_decisions", "leave_out_earlier_decisions"]

_VERBS = {Decision.APPROVE: "approved", Decision.REQUEST_CHANGES: "asked for edits of"}


@dataclass(frozen=True)
class JointDecisions:
    """What one person decided on several changes of a release at once."""

    release: int
    decisions: Sequence[Mapping[str, Any]]  # the bodies of their events

    def write_sentence(self) -> str:
        """What follows the person's name."""
        first = self.decisions[0]
        names = ", ".join(f"{decision['template']} {decision['version']}" for decision in self.decisions)
        count = f"{len(self.decisions)} templates of release {self.release}"
        return f"{_VERBS[first['decision']]} {count} for {first['label']}: {names}"


def leave_out_earlier_decisions(batch: Sequence[Event], following: Sequence[Event]) -> list[Event]:
    """The events in their order, without decisions after which the same act decides on another template of the release.

    following: what follows them, since an act may have more events than are read at once.
    """
    events = (*batch, *following)
    releases = _read_releases(events)
    earlier = {event.number for event, after in pairwise(events) if _is_same_act(event, after, releases)}
    return [event for event in batch if event.number not in earlier]


def find_joint_decisions(event: Event) -> JointDecisions | None:
    """The decisions of the act whose last one this is; None if it is the only one, or the event isn't a decision."""
    if event.kind != ChangeDecided.kind:
        return None
    rows = Event.objects.filter(number__gt=event.number - MAX_TEMPLATES, number__lt=event.number, kind=event.kind)
    events = [event, *rows.order_by("-number")]
    releases = _read_releases(events)
    together = [event]
    for after, before in pairwise(events):
        if not _is_same_act(before, after, releases):
            break
        together.insert(0, before)
    if len(together) == 1:
        return None
    return JointDecisions(releases[event.change], [_read_body(joint_event) for joint_event in together])


def _read_releases(events: Iterable[Event]) -> dict[int | None, int]:
    """The release of each change that one of the events decides on, without those that belong to none."""
    changes = {event.change for event in events if event.kind == ChangeDecided.kind and event.change is not None}
    rows = ChangeRequest.objects.filter(number__in=changes, release__isnull=False)
    return dict(rows.values_list("number", "release__number"))


def _is_same_act(event: Event, after: Event, releases: dict[int | None, int]) -> bool:
    """Whether one act made both decisions: their events have no other between them, in the order of the changes."""
    if event.kind != after.kind or event.change not in releases or after.number != event.number + 1:
        return False
    if (event.person, event.key) != (after.person, after.key) or releases[event.change] != releases.get(after.change):
        return False
    first, second = _read_body(event), _read_body(after)
    is_same = first["decision"] == second["decision"] and first["decision"] in _VERBS
    return is_same and first["change"] < second["change"]


def _read_body(event: Event) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(event.text)["body"]
    return body
