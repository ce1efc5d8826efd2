"""How a request stands between its label and its head: whose turn it is, what rides along, how to bring it together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from registry.access import Actor
from registry.journal import Kind
from registry.models import ChangeRequest, Event, Label, Version
from registry.queries import approvals, changes, lineage
from registry.queries.approvals import Approval
from registry.review import merging
from registry.review.merging import Merged
from registry.review.policy import Blocker

__all__ = ["TURNING", "Merge", "Turn", "merge", "riding_along", "turn", "turn_of"]

# The events that pass the turn on.
TURNING = [kind.value for kind in (Kind.CHANGE_PROPOSED, Kind.CHANGE_HEADED, Kind.CHANGE_DECIDED, Kind.CHANGE_REOPENED)]


@dataclass(frozen=True)
class Turn:
    """Whose turn it is in a request: usernames (none when a check is waited for), the reason, and since when."""

    people: tuple[str, ...]
    reason: str
    since: datetime


@dataclass(frozen=True)
class Merge:
    """The head and what the label holds, brought together over what both come from (None where they share nothing)."""

    base: Version | None
    held: Version
    head: Version
    merged: Merged


def turn(change: ChangeRequest) -> Turn | None:
    """Whose turn it is, or None once the request is closed."""
    if not change.takes_decisions:
        return None
    last = Event.objects.filter(change=change.number, kind__in=TURNING).order_by("-number").first()
    since = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=last.at) if last else change.created_at
    return turn_of(change, changes.blockers(change, Actor(change.opened_by)), since)


def turn_of(change: ChangeRequest, found: Sequence[Blocker], since: datetime) -> Turn | None:
    """The same from blockers and a moment that are known."""
    if not change.takes_decisions:
        return None
    if not found:
        return Turn((change.opened_by.username,), "Nothing stands in its way: it can be published.", since)
    first = next((blocker for blocker in found if blocker.waiting_for), found[0])
    return Turn(first.waiting_for, first.cause, since)


def riding_along(change: ChangeRequest) -> list[Version]:
    """Versions that would go live with the head without having been proposed themselves, oldest first.

    Where the label never held what it serves by approval, those since the version that it held last by approval.
    """
    held = _held(change)
    if approvals.of_label(change.template, change.label) == Approval.NEVER_APPROVED:
        held = approvals.last_version(change.template, change.label)
    numbers = lineage.riders(change.version, held)
    rows = Version.objects.filter(template=change.template_id, number__in=numbers).select_related("author")
    return list(rows.defer("bundle").order_by("number"))


def merge(change: ChangeRequest) -> Merge | None:
    """What head and label come to together, or None where the head already comes from what the label holds."""
    held, head = _held(change), change.version
    if held is None or lineage.descends(head, held):
        return None
    meeting = lineage.Lineage(head.template_id, max(head.number, held.number)).meeting(head, held)
    base = Version.objects.filter(pk=meeting).first() if meeting is not None else None
    before = base.remaining if base else ""
    merged = merging.merge(
        before,
        head.document,
        before if held.is_redacted else held.document,  # nothing of what was taken away is to be kept
        our_name=f"version {head.number}",
        their_name=f"version {held.number} ({change.label})",
    )
    return Merge(base, held, head, merged)


def _held(change: ChangeRequest) -> Version | None:
    label = Label.objects.select_related("version").filter(template=change.template_id, name=change.label).first()
    return label.version if label else None
