"""What a freeze stops: open changes and releases that are due in one of its windows, and timed steps of rollouts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from registry.changes.models import ChangeRequest
from registry.freezes.models import Freeze
from registry.freezes.windows import find_window, format_moment
from registry.namespaces.models import Namespace
from registry.releases.models import Release
from registry.rollouts.models import Rollout
from registry.rollouts.responsible import find_responsible

__all__ = ["FreezeEffect", "StoppedSchedule", "list_freeze_effects"]


@dataclass(frozen=True)
class StoppedSchedule:
    """A change or a release that is not published when it is due, or a rollout whose next step waits. kind: `change`,
    `release` or `rollout`; subject: the row; goes_live_at: when it is due; scheduled_by: the person it is done for;
    change: the number of the change whose page shows it, None for a release.
    """

    kind: str
    number: int
    subject: str
    goes_live_at: datetime
    scheduled_by: str
    change: int | None = None

    @property
    def key(self) -> str:
        """`change 7 at 2026-11-27T16:30:00+00:00`: stable while the same publication is scheduled."""
        return f"{self.kind} {self.number} at {self.goes_live_at.isoformat()}"

    @property
    def sentence(self) -> str:
        """`Change 7 (support/reply v3): Fri 27 Nov 16:30 UTC, scheduled by author.`"""
        words = {
            "release": gettext("Release {number} ({subject}): {moment}, scheduled by {person}."),
            "change": gettext("Change {number} ({subject}): {moment}, scheduled by {person}."),
            "rollout": gettext(
                "Rollout {number} ({subject}): its next step is due {moment}, for {person}; it waits until the freeze "
                "ends."
            ),
        }[self.kind]
        moment = format_moment(self.goes_live_at)
        return words.format(number=self.number, subject=self.subject, moment=moment, person=self.scheduled_by)


@dataclass(frozen=True)
class FreezeEffect:
    """A freeze, and what it stops, ordered by time."""

    freeze: Freeze
    stops: list[StoppedSchedule]


def list_freeze_effects(freezes: Sequence[Freeze]) -> list[FreezeEffect]:
    """What each of these freezes of one namespace stops; the freezes may be unsaved. Three queries, three more if
    rollouts have timed steps, none without freezes.

    A change of a release has no schedule of its own.
    """
    if not freezes:
        return []
    namespace = freezes[0].namespace
    changes = ChangeRequest.objects.pending().filter(template__namespace=namespace, goes_live_at__isnull=False)
    releases = Release.objects.filter(namespace=namespace, state=Release.OPEN, goes_live_at__isnull=False)
    change_fields = ("number", "template__name", "version__number", "goes_live_at", "scheduled_by__username")
    release_fields = ("number", "title", "goes_live_at", "scheduled_by__username")
    rows = [
        *(
            StoppedSchedule("change", number, f"{name} v{version}", at, person, number)
            for number, name, version, at, person in changes.values_list(*change_fields)
            if at is not None
        ),
        *(
            StoppedSchedule("release", number, title, at, person)
            for number, title, at, person in releases.values_list(*release_fields)
            if at is not None
        ),
        *_list_steps(namespace),
    ]
    rows.sort(key=lambda row: (row.goes_live_at, row.kind, row.number))
    return [
        FreezeEffect(freeze, [row for row in rows if find_window(freeze.windows, row.goes_live_at)])
        for freeze in freezes
    ]


def _list_steps(namespace: Namespace) -> Iterator[StoppedSchedule]:
    """The next timed step of each rollout that runs in the namespace."""
    rows = Rollout.objects.filter(template__namespace=namespace, state=Rollout.RUNNING, next_at__isnull=False)
    rollouts = list(rows.select_related("template", "candidate", "started_by", "key").defer("candidate__bundle"))
    people = find_responsible(rollouts) if rollouts else {}
    for row in rollouts:
        if row.next_at is not None:
            subject, person = f"{row.template.name} v{row.candidate.number}", people[row.number].person.username
            yield StoppedSchedule("rollout", row.number, subject, row.next_at, person, row.change_id)
