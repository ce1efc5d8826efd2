"""Freezes for members of a namespace, and the one in effect for the gate."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta

from registry.accounts.actor import Actor
from registry.freezes.models import Freeze
from registry.freezes.windows import ComingFreeze, StandingFreeze, find_slot, find_window
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb

__all__ = ["find_freezes_ahead", "find_standing", "find_standing_freezes", "list_freezes", "read_freezes"]


def list_freezes(actor: Actor, namespace: str) -> list[Freeze]:
    """The freezes of the namespace that are neither over nor removed, by number; for any member."""
    space = permissions.find_namespace(actor, Verb.BROWSE, namespace)
    return read_freezes([space.pk]).get(space.pk, [])


def read_freezes(namespaces: Collection[int]) -> Mapping[int, list[Freeze]]:
    """The freezes of each of these namespaces that are neither over nor removed, by number: one query."""
    rows = Freeze.objects.filter(namespace__in=namespaces, removed_at=None).exclude(ends_at__lte=datetime.now(UTC))
    freezes_by_namespace: defaultdict[int, list[Freeze]] = defaultdict(list)
    for freeze in rows.select_related("namespace", "created_by").order_by("number"):
        freezes_by_namespace[freeze.namespace_id].append(freeze)
    return freezes_by_namespace


def find_standing_freezes(namespaces: Collection[int], moment: datetime | None = None) -> dict[int, StandingFreeze]:
    """The freeze in effect in each of these namespaces at a time, by default now: one query."""
    at = moment or datetime.now(UTC)
    standing = {pk: find_standing(freezes, at) for pk, freezes in read_freezes(namespaces).items()}
    return {pk: freeze for pk, freeze in standing.items() if freeze is not None}


def find_freezes_ahead(
    namespaces: Collection[int], ahead: timedelta, moment: datetime | None = None
) -> dict[int, StandingFreeze | ComingFreeze]:
    """For each of these namespaces, the freeze in effect at a time, by default now; else the first one that begins
    within this duration: one query.
    """
    at = moment or datetime.now(UTC)
    notices: dict[int, StandingFreeze | ComingFreeze] = {}
    for pk, freezes in read_freezes(namespaces).items():
        windows = [window for freeze in freezes for window in freeze.windows.between(at, at + ahead)]
        if current := find_standing(freezes, at):
            notices[pk] = current
        elif windows:
            notices[pk] = ComingFreeze(min(windows, key=lambda window: (window.begins, window.ends)))
    return notices


def find_standing(freezes: Collection[Freeze], moment: datetime) -> StandingFreeze | None:
    """Of one namespace's freezes, the one in effect at the time; if there are several, the one that ends last."""
    inside = [(window.ends, it) for it in freezes if (window := find_window(it.windows, moment)) is not None]
    if not inside:
        return None
    until, freeze = max(inside, key=lambda pair: pair[0])
    slot = find_slot([other.windows for other in freezes], moment)
    return StandingFreeze(freeze.namespace.name, freeze.reason, until, slot)
