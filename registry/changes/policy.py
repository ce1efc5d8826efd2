"""The policy of change requests: who may approve, and the blockers between a request and its label, from facts alone.

Nothing here reads the database: `registry.changes.gate` gathers the facts inside the caller's transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, ngettext

from registry.changes.contributors import SUGGESTED, Reason
from registry.changes.facts import ApprovalStatus, Exemption, Facts, GroupApproval
from registry.core.timestamps import format_moment
from registry.freezes.windows import StandingFreeze
from registry.namespaces.rules import Rules

__all__ = [
    "FREEZE",
    "GROUP",
    "IN_RELEASE",
    "ROLLING_OUT",
    "Blocker",
    "count_approvals",
    "eligible_approvers",
    "fault_of_approver",
    "find_blockers",
    "find_exemptions",
    "find_own_decision",
    "lacks_approvers",
    "list_group_approvals",
    "reasons_against",
    "refusal_of_approver",
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
    """One thing between the request and its label: why, what to do about it, and who is waited for."""

    code: str
    cause: str
    action: str
    waiting_for: tuple[str, ...] = ()
    next_slot: datetime | None = None  # of a freeze: when nothing freezes the namespace

    @property
    def asks_for_approval(self) -> bool:
        """Whether an approval would settle it."""
        return self.code in ("approvals", "owners") or self.code.startswith(GROUP)

    @property
    def is_by_reviewers(self) -> bool:
        """Whether reviewers are waited for."""
        return self.asks_for_approval or self.code == "objection"

    def to_dict(self) -> dict[str, str]:
        """What a refusal says of it: code, cause, action, and of a freeze the next slot."""
        facts = {"code": self.code, "cause": self.cause, "action": self.action}
        return {**facts, "next_slot": format_moment(self.next_slot)} if self.next_slot else facts


def reasons_against(rules: Rules, facts: Facts, person: str) -> tuple[Reason, ...]:
    """Why this person's decision does not count, as far as no rule allows it."""
    if rules.self_approval:
        return ()
    found = facts.contributors.get(person, ())
    if rules.suggesters_may_approve:
        return tuple(reason for reason in found if reason.code != SUGGESTED)
    return found


def fault_of_approver(rules: Rules, facts: Facts, person: str) -> str:
    """Why this person may not decide on the request, as a sentence to that person, or nothing."""
    found = reasons_against(rules, facts, person)
    return found[0].you if found else ""


def refusal_of_approver(rules: Rules, facts: Facts, person: str) -> str:
    """The sentence with which a decision of this reviewer is refused, or nothing: the same before and after they
    try.
    """
    fault = fault_of_approver(rules, facts, person)
    if not fault:
        return ""
    if eligible_approvers(rules, facts):
        return gettext("{fault} Another reviewer decides on it.").format(fault=fault)
    return gettext("{fault} Nobody else may approve: an admin can make another person a reviewer.").format(fault=fault)


def eligible_approvers(rules: Rules, facts: Facts) -> tuple[str, ...]:
    """The reviewers whose approval would count."""
    return tuple(person for person in facts.reviewers if not reasons_against(rules, facts, person))


def find_exemptions(rules: Rules, facts: Facts) -> tuple[Exemption, ...]:
    """The approvals that count although the person contributed, each with the rule that allows it."""
    found = []
    for person in count_approvals(rules, facts).approvals:
        reasons = facts.contributors.get(person, ())
        if reasons:
            only_suggested = all(reason.code == SUGGESTED for reason in reasons)
            rule = "suggesters_may_approve" if only_suggested and rules.suggesters_may_approve else "self_approval"
            found.append(Exemption(person, rule, reasons[0].they))
    return tuple(found)


def find_own_decision(facts: Facts, person: str) -> str:
    """What this person last decided about the head: `approve` or `request_changes`; nothing where they decided neither,
    or took it back.
    """
    for decision in reversed(facts.decisions):
        is_of_head = decision.round == facts.round and decision.digest == facts.digest
        if decision.person == person and is_of_head and decision.decision not in ("comment", "acknowledge"):
            return "" if decision.decision == "take_back" else decision.decision
    return ""


def lacks_approvers(rules: Rules, facts: Facts, without: Collection[str] = ()) -> bool:
    """Whether too few reviewers are left whose approval counts, or no owner of the path, or nobody of a group that has
    to approve, when these people are left out.
    """
    left = [person for person in eligible_approvers(rules, facts) if person not in without]
    if len(left) < rules.count_needed_approvals(facts.label, facts.path):
        return True
    return bool(_find_missing_owners(rules, facts, left) or _find_missing_groups(rules, facts, left))


