"""Blockers: what keeps a request from being published, how to resolve it, and who is waited for.

`policy.find_blockers` decides which apply.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, ngettext

from registry.changes.contributor_reasons import Reason
from registry.changes.facts import ApprovalStatus, GateFacts
from registry.core.timestamps import format_moment
from registry.freezes.windows import StandingFreeze
from registry.namespaces.rules import Rules

__all__ = [
    "FREEZE",
    "GROUP",
    "IN_RELEASE",
    "ROLLING_OUT",
    "ApprovalContext",
    "Blocker",
    "describe_archived",
    "describe_diverged",
    "describe_freeze",
    "describe_missing_approvals",
    "describe_missing_group",
    "describe_missing_owners",
    "describe_objections",
    "describe_redacted",
    "describe_release",
    "describe_rollout",
    "describe_served",
    "describe_superseded",
    "describe_unresolved_threads",
]

FREEZE = "freeze"
"""The code of the blocker of a request whose namespace has no releases now; an emergency ignores it."""

GROUP = "group:"
"""How the code of the blocker of a missing approval from a group begins; the group's name follows."""

IN_RELEASE = "release"
"""The code of the blocker of a request that is published with its release only: always the last in the list."""

ROLLING_OUT = "rollout"
"""The code of the blocker of a request whose label is divided by a rollout, that request's own included."""


@dataclass(frozen=True)
class Blocker:
    """One thing that keeps a request from being published: the cause, the next action, and who is waited for."""

    code: str
    cause: str
    action: str
    waiting_for: tuple[str, ...] = ()
    next_slot: datetime | None = None  # of a freeze: the next time without one

    @property
    def asks_for_approval(self) -> bool:
        """Whether an approval would resolve it."""
        return self.code in ("approvals", "owners") or self.code.startswith(GROUP)

    @property
    def is_by_reviewers(self) -> bool:
        """Whether it waits for reviewers."""
        return self.asks_for_approval or self.code == "objection"

    def to_dict(self) -> dict[str, str]:
        """The facts for an error: code, cause, action, and for a freeze the next slot."""
        facts = {"code": self.code, "cause": self.cause, "action": self.action}
        return {**facts, "next_slot": format_moment(self.next_slot)} if self.next_slot else facts


@dataclass(frozen=True)
class ApprovalContext:
    """The state of a request as the viewer sees it.

    eligible: the reviewers whose approval would count. reasons_against: by person, why their approval does not count.
    """

    rules: Rules
    facts: GateFacts
    status: ApprovalStatus
    viewer: str
    eligible: tuple[str, ...]
    reasons_against: Mapping[str, tuple[Reason, ...]]


def describe_archived() -> Blocker:
    """The template is archived."""
    return Blocker(
        "archived",
        gettext("The template is archived."),
        gettext("Ask an admin to restore it, or withdraw the change."),
    )


def describe_redacted(facts: GateFacts) -> Blocker:
    """The text of the head was redacted."""
    cause = gettext("Version {number} was redacted: its text is gone.").format(number=facts.number)
    return Blocker("redacted", cause, gettext("Propose another version, or withdraw the change."), (facts.opened_by,))


def describe_served(facts: GateFacts) -> Blocker:
    """The label already serves the head, by approval."""
    cause = gettext("{label} already serves exactly this.").format(label=facts.label)
    return Blocker("held", cause, gettext("Withdraw the change."), (facts.opened_by,))


def describe_superseded(facts: GateFacts) -> Blocker:
    """The label serves a version that descends from the head."""
    cause = gettext("{label} serves version {holds} now, which already contains version {number}.").format(
        label=facts.label, holds=facts.holds, number=facts.number
    )
    return Blocker("superseded", cause, gettext("Withdraw the change."), (facts.opened_by,))


