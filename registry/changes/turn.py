"""How a request stands between its label and its head: whose turn it is, what rides along, how to bring it together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from registry.changes import history_queries, three_way_merge
from registry.changes.events import ChangeDecided, ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.models import ChangeRequest
from registry.changes.policy import Blocker
from registry.changes.three_way_merge import Merged
from registry.templates.models import Label, Version

__all__ = ["TURNING", "MergePreview", "Turn", "find_turn", "list_versions_between", "microseconds", "preview_merge"]

# The events that pass the turn on.
TURNING = [event.kind for event in (ChangeProposed, ChangeHeaded, ChangeDecided, ChangeReopened)]


@dataclass(frozen=True)
class Turn:
    """Whose turn it is in a request: usernames (none when a check is waited for), the reason, and since when."""

    people: tuple[str, ...]
    reason: str
    since: datetime


@dataclass(frozen=True)
class MergePreview:
    """The head and what the label holds, brought together over what both come from (None where they share nothing)."""

    base: Version | None
    held: Version
    head: Version
    merged: Merged


def find_turn(change: ChangeRequest, found: Sequence[Blocker], since: datetime) -> Turn | None:
    """Whose turn it is by what blocks the request, or None once it is closed. since: when the turn was passed on."""
    if not change.takes_decisions:
        return None
    if not found:
        return Turn((change.opened_by.username,), "Nothing stands in its way: it can be published.", since)
    first = next((blocker for blocker in found if blocker.waiting_for), found[0])
    return Turn(first.waiting_for, first.cause, since)


def list_versions_between(change: ChangeRequest, numbers: Sequence[int]) -> list[Version]:
    """The versions of the request's template with these numbers, oldest first, with their authors."""
    if not numbers:
        return []
    rows = Version.objects.filter(template=change.template_id, number__in=numbers).select_related("author")
    return list(rows.defer("bundle").order_by("number"))


def preview_merge(change: ChangeRequest) -> MergePreview | None:
    """What head and label come to together; None where the head comes from what the label holds, or the other way round."""
    held, head = _held(change), change.version
    if held is None:
        return None
    history = history_queries.read_version_graph([change.template_id])
    if history.contains(head.pk, held.pk) or history.contains(held.pk, head.pk):
        return None
    meeting = history.meeting(head.pk, held.pk)
    base = Version.objects.filter(pk=meeting).first() if meeting is not None else None
    before = base.remaining if base else ""
    merged = three_way_merge.merge_texts(
        before,
        head.document,
        before if held.is_redacted else held.document,  # nothing of what was taken away is to be kept
        our_name=f"version {head.number}",
        their_name=f"version {held.number} ({change.label})",
    )
    return MergePreview(base, held, head, merged)


def microseconds(at: datetime) -> int:
    """Microseconds since 1970 UTC, as the journal keeps a moment."""
    return (at - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _held(change: ChangeRequest) -> Version | None:
    label = Label.objects.select_related("version").filter(template=change.template_id, name=change.label).first()
    return label.version if label else None
