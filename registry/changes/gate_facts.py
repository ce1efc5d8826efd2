"""The facts and check results of many change requests for `gate`, read in a constant number of queries."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Exists, FilteredRelation, Max, OuterRef

from registry.accounts.models import select_people_with_two_step
from registry.changes import checks, counted_scores, evaluation_check, history_queries
from registry.changes.checks import Check, CheckInputs, find_related_facts
from registry.changes.contributors import ChangeFacts, VersionNode, find_contributors
from registry.changes.evaluation_check import EvaluationProgress
from registry.changes.events import ChangeDecided, ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.facts import DecisionFacts, GateFacts
from registry.changes.models import ChangeRequest, Decision, Verdict, list_decisions
from registry.changes.thread_models import count_open_threads
from registry.evaluations import attachment_queries
from registry.evaluations.attachment_queries import EvaluationPlan
from registry.freezes.models import Freeze
from registry.freezes.queries import find_standing_freezes
from registry.journal.event import from_microseconds, to_microseconds
from registry.journal.models import Event
from registry.namespaces.models import Namespace, Role
from registry.namespaces.permissions import MemberRoles, filter_by_role, read_member_roles
from registry.namespaces.rules import Rules, read_named_groups
from registry.namespaces.verbs import TABLE, Verb
from registry.templates import inclusions
from registry.templates.label_moves import find_emergency_moves, list_trusted_holdings
from registry.templates.models import Template
from registry.usage import queries as usage_queries

__all__ = ["CheckFacts", "ReviewFacts"]

# The events that change whose turn it is.
_TURNING = [event.kind for event in (ChangeProposed, ChangeHeaded, ChangeDecided, ChangeReopened)]


class ReviewFacts:
    """Labels, versions, decisions and roles, which decide who may approve and whether the label may move.

    with_times: whether `find_turn_start` will be called.
    """

    def __init__(self, rows: Sequence[ChangeRequest], *, with_times: bool = True) -> None:
        templates = {row.template_id: row.template for row in rows}
        self.history = history_queries.read_history(templates.values())
        self._trusted = list_trusted_holdings(set(templates))
        self._emergencies = find_emergency_moves([row.pk for row in rows if row.unreviewed])
        spaces = {row.template.namespace_id: row.template.namespace for row in rows}
        self._able, frozen = _find_able_and_frozen(spaces)
        self.decisions = list_decisions([row.pk for row in rows])
        self._groups = read_named_groups(spaces.values())
        asking = [row.pk for row in rows if row.is_open and row.template.namespace.threads_resolved]
        self._open_threads = count_open_threads(asking) if asking else {}
        frozen &= {row.template.namespace_id for row in rows if row.is_open}
        self._freezes = find_standing_freezes(frozen) if frozen else {}
        self._since = _find_last_turns([row.pk for row in rows]) if with_times else {}

    def find_served_version(self, change: ChangeRequest) -> VersionNode | None:
        """The version that the request's label serves."""
        pk = self.history.labels.get(change.template.name, {}).get(change.label)
        return self.history.steps[pk] if pk is not None else None

    def list_served_digests(self, change: ChangeRequest) -> tuple[str, ...]:
        """The digests served by all labels of the request's template, sorted."""
        pks = self.history.labels.get(change.template.name, {}).values()
        return tuple(sorted({self.history.steps[pk].digest for pk in pks}))

    def find_last_decision(self, change: ChangeRequest) -> int:
        """The number of the last decision in the request, 0 without any."""
        return max((decision.number for decision in self.decisions[change.pk]), default=0)

    def build_facts(self, change: ChangeRequest) -> GateFacts:
        """The facts of one request."""
        template, version, history = change.template, change.version, self.history
        served = self.find_served_version(change)
        reviewers = self._list_reviewers(template)
        descends = served is None or history.contains(version.pk, served.pk)
        return GateFacts(
            label=change.label,
            path=template.path,
            number=version.number,
            digest=version.digest,
            round=change.round,
            opened_by=change.opened_by.username,
            author=history.steps[version.pk].author,
            decisions=tuple(self._read_decision_facts(decision, reviewers) for decision in self.decisions[change.pk]),
            reviewers=reviewers,
            holds=served.number if served else None,
            holds_digest=served.digest if served else None,
            descends=descends,
            superseded=served is not None and history.is_superseded(version.pk, served.pk),
            open_threads=self._open_threads.get(change.pk, 0),
            release=change.open_release,
            freeze=self._freezes.get(template.namespace_id),
            rollout=history.rollouts.get(template.name, {}).get(change.label),
            change=change.number,
            archived=template.archived_at is not None,
            redacted=history.steps[version.pk].is_redacted,
            closed=not change.takes_decisions,
            unreviewed=change.unreviewed,
            held_by_approval=served is None or served.digest in self._list_digests(change),
            groups=self._groups.get(template.namespace_id, {}),
            contributors=find_contributors(history, self._request(change)) if change.takes_decisions else {},
        )

    def _list_reviewers(self, template: Template) -> tuple[str, ...]:
        """The people who may approve requests of the template."""
        path, needed = template.path, TABLE[Verb.APPROVE].rank
        return tuple(name for name, roles in self._able[template.namespace_id] if roles.at(path).rank >= needed)

    def list_versions_between(self, change: ChangeRequest) -> list[int]:
        """Numbers of the versions that would go live, or be approved, along with the head."""
        return self.history.list_versions_between(change.version_id, self._find_approved(change))

    def find_turn_start(self, change: ChangeRequest) -> datetime:
        """When the turn last passed."""
        return self._since.get(change.pk, change.created_at)

    def find_approval_time(self, change: ChangeRequest, person: str) -> datetime:
        """When this person approved the head."""
        return next(
            decision.created_at
            for decision in reversed(self.decisions[change.pk])
            if decision.person.username == person and decision.decision == Decision.APPROVE
        )

    def _read_decision_facts(self, decision: Decision, reviewers: Sequence[str]) -> DecisionFacts:
        person = decision.person.username
        number = self.history.steps[decision.version_id].number
        return DecisionFacts(person, decision.decision, decision.digest, decision.round, person in reviewers, number)

    def _request(self, change: ChangeRequest) -> ChangeFacts:
        return ChangeFacts(
            change.number,
            change.template.name,
            change.template.namespace.name,
            change.version_id,
            change.opened_by.username,
            change.key_id,
            self._find_approved(change),
        )

    def _list_digests(self, change: ChangeRequest) -> set[str]:
        """The digests that the request's label held by approval, without those that it was rolled back from."""
        return {digest for _, _, digest in self._trusted.get((change.template_id, change.label), ())}

    def _find_approved(self, change: ChangeRequest) -> int | None:
        """The id of the version that the request is compared with: what its label serves, if it held that by approval.

        Otherwise it is what the label last held by approval, or None: everything since then is unapproved. For an
        emergency awaiting approval it is what the label held by approval before it. What the label was rolled back
        from doesn't count.
        """
        served, moves = self.find_served_version(change), self._trusted.get((change.template_id, change.label), [])
        if (emergency := self._emergencies.get(change.pk)) is not None:
            moves = [move for move in moves if move[0] < emergency]
        elif served is not None and served.digest in self._list_digests(change):
            return served.pk
        return moves[-1][1] if moves else None