def count_approvals(rules: Rules, facts: Facts) -> ApprovalStatus:
    """Count the last decision of each reviewer in this round and on this digest, without approvals by contributors."""
    last: dict[str, str] = {}
    for decision in facts.decisions:
        counts = decision.is_reviewer and decision.round == facts.round and decision.digest == facts.digest
        if counts and decision.decision in ("approve", "request_changes"):
            last[decision.person] = decision.decision
        elif counts and decision.decision == "take_back":
            last.pop(decision.person, None)
    approvals = tuple(
        person
        for person, decision in last.items()
        if decision == "approve" and not reasons_against(rules, facts, person)
    )
    objections = tuple(person for person, decision in last.items() if decision == "request_changes")
    missing = max(0, rules.count_needed_approvals(facts.label, facts.path) - len(approvals))
    missing_owners = _find_missing_owners(rules, facts, approvals)
    return ApprovalStatus(approvals, objections, missing, missing_owners, _find_missing_groups(rules, facts, approvals))


def list_group_approvals(rules: Rules, facts: Facts, approvals: Collection[str]) -> tuple[GroupApproval, ...]:
    """The groups that have to approve, each with those of these approvers who are in it."""
    found = []
    for name in rules.list_required_groups(facts.label, facts.path):
        group = facts.find_group(name)
        people = tuple(person for person in approvals if person in group.people)
        found.append(GroupApproval(name, group.title, people))
    return tuple(found)


def _find_missing_owners(rules: Rules, facts: Facts, people: Collection[str]) -> tuple[str, ...]:
    """The owners of the path, where none of these people is one; the names of owning groups where nobody is in them, so
    that nobody speaks for the owners.
    """
    owner = rules.find_owner(facts.path)
    if owner is None:
        return ()
    owners = owner.list_people({name: group.people for name, group in facts.groups.items()})
    return () if set(owners) & set(people) else owners or owner.groups


def _find_missing_groups(rules: Rules, facts: Facts, people: Collection[str]) -> tuple[str, ...]:
    """The names of the groups that have to approve and of which none of these people is a member today."""
    required = rules.list_required_groups(facts.label, facts.path)
    return tuple(name for name in required if facts.find_group(name).people.isdisjoint(people))


def find_blockers(rules: Rules, facts: Facts, viewer: str, others: Sequence[Blocker] = ()) -> list[Blocker]:
    """Everything that keeps the request from being published, with the viewer's next action; nothing when it may be.

    `others` are blockers found elsewhere, such as required checks that have not passed.
    """
    if facts.closed:
        return []
    found = [] if facts.unreviewed else [*_of_the_label(facts), *others]
    counted = count_approvals(rules, facts)
    may_decide = viewer in eligible_approvers(rules, facts)
    if counted.objections:
        found.append(_of_objections(counted, facts, viewer))
    if rules.threads_resolved and facts.open_threads and not facts.unreviewed:
        found.append(_of_threads(facts))
    if counted.missing:
        found.append(_of_approvals(counted, rules, facts, viewer, may_decide))
    if counted.missing_owners:
        found.append(_of_owners(counted, rules, facts, viewer, may_decide))
    found += [_of_group(name, rules, facts, viewer) for name in counted.missing_groups]
    if facts.freeze is not None and not facts.unreviewed:
        found.append(_of_freeze(facts.freeze))
    if facts.rollout is not None and not facts.unreviewed:
        found.append(_of_rollout(facts.label, facts.change, *facts.rollout))
    if facts.release is not None and not facts.unreviewed:
        found.append(_of_release(facts.release))
    return found


def _of_the_label(facts: Facts) -> list[Blocker]:
    if facts.archived:
        return [
            Blocker(
                "archived",
                gettext("The template is archived."),
                gettext("Ask an admin to restore it, or withdraw the change."),
            )
        ]
    if facts.holds_digest == facts.digest and facts.held_by_approval:
        return [
            Blocker(
                "held",
                gettext("{label} already serves exactly this.").format(label=facts.label),
                gettext("Withdraw the change."),
                (facts.opened_by,),
            )
        ]
    if facts.superseded:
        cause = gettext("{label} serves version {holds} now, which already contains version {number}.").format(
            label=facts.label, holds=facts.holds, number=facts.number
        )
        return [Blocker("superseded", cause, gettext("Withdraw the change."), (facts.opened_by,))]
    if not facts.descends:
        return [
            Blocker(
                "diverged",
                gettext("Version {number} was not made from version {holds}, which {label} serves now.").format(
                    number=facts.number, holds=facts.holds, label=facts.label
                ),
                gettext(
                    "Merge what version {holds} changed into a new version, and update the change to that version."
                ).format(holds=facts.holds),
                (facts.author,),
            )
        ]
    return []


def _of_freeze(freeze: StandingFreeze) -> Blocker:
    return Blocker(FREEZE, freeze.sentence, freeze.advice, next_slot=freeze.slot)


def _of_release(number: int) -> Blocker:
    cause = gettext("It is part of release {number}, which is published as a whole.").format(number=number)
    return Blocker(
        IN_RELEASE,
        cause,
        gettext("Publish release {number}, or remove this template from it first.").format(number=number),
    )


