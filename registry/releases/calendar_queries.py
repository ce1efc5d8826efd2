"""The calendar: scheduled publications, rollouts, freeze windows, and moves of protected labels."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.db.models import Q

from registry.accounts.actor import Actor
from registry.changes.models import ChangeRequest
from registry.freezes.models import Freeze
from registry.freezes.windows import Window
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import list_visible_namespaces
from registry.releases.models import Release
from registry.rollouts.timetable import RolloutMoment, read_moments
from registry.templates.label_models import LabelMove
from registry.templates.queries import filter_by_namespaces

__all__ = ["MAX_MOVES", "MAX_SCHEDULED", "Calendar", "FreezeWindow", "read_calendar"]

MAX_MOVES = 150  # per time span; the latest ones if there are more
MAX_SCHEDULED = 150  # changes and releases together; the first ones if there are more
_MOVE = ("label", "how", "created_at", "template__name", "after__number", "change__number")
_SHOWN = (*_MOVE, "person__username", "person__first_name", "person__last_name")


@dataclass(frozen=True)
class FreezeWindow:
    """A window of a freeze, clipped to the freeze's lifetime: after it was set, and before it was removed."""

    freeze: Freeze
    window: Window


@dataclass(frozen=True)
class Calendar:
    """The entries of a time span, each list in chronological order.

    changes and releases: open ones that are scheduled; changes of a release are not listed. moves: of protected labels.
    rollouts: their starts, due steps and stops. is_cut: there were more moves than MAX_MOVES. has_more_rollouts: there
    were more rollouts than MAX_ROLLOUTS. has_more_scheduled: there were more changes and releases than MAX_SCHEDULED.
    """

    changes: list[ChangeRequest]
    releases: list[Release]
    windows: list[FreezeWindow]
    moves: list[LabelMove]
    rollouts: list[RolloutMoment]
    is_cut: bool = False
    has_more_rollouts: bool = False
    has_more_scheduled: bool = False


def read_calendar(actor: Actor, begins: datetime, ends: datetime, namespace: str = "") -> Calendar:
    """Read what the actor may see from `begins` (inclusive) to `ends` (exclusive), in one namespace or by default in
    all, in a constant number of queries. Empty for a namespace that the actor may not read.
    """
    spaces = list_visible_namespaces(actor)
    ids = list((spaces.filter(name=namespace) if namespace else spaces).values_list("pk", flat=True))
    moves = _read_moves(ids, begins, ends)
    scheduled = _read_scheduled(ids, begins, ends)
    scheduled_rows = scheduled[:MAX_SCHEDULED]
    rollouts, has_more_rollouts = read_moments(ids, begins, ends)
    return Calendar(
        changes=[row for row in scheduled_rows if isinstance(row, ChangeRequest)],
        releases=[row for row in scheduled_rows if isinstance(row, Release)],
        windows=_read_windows(ids, begins, ends),
        moves=moves[:MAX_MOVES][::-1],
        rollouts=rollouts,
        is_cut=len(moves) > MAX_MOVES,
        has_more_rollouts=has_more_rollouts,
        has_more_scheduled=len(scheduled) > MAX_SCHEDULED,
    )


def _read_scheduled(namespaces: Collection[int], begins: datetime, ends: datetime) -> list[ChangeRequest | Release]:
    """The changes and releases that go live, the soonest first; all of them, or more than are shown."""
    in_period = Q(goes_live_at__gte=begins, goes_live_at__lt=ends)
    changes = ChangeRequest.objects.pending().filter(in_period, template__namespace__in=namespaces)
    changes = changes.select_related("template__namespace", "version", "scheduled_by").defer("version__bundle")
    releases = Release.objects.filter(in_period, state=Release.OPEN, namespace__in=namespaces)
    releases = releases.select_related("namespace", "scheduled_by")
    soonest = (rows.order_by("goes_live_at", "pk")[: MAX_SCHEDULED + 1] for rows in (changes, releases))
    return sorted(chain.from_iterable(soonest), key=lambda row: row.goes_live_at or begins)  # it is never null here


def _read_moves(namespaces: Collection[int], begins: datetime, ends: datetime) -> list[LabelMove]:
    """The newest first, with one more than is shown."""
    rows = LabelMove.objects.filter(protected=True, created_at__gte=begins, created_at__lt=ends)
    rows = filter_by_namespaces(rows, Namespace.objects.filter(pk__in=namespaces))
    rows = rows.select_related("template", "after", "change", "person").only(*_SHOWN)
    return list(rows.order_by("-created_at", "-pk")[: MAX_MOVES + 1])


def _read_windows(namespaces: Collection[int], begins: datetime, ends: datetime) -> list[FreezeWindow]:
    rows = Freeze.objects.filter(namespace__in=namespaces, created_at__lt=ends)
    rows = rows.exclude(removed_at__lte=begins).exclude(ends_at__lte=begins).exclude(starts_at__gte=ends)
    windows = [
        FreezeWindow(freeze, Window(max(window.begins, freeze.created_at), _end(freeze, window)))
        for freeze in rows.select_related("namespace", "created_by").order_by("number")
        for window in freeze.windows.between(begins, ends)
    ]
    inside = [it for it in windows if it.window.begins < min(it.window.ends, ends) and it.window.ends > begins]
    return sorted(inside, key=lambda it: (it.window.begins, it.freeze.number))


def _end(freeze: Freeze, window: Window) -> datetime:
    return window.ends if freeze.removed_at is None else min(window.ends, freeze.removed_at)