class CheckFacts:
    """Samples, plans, callers and verdicts, which decide the state of the checks of requests."""

    def __init__(self, rows: Sequence[tuple[ChangeRequest, Rules]], review: ReviewFacts) -> None:
        templates = {row.template_id: row.template for row, _ in rows}
        self._review = review
        related = find_related_facts(set(templates))
        self._samples = {fact.template: fact.samples for fact in related if fact.samples}
        measured = [templates[fact.template] for fact in related if fact.has_attachments]
        self._plans = attachment_queries.list_plans_of_templates(measured) if measured else {}
        pinned = [fact.template for fact in related if fact.is_pinned]
        self._fetched = usage_queries.find_pinned_digests(pinned) if pinned else {}
        counting = [row for row, _ in rows if any(plan.people_gates for plan in self._plans.get(row.template_id, ()))]
        self._recorded = counted_scores.read_recorded_scores([row.pk for row in counting]) if counting else {}
        self._contributors = {row.pk: review.build_facts(row).contributors for row in counting}
        included = [
            templates[fact.template] for fact in related if fact.is_included or templates[fact.template].renamed_at
        ]
        self._dependants = inclusions.list_including_digests(included) if included else {}
        self._inputs = {row.pk: self._read_inputs(row) for row, _ in rows}
        self._keys = {row.pk: self._list_keys(row, rules) for row, rules in rows}
        keys = {key for listed in self._keys.values() for key in listed}
        self._verdicts = {row.key: row for row in Verdict.objects.filter(key__in=keys)}
        self._measured = self._measure([row for row, _ in rows])

    def get_inputs(self, change: ChangeRequest) -> CheckInputs:
        """The digests that the checks of the request use now."""
        return self._inputs[change.pk]

    def _read_inputs(self, change: ChangeRequest) -> CheckInputs:
        against = self._review.find_served_version(change)
        return CheckInputs(
            template=change.template.name,
            version=change.version.digest,
            samples=self._samples.get(change.template_id),
            against=against.digest if against else None,
            served=self._review.list_served_digests(change),
            fetched=self._fetched.get(change.template_id, ()),
            dependants=self._dependants.get(change.template.name, ()),
            evaluations=tuple(self._describe_plan(change, plan) for plan in self._plans.get(change.template_id, ())),
        )

    def _describe_plan(self, change: ChangeRequest, plan: EvaluationPlan) -> dict[str, object]:
        """What a verdict is bound to: the plan, and the recorded scores if it has thresholds on scores by people."""
        facts = plan.to_dict()
        if plan.people_gates:
            recorded, contributors = self._recorded.get((change.pk, plan.name)), self._contributors[change.pk]
            evidence = counted_scores.read_evidence(recorded, change.version_id, plan, contributors)
            facts["scores"] = evidence.digest if evidence else None
        return facts

    def list_checks(self, change: ChangeRequest, rules: Rules) -> tuple[Check, ...]:
        """Every check in the fixed order; one without a result for these digests has no outcome."""
        required, inputs = checks.list_required_checks(rules), self.get_inputs(change)
        sought = (Decision.ACKNOWLEDGE, change.round, change.version.digest)
        decisions = self._review.decisions[change.pk]
        acknowledged = any((it.decision, it.round, it.digest) == sought for it in decisions)
        return tuple(
            self._check(change, name, key, inputs, name in required, name == "contract" and acknowledged)
            for key, name in self._keys[change.pk].items()
        )

    def _check(
        self, change: ChangeRequest, name: str, key: str, inputs: CheckInputs, is_required: bool, is_acknowledged: bool
    ) -> Check:
        result, action = self._verdicts.get(key), ""
        if result is not None:
            outcome, summary = result.outcome, result.summary
        elif checks.is_void(name, inputs):
            outcome, summary = Verdict.PASSED, checks.VOID[name]
        elif name == "evaluation":
            outcome, (summary, action) = None, self._measured[change.pk].describe()
        else:
            outcome, summary = None, "It has not finished."
        return Check(
            name=name,
            key=key,
            is_required=is_required,
            outcome=outcome,
            summary=summary,
            findings=tuple(result.findings) if result else (),
            is_acknowledged=is_acknowledged,
            action=action,
            at=to_microseconds(result.created_at) if result else None,
        )

    def _list_keys(self, change: ChangeRequest, rules: Rules) -> dict[str, str]:
        inputs = self.get_inputs(change)
        names = checks.list_checks(inputs, checks.list_required_checks(rules))
        return {checks.compute_check_key(name, inputs): name for name in names}

    def _measure(self, rows: Sequence[ChangeRequest]) -> Mapping[int, EvaluationProgress]:
        """The progress of evaluations that have no verdict yet."""
        waiting = []
        for row in rows:
            inputs = self.get_inputs(row)
            if inputs.evaluations and checks.compute_check_key("evaluation", inputs) not in self._verdicts:
                waiting.append((row.pk, self._plans[row.template_id], row.version.digest, inputs.against))
        return evaluation_check.measure_progress(waiting, self._contributors) if waiting else {}


