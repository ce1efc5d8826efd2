"""The timetable of a rollout: its start, the steps to come with their shares, and its end."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.db.models import Exists, F, OuterRef, Q

from promptuary.renderer.rollouts import WHOLE
from registry.rollouts.models import Rollout
from registry.templates.models import Template

__all__ = ["MAX_ROLLOUTS", "RolloutMoment", "list_moments", "read_moments"]

MAX_ROLLOUTS = 150  # per time span
_OWN = ("label", "change", "steps", "step", "share", "state", "next_at", "created_at", "ended_at")
_PERSON = ("started_by__username", "started_by__first_name", "started_by__last_name")
_SHOWN = (*_OWN, "template__name", "candidate__number", *_PERSON)


@dataclass(frozen=True)
class RolloutMoment:
    """One time in a rollout. share: ten-thousandths of the callers from then on; for a stop, until then.

    kind: `started` and `stopped` are in the past; a `step` is due, and the last one serves the candidate to everybody.
    """

    rollout: Rollout
    at: datetime
    kind: Literal["started", "step", "stopped"]
    share: int


def read_moments(namespaces: Collection[int], begins: datetime, ends: datetime) -> tuple[list[RolloutMoment], bool]:
    """The timetable entries from `begins` (inclusive) to `ends` (exclusive) in these namespaces (by id), in
    chronological order, and whether there are more rollouts than MAX_ROLLOUTS. If so, the entries are of those whose
    next step is due soonest, and then of the newest. Only the fields that a calendar shows are read.
    """
    is_inside = Q(created_at__gte=begins, created_at__lt=ends)
    is_inside |= Q(state=Rollout.STOPPED, ended_at__gte=begins, ended_at__lt=ends)
    is_inside |= Q(state=Rollout.RUNNING, next_at__lt=ends)
    order = (F("next_at").asc(nulls_last=True), "-number")
    # Not a join: SQLite would read the rollouts of every template in these namespaces, instead of those of the period.
    is_readable = Exists(Template.objects.filter(pk=OuterRef("template"), namespace__in=namespaces))
    inside = Rollout.objects.filter(is_inside, is_readable).order_by(*order)
    rows = Rollout.objects.filter(pk__in=inside.values("pk")[: MAX_ROLLOUTS + 1])
    rows = rows.select_related("template", "candidate", "started_by").only(*_SHOWN)
    listed = list(rows.order_by(*order))
    moments = [moment for rollout in listed[:MAX_ROLLOUTS] for moment in list_moments(rollout)]
    in_period = [moment for moment in moments if begins <= moment.at < ends]
    return sorted(in_period, key=lambda moment: (moment.at, moment.rollout.number)), len(listed) > MAX_ROLLOUTS


def list_moments(rollout: Rollout) -> Iterator[RolloutMoment]:
    """Its start, the steps that the clock will take, and its end if it was stopped. Finishing is a move of the label,
    so it isn't listed. Manual steps and those after them have no time yet.
    """
    yield RolloutMoment(rollout, rollout.created_at, "started", rollout.steps[0]["share"])
    if rollout.state == Rollout.STOPPED and rollout.ended_at is not None:
        yield RolloutMoment(rollout, rollout.ended_at, "stopped", rollout.share)
    if rollout.state == Rollout.RUNNING and rollout.next_at is not None:
        yield from _list_steps(rollout, rollout.next_at)


def _list_steps(rollout: Rollout, at: datetime) -> Iterator[RolloutMoment]:
    for step in rollout.steps[rollout.step + 1 :]:
        yield RolloutMoment(rollout, at, "step", step["share"])
        if step["hours"] is None:
            return
        at += timedelta(hours=step["hours"])
    yield RolloutMoment(rollout, at, "step", WHOLE)
