"""Work items of the home page: changes and releases that wait for the user or for others, and drafts to continue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from frontend.changes.emergency_notices import Notice
from frontend.changes.presenters import write_title
from frontend.web.draft_links import build_draft_url
from registry.accounts.actor import Actor
from registry.changes import blockers, review_requests
from registry.changes.blockers import Blocker
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.services import describe_blocker
from registry.releases.gate import ReleaseGate
from registry.templates.models import Draft, Template
from registry.usage import queries as usage_queries

__all__ = [
    "ResumableDraft",
    "WaitingRow",
    "WorkItem",
    "count_sentence",
    "describe_urgency",
    "list_items_of_others",
    "list_resumable_drafts",
    "list_rows_of_person",
]

# What a blocker requires of the assigned user: the verb that heads the row, and the text of its button.
_APPROVE = (gettext_lazy("Approve"), gettext_lazy("Review"))
_ANSWER = (gettext_lazy("Answer"), gettext_lazy("Answer"))
_WITHDRAW = (gettext_lazy("Withdraw"), pgettext_lazy("button", "Open"))
ASKS: Mapping[str, tuple[Promise, Promise]] = {
    "approvals": _APPROVE,
    "owners": _APPROVE,
    "objection": _ANSWER,
    "threads": _ANSWER,
    "diverged": (gettext_lazy("Merge"), gettext_lazy("Merge")),
    "held": _WITHDRAW,
    "superseded": _WITHDRAW,
    "redacted": _WITHDRAW,
    "": (gettext_lazy("Publish"), gettext_lazy("Publish")),
}
MEND = (gettext_lazy("Fix"), gettext_lazy("See the check"))


@dataclass(frozen=True)
class WorkItem:
    """A pending change request: whom or what it waits for, since when, and why.

    `more` counts its other blockers, `advice` says what to do about all of them. `blocked` is the user that it blocks,
    empty if it doesn't wait for this reader in particular. `checks_passed` is the number of checks if all passed, else
    0.
    """

    change: ChangeRequest
    title: str
    verb: str
    button: str
    reason: str
    since: datetime
    more: int = 0
    advice: str = ""
    blocked: str = ""
    checks_passed: int = 0


@dataclass(frozen=True)
class WaitingRow:
    """A change or a release that waits for a user, and since when.

    urgency: 0 is live without approval, 1 blocks a release, 2 blocks a user, 3 is the rest. fetches: per day, of an
    emergency's template. notice: of an emergency that isn't approved or closed.
    """

    urgency: int
    since: datetime
    item: WorkItem | None = None
    release: ReleaseGate | None = None
    fetches: int = 0
    notice: Notice | None = None

    @property
    def url(self) -> str:
        """The target of the row's button."""
        if self.release is not None:
            return reverse("release", args=[self.release.release.number])
        if self.notice and self.notice.approve_url:
            return self.notice.approve_url
        return reverse("change", args=[self.item.change.number]) if self.item else ""


@dataclass(frozen=True)
class ResumableDraft:
    """A draft with the URL to continue it; `newer` is the version saved after it was started, or None."""

    draft: Draft
    name: str
    url: str
    newer: int | None


def list_rows_of_person(
    gates: Sequence[Gate], releases: Sequence[ReleaseGate], actor: Actor, notices: Sequence[Notice] = ()
) -> list[WaitingRow]:
    """What waits for this user, most urgent first: live without approval, blocking a release, blocking a user, the
    rest; longest wait first within each. One query if something is live without approval, else none.

    notices: of emergencies that aren't approved or closed; each appears in the row of its change.
    """
    person = actor.person.username
    items = [_build_own_item(gate, person) for gate in gates if gate.waits_on(person)]
    urgent = {item.change.template_id for item in items if item.change.needs_approval}
    fetches = usage_queries.count_by_template(urgent, usage_queries.WEEK) if urgent else {}
    by_change = {notice.emergency.change.number: notice for notice in notices}
    rows = [_build_change_row(item, fetches, by_change.get(item.change.number)) for item in items]
    rows += [_release_row(release) for release in releases if release.waits_on(person)]
    return sorted(rows, key=lambda row: (row.urgency, row.since))


def list_items_of_others(gates: Sequence[Gate], actor: Actor) -> list[WorkItem]:
    """Changes that the user opened, wrote or commented on, and that wait for others.

    A change that waits only for its own rollout is omitted, because the home page lists rollouts.
    """
    person = actor.person.username
    others = [gate for gate in gates if not gate.waits_on(person) and _is_about(gate, person)]
    return [_build_item_of_others(gate) for gate in others if not _is_rolling_out(gate)]


def list_resumable_drafts(drafts: Sequence[Draft]) -> list[ResumableDraft]:
    """The drafts with versions saved meanwhile, in one query."""
    names = [f"{draft.namespace.name}/{draft.path}" for draft in drafts if draft.path]
    newest = dict(Template.objects.filter(name__in=names).values_list("name", "latest__number"))
    rows = []
    for draft in drafts:
        name = f"{draft.namespace.name}/{draft.path}" if draft.path else draft.namespace.name
        latest = newest.get(name)
        newer = latest if latest and draft.base and latest > draft.base.number else None
        url = build_draft_url(name, draft.name) if draft.path else f"{reverse('new')}?{urlencode({'in': name})}"
        rows.append(ResumableDraft(draft, name, url, newer))
    return rows