def _find_able_and_frozen(
    spaces: Mapping[int, Namespace],
) -> tuple[Mapping[int, list[tuple[str, MemberRoles]]], set[int]]:
    """The people who may approve somewhere in each namespace, by name; and the few namespaces that have freezes.

    If a namespace requires two-step sign-in, people without it may not approve, and their approvals don't count.
    """
    able = [role for role in Role if role.rank >= TABLE[Verb.APPROVE].rank]
    freezes = Freeze.objects.filter(namespace=OuterRef("pk"), removed_at=None)
    rows = Namespace.objects.filter(pk__in=list(spaces)).annotate(
        able=FilteredRelation("memberships", condition=filter_by_role(able, "memberships__")),
        has_freezes=Exists(freezes),
    )
    members: defaultdict[int, list[tuple[str, MemberRoles]]] = defaultdict(list)
    frozen = set()
    rights = ("able__role", "able__folder_roles")
    columns = list(
        rows.order_by("able__person__username").values_list(
            "pk", "has_freezes", "able__person__username", "able__person__is_active", *rights
        )
    )
    is_strict = {space: row.two_step_required for space, row in spaces.items()}
    strict = {username for pk, _, username, *_ in columns if is_strict[pk] and username}
    with_two_step = select_people_with_two_step(strict) if strict else set()
    for space, has_freezes, username, is_active, role, folder_roles in columns:
        if is_active and (not is_strict[space] or username in with_two_step):  # null if the namespace has no approver
            members[space].append((username, read_member_roles(role, folder_roles)))
        if has_freezes:
            frozen.add(space)
    return members, frozen


def _find_last_turns(numbers: Sequence[int]) -> dict[int, datetime]:
    rows = Event.objects.filter(change__in=numbers, kind__in=_TURNING).values_list("change")
    return {change: from_microseconds(at) for change, at in rows.annotate(last=Max("at")) if change}