def describe_diverged(facts: GateFacts) -> Blocker:
    """The head does not descend from what the label serves."""
    cause = gettext("Version {number} was not made from version {holds}, which {label} serves now.").format(
        number=facts.number, holds=facts.holds, label=facts.label
    )
    action = gettext("Merge what version {holds} changed into a new version, and update the change to that version.")
    return Blocker("diverged", cause, action.format(holds=facts.holds), (facts.author,))


def describe_freeze(freeze: StandingFreeze) -> Blocker:
    """The namespace is in a freeze now."""
    return Blocker(FREEZE, freeze.sentence, freeze.advice, next_slot=freeze.slot)


def describe_release(number: int) -> Blocker:
    """The change belongs to the open release with this number."""
    cause = gettext("It is part of release {number}, which is published as a whole.").format(number=number)
    return Blocker(
        IN_RELEASE,
        cause,
        gettext("Publish release {number}, or remove this template from it first.").format(number=number),
    )


def describe_rollout(label: str, change: int, rollout: int, rolled_out: int) -> Blocker:
    """A rollout is active on the label: its number, and that of the request that it publishes."""
    if rolled_out == change:
        cause = gettext("It is being published gradually, by rollout {rollout}.").format(rollout=rollout)
        return Blocker(ROLLING_OUT, cause, gettext("Finish the rollout, or stop it first."))
    cause = gettext("{label} is in rollout {rollout}, which publishes change {rolled_out} gradually.").format(
        label=label, rollout=rollout, rolled_out=rolled_out
    )
    return Blocker(ROLLING_OUT, cause, gettext("Wait until that rollout is finished, or stop it first."))


def describe_objections(context: ApprovalContext) -> Blocker:
    """Somebody requested edits of the head."""
    objections, author = context.status.objections, context.facts.author
    if context.viewer in objections:
        return Blocker("objection", gettext("You asked for edits."), gettext("Approve when they are made."), (author,))
    return Blocker(
        "objection",
        gettext("{people} asked for edits.").format(people=", ".join(objections)),
        gettext("Save a version with these edits, and update the change to that version."),
        (author,),
    )


def describe_unresolved_threads(facts: GateFacts) -> Blocker:
    """The rules require all threads to be resolved, and some are not."""
    many = facts.open_threads > 1
    cause = ngettext("{count} thread is not resolved.", "{count} threads are not resolved.", facts.open_threads)
    action = gettext("Answer them, then resolve.") if many else gettext("Answer it, then resolve.")
    return Blocker("threads", cause.format(count=facts.open_threads), action, (facts.author,))


def describe_missing_approvals(context: ApprovalContext) -> Blocker:
    """Approvals are missing."""
    status, viewer = context.status, context.viewer
    people = tuple(person for person in context.eligible if person not in status.approvals)
    cause = ngettext("Needs {count} more approval.", "Needs {count} more approvals.", status.missing)
    cause = cause.format(count=status.missing)
    cause += _describe_void_approvals(context)
    if viewer in people:
        action = gettext("Read the change, then approve it or ask for edits.")
    elif not people and context.rules.two_step_required:
        action = gettext(
            "Ask a reviewer to turn on two-step sign-in, or an admin to make another person a reviewer: nobody else "
            "may approve."
        )
    elif not people:
        action = gettext("Ask an admin to make another person a reviewer: nobody else may approve.")
    elif len(people) < status.missing:
        action = gettext("Ask an admin to make another person a reviewer: only {names} may approve.").format(
            names=gettext(" and ").join(people)
        )
    else:
        action = gettext("Ask {names} to review it.").format(names=gettext(" or ").join(people[:3]))
    return Blocker("approvals", cause, action, people)


