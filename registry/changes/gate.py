"""The gate of change requests: one function that evaluates a request, and the result that every entry point uses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext, gettext_lazy

from registry.accounts.actor import Actor
from registry.changes import checks, policy
from registry.changes import queries as change_queries
from registry.changes.blockers import Blocker
from registry.changes.checks import Approval, Check, CheckInputs, DecisionRecord
from registry.changes.facts import ApprovalStatus, DecisionFacts, Exemption, GateFacts, GroupApproval
from registry.changes.gate_facts import CheckFacts, ReviewFacts
from registry.changes.models import ChangeRequest, Decision, Verdict
from registry.changes.thread_models import Comment
from registry.journal.event import to_microseconds
from registry.namespaces import permissions
from registry.namespaces.rules import Rules, read_rules
from registry.namespaces.verbs import Verb

__all__ = ["Gate", "Turn", "evaluate", "evaluate_many", "evaluate_pending"]

_BY_KEY = gettext_lazy("A key can't approve: sign in as a person to do this.")
_BY_OPERATOR = gettext_lazy("Approving is done by a person who signed in, never by a command.")


@dataclass(frozen=True)
class Turn:
    """Whose turn it is in a request: usernames (none while waiting for a check), the reason, and since when."""

    people: tuple[str, ...]
    reason: str
    since: datetime


@dataclass(frozen=True)
class Gate:
    """The state of one request, as the viewer sees it.

    A closed request has the checks and approvals that it was decided on, no blockers and no turn. `versions_between`
    are the numbers of the versions that would go live along with the head. `inputs` are the digests that the checks are
    bound to, None for a closed request. `last_decision` is the number of the last decision in the request, 0 without
    any.
    """

    change: ChangeRequest
    actor: Actor | None
    rules: Rules
    facts: GateFacts
    checks: tuple[Check, ...]
    inputs: CheckInputs | None
    blockers: tuple[Blocker, ...]
    approval_status: ApprovalStatus
    approvals: tuple[Approval, ...]
    needed: int
    group_approvals: tuple[GroupApproval, ...]
    exemptions: tuple[Exemption, ...]
    versions_between: tuple[int, ...]
    turn: Turn | None
    last_decision: int

    @property
    def decisions(self) -> tuple[DecisionFacts, ...]:
        """The decisions in the request, oldest first."""
        return self.facts.decisions

    @property
    def is_closed(self) -> bool:
        """Whether it is decided, so that it can't change any more."""
        return self.facts.closed

    @property
    def refusal(self) -> str:
        """Why the viewer may not approve, as a sentence; empty if they may."""
        if self.facts.redacted and not self.refusal_of_viewer:
            return gettext("Version {number} was redacted: its text is gone.").format(number=self.facts.number)
        return self.refusal_of_viewer

    @property
    def refusal_of_viewer(self) -> str:
        """Why the viewer may not approve any version of it, as a sentence; empty if they may."""
        change = self.change
        if self.facts.closed:
            return gettext("Change {change} is {state}.").format(change=change.number, state=change.state)
        if self.actor is None or self.actor.is_operator:
            return str(_BY_OPERATOR)
        person = self.actor.person.username
        if self.actor.key is not None:
            return str(_BY_KEY)
        if person not in self.facts.reviewers:
            more = gettext(" and two-step sign-in") if self.rules.two_step_required else ""
            return gettext("Approving in {namespace} needs the role reviewer{more}.").format(
                namespace=change.template.namespace.name, more=more
            )
        return policy.find_approver_refusal(self.rules, self.facts, person)

    @property
    def may_approve(self) -> bool:
        """Whether an approval by the viewer would count."""
        return not self.refusal

    def with_decision(self, decision: Decision) -> "Gate":
        """The gate after one more decision of the viewer; blockers and turn are not recomputed."""
        person = decision.person.username
        is_reviewer = person in self.facts.reviewers
        latest = DecisionFacts(
            person, decision.decision, decision.digest, decision.round, is_reviewer, self.facts.number
        )
        facts = replace(self.facts, decisions=(*self.facts.decisions, latest))
        status = policy.count_approvals(self.rules, facts)
        approvals = {approval.person: approval for approval in self.approvals}
        if decision.decision == Decision.APPROVE:
            approvals[person] = Approval(person, to_microseconds(decision.created_at))
        return replace(
            self,
            facts=facts,
            approval_status=status,
            approvals=tuple(approvals[person] for person in status.approvals),
            group_approvals=policy.list_group_approvals(self.rules, facts, status.approvals),
            exemptions=policy.find_exemptions(self.rules, facts),
            last_decision=decision.number,
        )

    def find_blocker(self, code: str) -> Blocker | None:
        """The blocker with this code, or None."""
        return next((blocker for blocker in self.blockers if blocker.code == code), None)

    def warn_of_suggestions(self, comments: Iterable[Comment]) -> str:
        """Warn if applying these suggestions would leave too few people whose approval counts, or only their authors;
        empty otherwise.
        """
        rules, facts = self.rules, self.facts
        if rules.self_approval or rules.suggesters_may_approve or policy.lacks_approvers(rules, facts):
            return ""
        lost = {comment.person.username for comment in comments}
        if not policy.lacks_approvers(rules, facts, lost):
            return ""
        may = policy.list_eligible_approvers(rules, facts)
        out = gettext(" and ").join(person for person in may if person in lost)
        only = gettext("Only {names} may approve this change").format(names=gettext(" and ").join(may))
        return gettext(
            "{only}. With this in it {out} would have contributed, and too few people would be left to approve it."
        ).format(only=only, out=out)

    @property
    def awaited_reviewers(self) -> tuple[str, ...]:
        """The people who were asked for a review by name, may give it, and have not decided on the head."""
        if not self.change.takes_decisions:
            return ()
        may = policy.list_eligible_approvers(self.rules, self.facts) if self.change.asked else ()
        reviewers = (person for person in self.change.asked if person in may)
        return tuple(person for person in reviewers if not policy.find_own_decision(self.facts, person))

    def waits_on(self, username: str) -> bool:
        """Whether it is this person's turn, or they were asked for a review by name."""
        return (self.turn is not None and username in self.turn.people) or username in self.awaited_reviewers

    def to_decision_record(self) -> DecisionRecord:
        """What the request is decided on now, for the event that closes it."""
        return DecisionRecord(self.approvals, self.needed, self.checks, self.exemptions, self.group_approvals)