def count_sentence(count: int) -> str:
    """`3 things are waiting on you`."""
    if not count:
        return gettext("Nothing is waiting on you")
    return ngettext("{count} thing is waiting on you", "{count} things are waiting on you", count).format(count=count)


def describe_urgency(rows: Sequence[WaitingRow]) -> str:
    """`1 is live without approval, 2 block a release.`; empty if neither applies."""
    live, releases = (sum(row.urgency == urgency for row in rows) for urgency in (0, 1))
    parts = []
    if live:
        words = ngettext("{count} is live without approval", "{count} are live without approval", live)
        parts.append(words.format(count=live))
    if releases:
        words = ngettext("{count} blocks a release", "{count} block a release", releases)
        parts.append(words.format(count=releases))
    return f"{', '.join(parts)}." if parts else ""


def _build_change_row(item: WorkItem, fetches: Mapping[int, int], notice: Notice | None) -> WaitingRow:
    """fetches: of the last week, by template id. notice: if the change is an emergency."""
    a_day = -(-fetches.get(item.change.template_id, 0) // usage_queries.WEEK)
    if item.change.needs_approval:
        is_live = notice is None or notice.emergency.is_served
        since = notice.emergency.move.created_at if notice is not None and is_live else item.since
        return WaitingRow(0 if is_live else 3, since, item, fetches=a_day if is_live else 0, notice=notice)
    return WaitingRow(2 if item.blocked else 3, item.since, item)


def _release_row(gate: ReleaseGate) -> WaitingRow:
    since = gate.turn.since if gate.turn else gate.release.updated_at
    return WaitingRow(1 if gate.open_members else 3, since, release=gate)  # one without templates blocks nothing


def _is_about(gate: Gate, person: str) -> bool:
    change = gate.change
    spoke = any(voice.person == person for voice in gate.decisions)
    return spoke or person in (change.opened_by.username, change.version.author.username)


def _is_rolling_out(gate: Gate) -> bool:
    """Whether the request waits only for its own rollout, and possibly a freeze: the rollout's row shows both."""
    rollout = gate.facts.rollout
    if rollout is None or rollout[1] != gate.change.number:
        return False
    return all(blocker.code in (blockers.ROLLING_OUT, blockers.FREEZE) for blocker in gate.blockers)


def _build_own_item(gate: Gate, username: str) -> WorkItem:
    if gate.turn is None or username not in gate.turn.people:  # they were asked by name, regardless of whose turn it is
        review_request = review_requests.find_review_request(gate, username)
        item = _build_item(gate, str(_APPROVE[0]), str(_APPROVE[1]))
        if review_request is None:
            return item
        return replace(
            item,
            reason=gettext("{name} asked for your review.").format(name=review_request.requested_by),
            since=review_request.at,
        )
    blocker = next((candidate for candidate in gate.blockers if candidate.waiting_for), None)
    words = ASKS.get(blocker.code if blocker else "", MEND)
    verb, button = _APPROVE if blocker and blocker.asks_for_approval else words
    item = _build_item(gate, str(verb), str(button))
    if blocker is not None and blocker.asks_for_approval and not item.more:
        item = replace(item, advice="")  # it would only repeat the button
    opener = gate.change.opened_by.username
    is_blocking = blocker is not None and not blocker.asks_for_approval and opener != username
    return replace(item, blocked=opener) if is_blocking else item


def _build_item_of_others(gate: Gate) -> WorkItem:
    people = gate.turn.people if gate.turn else ()
    button = pgettext("button", "Open")
    if people:
        return _build_item(gate, gettext(" or ").join(people[:2]), button)
    rollout = gate.facts.rollout
    if rollout:
        verb = gettext("Rollout {number}").format(number=rollout[0])
    else:
        is_frozen = any(blocker.code == blockers.FREEZE for blocker in gate.blockers)
        verb = gettext("A freeze") if is_frozen else gettext("A check")
    return _build_item(gate, verb, button)


def _advise(blocker: Blocker, reason: str) -> str:
    """What to do about it; for a freeze also which one and until when, unless the row's reason already says so."""
    is_named = blocker.code != blockers.FREEZE or blocker.cause == reason
    return blocker.action if is_named else describe_blocker(blocker)


def _build_item(gate: Gate, verb: str, button: str) -> WorkItem:
    turn = gate.turn
    has_passed = bool(gate.checks) and all(check.outcome == "passed" for check in gate.checks)
    return WorkItem(
        change=gate.change,
        title=write_title(gate.change),
        verb=verb,
        button=button,
        reason=turn.reason if turn else "",
        since=turn.since if turn else gate.change.updated_at,
        more=max(0, len(gate.blockers) - 1),
        advice=" ".join(dict.fromkeys(_advise(blocker, turn.reason if turn else "") for blocker in gate.blockers)),
        checks_passed=len(gate.checks) if has_passed else 0,
    )