def _of_rollout(label: str, change: int, rollout: int, rolled_out: int) -> Blocker:
    if rolled_out == change:
        cause = gettext("It is being published gradually, by rollout {rollout}.").format(rollout=rollout)
        return Blocker(ROLLING_OUT, cause, gettext("Finish the rollout, or stop it first."))
    cause = gettext("{label} is in rollout {rollout}, which publishes change {rolled_out} gradually.").format(
        label=label, rollout=rollout, rolled_out=rolled_out
    )
    return Blocker(ROLLING_OUT, cause, gettext("Wait until that rollout is finished, or stop it first."))


def _of_objections(counted: ApprovalStatus, facts: Facts, viewer: str) -> Blocker:
    people = ", ".join(counted.objections)
    if viewer in counted.objections:
        return Blocker(
            "objection", gettext("You asked for edits."), gettext("Approve when they are made."), (facts.author,)
        )
    return Blocker(
        "objection",
        gettext("{people} asked for edits.").format(people=people),
        gettext("Save a version with these edits, and update the change to that version."),
        (facts.author,),
    )


def _of_threads(facts: Facts) -> Blocker:
    many = facts.open_threads > 1
    cause = ngettext("{count} thread is not resolved.", "{count} threads are not resolved.", facts.open_threads)
    action = gettext("Answer them, then resolve.") if many else gettext("Answer it, then resolve.")
    return Blocker("threads", cause.format(count=facts.open_threads), action, (facts.author,))


def _of_approvals(counted: ApprovalStatus, rules: Rules, facts: Facts, viewer: str, may_decide: bool) -> Blocker:
    asked = tuple(person for person in eligible_approvers(rules, facts) if person not in counted.approvals)
    cause = ngettext("Needs {count} more approval.", "Needs {count} more approvals.", counted.missing)
    cause = cause.format(count=counted.missing)
    cause += _of_void_approvals(rules, facts, viewer, counted)
    if may_decide and viewer not in counted.approvals:
        action = gettext("Read the change, then approve it or ask for edits.")
    elif not asked:
        action = gettext("Ask an admin to make another person a reviewer: nobody else may approve.")
    elif len(asked) < counted.missing:
        action = gettext("Ask an admin to make another person a reviewer: only {names} may approve.").format(
            names=gettext(" and ").join(asked)
        )
    else:
        action = gettext("Ask {names} to review it.").format(names=gettext(" or ").join(asked[:3]))
    return Blocker("approvals", cause, action, asked)


def _of_void_approvals(rules: Rules, facts: Facts, viewer: str, counted: ApprovalStatus) -> str:
    """Whose approvals were given and do not count: of an earlier head, or of a contributor."""
    last = {it.person: it for it in facts.decisions if it.decision in ("approve", "request_changes")}
    sentences = ""
    for person, decision in last.items():
        if decision.decision != "approve" or not decision.is_reviewer or person in counted.approvals:
            continue
        against = reasons_against(rules, facts, person)
        is_own = person == viewer
        if against and is_own:
            sentence = gettext("Your approval does not count. {why}")
        elif against:
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
        why = (against[0].you if is_own else against[0].they) if against else ""
        sentences += " " + sentence.format(person=person, why=why, old=decision.number, new=facts.number)
    return sentences


def _of_owners(counted: ApprovalStatus, rules: Rules, facts: Facts, viewer: str, may_decide: bool) -> Blocker:
    owners = counted.missing_owners
    cause = gettext("An owner of {path} has to approve: {names}.").format(
        path=facts.path, names=", ".join(_name_owners(rules, facts))
    )
    asked = tuple(person for person in owners if person in eligible_approvers(rules, facts))
    if not asked:
        against = [reason for person in owners[:1] for reason in reasons_against(rules, facts, person)[:1]]
        action = gettext("Ask an admin to name another owner: none of them may approve.")
        if against:
            action = gettext("Ask an admin to name another owner: none of them may approve ({owner} {why}).").format(
                owner=owners[0], why=against[0].they
            )
        return Blocker("owners", cause, action, ())
    if viewer in asked and may_decide:
        return Blocker("owners", cause, gettext("Approve it or ask for edits."), asked)
    return Blocker("owners", cause, gettext("Ask {names}.").format(names=gettext(" or ").join(asked)), asked)


def _name_owners(rules: Rules, facts: Facts) -> tuple[str, ...]:
    """The owners of the path as the rule names them: people by username, groups by title."""
    owner = rules.find_owner(facts.path)
    return (*owner.people, *(facts.find_group(name).title for name in owner.groups)) if owner else ()


def _of_group(name: str, rules: Rules, facts: Facts, viewer: str) -> Blocker:
    group = facts.find_group(name)
    cause = gettext("Needs an approval from {group}.").format(group=group.title)
    asked = tuple(person for person in eligible_approvers(rules, facts) if person in group.people)
    if viewer in asked:
        action = gettext("Read the change, then approve it or ask for edits.")
    elif asked:
        action = gettext("Ask {names} to review it.").format(names=gettext(" or ").join(asked[:3]))
    else:
        action = gettext("Ask an admin to put a reviewer into {group}: nobody in it may approve.").format(
            group=group.title
        )
    return Blocker(f"{GROUP}{name}", cause, action, asked)