def _describe_void_approvals(context: ApprovalContext) -> str:
    """Sentences about approvals that do not count: of an earlier head, of a contributor, or of somebody who may not
    approve any more.
    """
    facts, status = context.facts, context.status
    deciding = ("approve", "request_changes", "take_back")
    last = {it.person: it for it in facts.decisions if it.decision in deciding}
    sentences = ""
    for person, decision in last.items():
        is_of_head = decision.digest == facts.digest and decision.round == facts.round
        if decision.decision != "approve" or person in status.approvals or not (decision.is_reviewer or is_of_head):
            continue
        reasons = context.reasons_against.get(person, ())
        is_own = person == context.viewer
        if not decision.is_reviewer:
            sentence = _describe_lost_right(context.rules, is_own=is_own)
        elif reasons and is_own:
            sentence = gettext("Your approval does not count. {why}")
        elif reasons:
            sentence = gettext("The approval by {person} does not count: {person} {why}.")
        elif decision.digest != facts.digest and decision.number and is_own:
            sentence = gettext("Your approval was for version {old}; version {new} is proposed now.")
        elif decision.digest != facts.digest and decision.number:
            sentence = gettext("The approval by {person} was for version {old}; version {new} is proposed now.")
        elif is_own:
            sentence = gettext("Your approval was given before the change was reopened or got another version.")
        else:
            sentence = gettext(
                "The approval by {person} was given before the change was reopened or got another version."
            )
        why = (reasons[0].you if is_own else reasons[0].they) if reasons else ""
        sentences += " " + sentence.format(person=person, why=why, old=decision.number, new=facts.number)
    return sentences


def _describe_lost_right(rules: Rules, *, is_own: bool) -> str:
    """Why an approval of the head does not count if the person is not a reviewer today."""
    if rules.two_step_required and is_own:
        return gettext("Your approval does not count: you need the role reviewer and two-step sign-in now.")
    if rules.two_step_required:
        return gettext(
            "The approval by {person} does not count: {person} needs the role reviewer and two-step sign-in now."
        )
    if is_own:
        return gettext("Your approval does not count: you may not approve here any more.")
    return gettext("The approval by {person} does not count: {person} may not approve here any more.")


def describe_missing_owners(context: ApprovalContext) -> Blocker:
    """No owner of the path has approved."""
    facts, owners = context.facts, context.status.missing_owners
    cause = gettext("An owner of {path} has to approve: {names}.").format(
        path=facts.path, names=", ".join(_list_owner_names(context.rules, facts))
    )
    people = tuple(person for person in owners if person in context.eligible)
    if not people:
        reasons = [reason for person in owners[:1] for reason in context.reasons_against.get(person, ())[:1]]
        action = gettext("Ask an admin to name another owner: none of them may approve.")
        if reasons:
            action = gettext("Ask an admin to name another owner: none of them may approve ({owner} {why}).").format(
                owner=owners[0], why=reasons[0].they
            )
        return Blocker("owners", cause, action, ())
    if context.viewer in people:
        return Blocker("owners", cause, gettext("Approve it or ask for edits."), people)
    return Blocker("owners", cause, gettext("Ask {names}.").format(names=gettext(" or ").join(people)), people)


def _list_owner_names(rules: Rules, facts: GateFacts) -> tuple[str, ...]:
    """The owners of the path as in the rule: people by username, groups by title."""
    owner = rules.find_owner(facts.path)
    return (*owner.people, *(facts.find_group(name).title for name in owner.groups)) if owner else ()


def describe_missing_group(name: str, context: ApprovalContext) -> Blocker:
    """No member of a required group has approved."""
    group = context.facts.find_group(name)
    cause = gettext("Needs an approval from {group}.").format(group=group.title)
    eligible_members = tuple(person for person in context.eligible if person in group.people)
    if context.viewer in eligible_members:
        action = gettext("Read the change, then approve it or ask for edits.")
    elif eligible_members:
        action = gettext("Ask {names} to review it.").format(names=gettext(" or ").join(eligible_members[:3]))
    else:
        action = gettext("Ask an admin to put a reviewer into {group}: nobody in it may approve.")
        if group.people and context.rules.two_step_required:
            action = gettext(
                "Ask somebody in {group} to turn on two-step sign-in, or an admin to put a reviewer into it: nobody in "
                "it may approve."
            )
        action = action.format(group=group.title)
    return Blocker(f"{GROUP}{name}", cause, action, eligible_members)