def evaluate_pending(actor: Actor) -> list[Gate]:
    """Evaluate the pending requests that the actor may read, the longest waiting first (the newest 200)."""
    gates = evaluate_many(change_queries.list_pending(actor), actor)
    return sorted(gates, key=lambda gate: gate.turn.since if gate.turn else gate.change.created_at)


def evaluate(change: ChangeRequest, actor: Actor | None, *, with_checks: bool = True) -> Gate:
    """The current state of the request; inside a write, call it under the journal's lock.

    with_checks: False skips the checks, their blockers and the time of the last turn, for callers that only need
    people.
    """
    return evaluate_many([change], actor, with_checks=with_checks)[0]


def evaluate_many(rows: Iterable[ChangeRequest], actor: Actor | None, *, with_checks: bool = True) -> list[Gate]:
    """Evaluate each request in the order given, in a constant number of queries.

    Rows as returned by `queries.list_changes` and `queries.find_change`. Blockers address the actor; None is nobody in
    particular.
    """
    listed = list(rows)
    return _Reader(listed, actor, with_checks=with_checks).build_gates(listed) if listed else []


def _find_turn(change: ChangeRequest, blockers: Sequence[Blocker], since: datetime) -> Turn:
    """Whose turn it is, by the blockers of an open request. since: when the turn last passed."""
    if not blockers:
        return Turn((change.opened_by.username,), gettext("Nothing blocks it: it can be published."), since)
    first = next((blocker for blocker in blockers if blocker.waiting_for), blockers[0])
    return Turn(first.waiting_for, first.cause, since)


