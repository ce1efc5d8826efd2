"""Asking specific people for a review, and reminding them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import locking, policy
from registry.changes.conversation_events import ReviewRequested
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Decision
from registry.changes.queries import lock_change
from registry.core.errors import Conflict, Invalid
from registry.core.timestamps import format_moment
from registry.journal import log
from registry.journal.event import from_microseconds, to_microseconds
from registry.namespaces.verbs import Verb
from registry.templates.models import Template, Version

__all__ = [
    "REMINDER_PAUSE",
    "ReviewCandidate",
    "ReviewRequest",
    "ask_for_review",
    "ask_reviewers",
    "find_draft_gate",
    "find_review_request",
    "list_candidates",
    "list_review_requests",
    "takes_reviews",
]

REMINDER_PAUSE = timedelta(hours=24)
"""How long nobody is asked again for the same change."""

_NOT_YET_NUMBERED = 2**31 - 1  # sorts a new proposal after every existing request


@dataclass(frozen=True)
class ReviewRequest:
    """A person who was asked for a review. requested_by: who asked last; at: when. decision: their decision about the
    head since then, `approve` or `request_changes`; empty without one.
    """

    person: str
    requested_by: str
    at: datetime
    decision: str

    @property
    def may_be_reminded(self) -> bool:
        """Whether their review is awaited and they were not asked in the last day."""
        return not self.decision and self.at + REMINDER_PAUSE <= log.now()


@dataclass(frozen=True)
class ReviewCandidate:
    """A reviewer whose approval would count. reason: `owner`, `group` (a member of a required group), `earlier`
    (decided on an earlier change of the template), or empty.
    """

    person: str
    reason: str


def ask_for_review(*, actor: Actor, number: int, person: str) -> ChangeRequest:
    """Ask a reviewer for a review, or remind them: they are notified, and the request waits for them.

    Raises Invalid, with the reason, if that person's approval would not count, and Conflict if they already decided,
    were asked in the last day, or the request is closed.
    """
    with transaction.atomic():
        change = lock_change(actor, Verb.COMMENT, number)
        ask_reviewers(actor, change, [person], field="person")
    return change


def ask_reviewers(actor: Actor, change: ChangeRequest, people: Sequence[str], *, field: str) -> None:
    """Ask several people, each once; for services, on a locked request. field: the field that Invalid names."""
    if not change.takes_decisions:
        raise locking.build_closed_conflict(change)
    gate = change_gate.evaluate(change, actor, with_checks=False)
    if not takes_reviews(gate):
        sentence = gettext("Change {number} is approved and is being rolled out: it waits for no review.")
        raise Conflict(sentence.format(number=change.number), change=change.number)
    for person in dict.fromkeys(people):
        _require_reviewer(actor, gate, person, field)
        is_reminder = person in change.asked
        change.updated_at = log.now()
        entry = {"by": actor.person.username, "at": to_microseconds(change.updated_at)}
        change.asked = {**change.asked, person: entry}
        change.save(update_fields=["asked", "updated_at"])
        locking.append_step(
            actor, change, ReviewRequested(**locking.step_of(change), person=person, again=is_reminder or None)
        )


def takes_reviews(gate: Gate) -> bool:
    """Whether people can still be asked: not for a closed request or one in a rollout."""
    change, rollout = gate.change, gate.facts.rollout
    return change.takes_decisions and (rollout is None or rollout[1] != change.number)


def list_review_requests(gate: Gate) -> list[ReviewRequest]:
    """List the people who were asked to review the request, in the order of the first time."""
    return [
        ReviewRequest(person, facts["by"], from_microseconds(facts["at"]), policy.find_own_decision(gate.facts, person))
        for person, facts in gate.change.asked.items()
    ]


def find_review_request(gate: Gate, person: str) -> ReviewRequest | None:
    """When and by whom this person was asked; None if they weren't."""
    return next((request for request in list_review_requests(gate) if request.person == person), None)


def list_candidates(gate: Gate) -> list[ReviewCandidate]:
    """List the reviewers whose approval would count: owners first, then members of required groups, then people who
    decided on earlier changes of the template.
    """
    rules, facts, change = gate.rules, gate.facts, gate.change
    owner = rules.find_owner(facts.path)
    owners = owner.list_people({name: group.people for name, group in facts.groups.items()}) if owner else ()
    required_groups = rules.list_required_groups(facts.label, facts.path)
    group_members = {person for name in required_groups for person in facts.find_group(name).people}
    decided = Decision.objects.filter(
        change__template=change.template, decision__in=(Decision.APPROVE, Decision.REQUEST_CHANGES)
    )
    earlier = set(decided.values_list("person__username", flat=True).distinct())
    reasons: Sequence[tuple[str, Collection[str]]] = (("owner", owners), ("group", group_members), ("earlier", earlier))
    candidates = [
        ReviewCandidate(person, next((reason for reason, people in reasons if person in people), ""))
        for person in policy.list_eligible_approvers(rules, facts)
    ]
    order = [reason for reason, _ in reasons] + [""]
    return sorted(candidates, key=lambda candidate: (order.index(candidate.reason), candidate.person))


def find_draft_gate(actor: Actor, template: Template, label: str, version: Version) -> Gate:
    """The gate of the request that the actor would open with this proposal; nothing is stored."""
    change = ChangeRequest(
        number=_NOT_YET_NUMBERED,
        template=template,
        label=label,
        version=version,
        opened_by=actor.person,
        key=actor.key,
        created_at=log.now(),
    )
    return change_gate.evaluate(change, actor, with_checks=False)


def _require_reviewer(actor: Actor, gate: Gate, person: str, field: str) -> None:
    rules, facts, change = gate.rules, gate.facts, gate.change
    if person == actor.person.username and actor.key is None:
        raise Invalid(fields={field: gettext("ask somebody else: you see it yourself.")})
    if person not in facts.reviewers:
        sentence = gettext("{person} can't approve in {namespace}.")
        namespace = change.template.namespace.name
        raise Invalid(fields={field: sentence.format(person=f"{person[:80]!r}", namespace=namespace)})
    if reasons := policy.list_reasons_against(rules, facts, person):
        sentence = gettext("the approval of {person} would not count: {person} {why}.")
        raise Invalid(fields={field: sentence.format(person=person, why=reasons[0].they.rstrip("."))})
    decision = policy.find_own_decision(facts, person)
    if decision:
        sentence = gettext("{person} decided on version {version} already.")
        raise Conflict(sentence.format(person=person, version=change.version.number))
    last = change.asked.get(person)
    if last is None:
        return
    again_at = from_microseconds(last["at"]) + REMINDER_PAUSE
    if again_at > log.now():
        raise Conflict(
            gettext("{person} was asked by {by} within the last day; ask again after {moment}.").format(
                person=person, by=last["by"], moment=f"{again_at:%Y-%m-%d %H:%M} UTC"
            ),
            again_at=format_moment(again_at),
        )
