"""The policy of change requests: who may approve, and what blocks a request, computed from facts alone.

Nothing here reads the database: `registry.changes.gate` gathers the facts inside the caller's transaction.
"""

from collections.abc import Collection, Sequence

from django.utils.translation import gettext

from registry.changes import blockers
from registry.changes.blockers import ApprovalContext, Blocker
from registry.changes.contributor_reasons import SUGGESTED, Reason
from registry.changes.facts import ApprovalStatus, Exemption, GateFacts, GroupApproval
from registry.namespaces.rules import Rules

__all__ = [
    "count_approvals",
    "find_approver_fault",
    "find_approver_refusal",
    "find_blockers",
    "find_exemptions",
    "find_own_decision",
    "lacks_approvers",
    "list_eligible_approvers",
    "list_group_approvals",
    "list_reasons_against",
]


def list_reasons_against(rules: Rules, facts: GateFacts, person: str) -> tuple[Reason, ...]:
    """Why this person's decision does not count, unless a rule allows it."""
    if rules.self_approval:
        return ()
    reasons = facts.contributors.get(person, ())
    if rules.suggesters_may_approve:
        return tuple(reason for reason in reasons if reason.code != SUGGESTED.code)
    return reasons


def find_approver_fault(rules: Rules, facts: GateFacts, person: str) -> str:
    """Why this person may not decide on the request, as a sentence addressed to them; empty if they may."""
    reasons = list_reasons_against(rules, facts, person)
    return reasons[0].you if reasons else ""


def find_approver_refusal(rules: Rules, facts: GateFacts, person: str) -> str:
    """The sentence that refuses a decision of this reviewer, or empty; the same before and after they try."""
    fault = find_approver_fault(rules, facts, person)
    if not fault:
        return ""
    if list_eligible_approvers(rules, facts):
        return gettext("{fault} Another reviewer decides on it.").format(fault=fault)
    return gettext("{fault} Nobody else may approve: an admin can make another person a reviewer.").format(fault=fault)


def list_eligible_approvers(rules: Rules, facts: GateFacts) -> tuple[str, ...]:
    """The reviewers whose approval would count."""
    return tuple(person for person in facts.reviewers if not list_reasons_against(rules, facts, person))


def find_exemptions(rules: Rules, facts: GateFacts) -> tuple[Exemption, ...]:
    """The approvals that count although the person contributed, each with the rule that allows it."""
    approvals = []
    for person in count_approvals(rules, facts).approvals:
        reasons = facts.contributors.get(person, ())
        if reasons:
            only_suggested = all(reason.code == SUGGESTED.code for reason in reasons)
            rule = "suggesters_may_approve" if only_suggested and rules.suggesters_may_approve else "self_approval"
            approvals.append(Exemption(person, rule, reasons[0].they))
    return tuple(approvals)


def find_own_decision(facts: GateFacts, person: str) -> str:
    """This person's last decision about the head: `approve` or `request_changes`; empty if there isn't one, or it was
    taken back.
    """
    for decision in reversed(facts.decisions):
        is_of_head = decision.round == facts.round and decision.digest == facts.digest
        if decision.person == person and is_of_head and decision.decision not in ("comment", "acknowledge"):
            return "" if decision.decision == "take_back" else decision.decision
    return ""


def lacks_approvers(rules: Rules, facts: GateFacts, without: Collection[str] = ()) -> bool:
    """Whether, without these people, too few reviewers are left whose approval counts, no owner of the path, or no
    member of a required group.
    """
    approvers = [person for person in list_eligible_approvers(rules, facts) if person not in without]
    if len(approvers) < rules.count_needed_approvals(facts.label, facts.path):
        return True
    return bool(_find_missing_owners(rules, facts, approvers) or _find_missing_groups(rules, facts, approvers))


def count_approvals(rules: Rules, facts: GateFacts) -> ApprovalStatus:
    """Evaluate the last decision of each reviewer in this round and on this digest; approvals by contributors don't
    count.
    """
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
        if decision == "approve" and not list_reasons_against(rules, facts, person)
    )
    objections = tuple(person for person, decision in last.items() if decision == "request_changes")
    missing_count = max(0, rules.count_needed_approvals(facts.label, facts.path) - len(approvals))
    missing_owners = _find_missing_owners(rules, facts, approvals)
    return ApprovalStatus(
        approvals, objections, missing_count, missing_owners, _find_missing_groups(rules, facts, approvals)
    )


def list_group_approvals(rules: Rules, facts: GateFacts, approvals: Collection[str]) -> tuple[GroupApproval, ...]:
    """List the required groups, each with its members among these approvers."""
    groups = []
    for name in rules.list_required_groups(facts.label, facts.path):
        group = facts.find_group(name)
        people = tuple(person for person in approvals if person in group.people)
        groups.append(GroupApproval(name, group.title, people))
    return tuple(groups)


def _find_missing_owners(rules: Rules, facts: GateFacts, people: Collection[str]) -> tuple[str, ...]:
    """The owners of the path if none of these people is one; the names of owning groups if they are empty, so that
    nobody can approve as an owner.
    """
    owner = rules.find_owner(facts.path)
    if owner is None:
        return ()
    owners = owner.list_people({name: group.people for name, group in facts.groups.items()})
    return () if set(owners) & set(people) else owners or owner.groups


def _find_missing_groups(rules: Rules, facts: GateFacts, people: Collection[str]) -> tuple[str, ...]:
    """The names of the required groups of which none of these people is a member today."""
    required = rules.list_required_groups(facts.label, facts.path)
    return tuple(name for name in required if facts.find_group(name).people.isdisjoint(people))


def find_blockers(rules: Rules, facts: GateFacts, viewer: str, others: Sequence[Blocker] = ()) -> list[Blocker]:
    """Find everything that keeps the request from being published, with the viewer's next action; empty if it may be.

    `others` are blockers found elsewhere, such as required checks that have not passed.
    """
    if facts.closed:
        return []
    blocking = [] if facts.unreviewed else [*_judge_place(facts), *others]
    status = count_approvals(rules, facts)
    reasons_against = {person: list_reasons_against(rules, facts, person) for person in facts.contributors}
    context = ApprovalContext(rules, facts, status, viewer, list_eligible_approvers(rules, facts), reasons_against)
    if status.objections:
        blocking.append(blockers.describe_objections(context))
    if rules.threads_resolved and facts.open_threads and not facts.unreviewed:
        blocking.append(blockers.describe_unresolved_threads(facts))
    if status.missing:
        blocking.append(blockers.describe_missing_approvals(context))
    if status.missing_owners:
        blocking.append(blockers.describe_missing_owners(context))
    blocking += [blockers.describe_missing_group(name, context) for name in status.missing_groups]
    if facts.freeze is not None and not facts.unreviewed:
        blocking.append(blockers.describe_freeze(facts.freeze))
    if facts.rollout is not None and not facts.unreviewed:
        blocking.append(blockers.describe_rollout(facts.label, facts.change, *facts.rollout))
    if facts.release is not None and not facts.unreviewed:
        blocking.append(blockers.describe_release(facts.release))
    return blocking


def _judge_place(facts: GateFacts) -> list[Blocker]:
    """Find the blockers from the head's state and ancestry, regardless of approvals."""
    if facts.archived:
        return [blockers.describe_archived()]
    if facts.redacted:
        return [blockers.describe_redacted(facts)]
    if facts.holds_digest == facts.digest and facts.held_by_approval:
        return [blockers.describe_served(facts)]
    if facts.superseded:
        return [blockers.describe_superseded(facts)]
    return [] if facts.descends else [blockers.describe_diverged(facts)]