class _Reader:
    """The data that all the requests are evaluated with."""

    def __init__(self, rows: Sequence[ChangeRequest], actor: Actor | None, *, with_checks: bool) -> None:
        self._actor = actor
        self._viewer = actor.person.username if actor and actor.key is None else ""
        self._review = ReviewFacts(rows, with_times=with_checks)
        self._rules = {row.template.namespace_id: read_rules(row.template.namespace) for row in rows}
        open_rows = [(row, self._rules[row.template.namespace_id]) for row in rows if row.is_open]
        self._checks = CheckFacts(open_rows, self._review) if with_checks and open_rows else None
        keys = [check["key"] for row in rows if not row.is_open and row.decided for check in row.decided["checks"]]
        verdicts = Verdict.objects.filter(key__in=keys) if with_checks and any(keys) else ()
        self._findings = {row.key: row.findings for row in verdicts}

    def build_gates(self, rows: Sequence[ChangeRequest]) -> list[Gate]:
        return [self._build_gate(row) for row in rows]

    def _build_gate(self, change: ChangeRequest) -> Gate:
        rules, facts = self._rules[change.template.namespace_id], self._review.build_facts(change)
        decided = (
            checks.read_decision_record(change.decided, self._findings)
            if change.decided and not change.is_open
            else None
        )
        if facts.closed:
            return self._build_closed_gate(change, rules, facts, decided)
        checks_now: tuple[Check, ...] = decided.checks if decided else ()
        inputs = None
        if change.is_open and self._checks is not None:
            checks_now, inputs = self._checks.list_checks(change, rules), self._checks.get_inputs(change)
        blockers = policy.find_blockers(
            rules, facts, self._viewer, self._check_blockers(change, checks_now, facts.author)
        )
        status = policy.count_approvals(rules, facts)
        return Gate(
            change=change,
            actor=self._actor,
            rules=rules,
            facts=facts,
            checks=checks_now,
            inputs=inputs,
            blockers=tuple(blockers),
            approval_status=status,
            approvals=tuple(
                Approval(person, to_microseconds(self._review.find_approval_time(change, person)))
                for person in status.approvals
            ),
            needed=rules.count_needed_approvals(change.label, change.template.path),
            group_approvals=policy.list_group_approvals(rules, facts, status.approvals),
            exemptions=policy.find_exemptions(rules, facts),
            versions_between=tuple(self._review.list_versions_between(change)) if change.is_open else (),
            turn=_find_turn(change, blockers, self._review.find_turn_start(change)),
            last_decision=self._review.find_last_decision(change),
        )

    def _check_blockers(self, change: ChangeRequest, results: Sequence[Check], author: str) -> list[Blocker]:
        """The blockers from checks. A key that may not read the request gets no findings, because they quote texts."""
        blockers = checks.check_blockers(results, author)
        actor = self._actor
        if actor is None or actor.key is None or permissions.is_allowed(actor, Verb.READ, change.template.namespace):
            return blockers
        action = gettext("A person sees why on the change's page.")
        return [
            replace(
                one,
                cause=gettext("The check {name} has not passed.").format(name=one.code.partition(":")[2]),
                action=action,
            )
            for one in blockers
        ]

    def _build_closed_gate(
        self, change: ChangeRequest, rules: Rules, facts: GateFacts, decided: DecisionRecord | None
    ) -> Gate:
        approvals = decided.approvals if decided else ()
        return Gate(
            change=change,
            actor=self._actor,
            rules=rules,
            facts=facts,
            checks=decided.checks if decided else (),
            inputs=None,
            blockers=(),
            approval_status=ApprovalStatus(tuple(one.person for one in approvals), (), 0, ()),
            approvals=approvals,
            needed=decided.needed if decided else rules.count_needed_approvals(change.label, change.template.path),
            group_approvals=decided.groups if decided else (),
            exemptions=decided.exemptions if decided else (),
            versions_between=(),
            turn=None,
            last_decision=self._review.find_last_decision(change),
        )
