"""How many requests stand at once, for pages that list them: the same answers as one by one, in a constant number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import F, Max, OuterRef, Q, Subquery

from registry.access import TABLE, Actor, Role, Verb
from registry.models import ChangeRequest, Decision, Event, Label, Membership, SampleSet, Template, Verdict, Version
from registry.queries import approvals, attachments, callers, changes, inclusions, namespaces, progress
from registry.queries.progress import Turn
from registry.review import checks, policy
from registry.review.checks import Looked, State
from registry.review.policy import Blocker, Facts, Standing, Voice

__all__ = ["Stand", "of_many", "pending", "waiting_count"]

_MOST = 200


@dataclass(frozen=True)
class Stand:
    """A request with what blocks it, its reviewers' voices and whose turn it is (None once it is closed)."""

    change: ChangeRequest
    blockers: tuple[Blocker, ...]
    standing: Standing
    voices: tuple[Voice, ...]
    turn: Turn | None

    def waits_on(self, username: str) -> bool:
        """Whether it is this person's turn."""
        return self.turn is not None and username in self.turn.people


@dataclass(frozen=True)
class _Held:
    """What a label of a template holds."""

    number: int
    digest: str


def pending(actor: Actor) -> list[Stand]:
    """Every request that waits for somebody and that the actor may read, the longest waiting first (the newest 200)."""
    found = of_many(changes.listing(actor, state="pending", limit=_MOST).items, actor)
    return sorted(found, key=lambda stand: stand.turn.since if stand.turn else stand.change.created_at)


def waiting_count(actor: Actor) -> int:
    """How many requests wait on the actor."""
    return sum(stand.waits_on(actor.person.username) for stand in pending(actor))


def of_many(rows: Iterable[ChangeRequest], actor: Actor) -> list[Stand]:
    """Each request's standing, in the order given; rows as `changes.listing` gives them. Blockers speak to the actor."""
    asked = list(rows)
    wanted = [change for change in asked if change.takes_decisions]
    if not wanted:
        return [_closed(change) for change in asked]
    desk = _Desk(wanted)
    viewer = "" if actor.key else actor.person.username
    return [desk.stand(change, viewer) if change.takes_decisions else _closed(change) for change in asked]


class _Desk:
    """Everything that the requests are measured by, read once for all of them."""

    def __init__(self, rows: Sequence[ChangeRequest]) -> None:
        templates = {change.template_id for change in rows}
        self._held = _held(templates)
        self._bases = _bases(templates)
        self._samples = _samples(templates)
        self._plans = attachments.plans_of_many({row.template_id: row.template for row in rows}.values())
        self._fetched = callers.pinned(templates)
        self._dependants = inclusions.digests_of_many(change.template for change in rows)
        self._reviewers = _reviewers({change.template.namespace_id for change in rows})
        self._said = _said([change.pk for change in rows])
        self._since = _since([change.pk for change in rows])
        keys = {key for change in rows for key in self._keys(change)}
        self._verdicts = {row.key: row for row in Verdict.objects.filter(key__in=keys).defer("details")}

    def stand(self, change: ChangeRequest, viewer: str) -> Stand:
        rules = namespaces.rules_of(change.template.namespace)
        facts = self._facts(change)
        blocking = checks.blockers(self._states(change), facts.author)
        found = policy.blockers(rules, facts, viewer, blocking)
        since = self._since.get(change.pk, change.created_at)
        turn = progress.turn_of(change, found, since)
        return Stand(change, tuple(found), policy.standing(rules, facts), facts.voices, turn)

    def _facts(self, change: ChangeRequest) -> Facts:
        held = self._held[change.template_id].get(change.label)
        reviewers = self._reviewers[change.template.namespace_id]
        return changes.assemble(
            change,
            reviewers=reviewers,
            decisions=self._said[change.pk],
            holds=held.number if held else None,
            holds_digest=held.digest if held else None,
            descends=held is None or self._descends(change, held.digest),
            held_by_approval=held is None
            or held.digest != change.version.digest
            or approvals.is_held(change.template, change.label, held.digest),
        )

    def _descends(self, change: ChangeRequest, digest: str) -> bool:
        at: int | None = change.version_id
        while at is not None:
            found, at = self._bases.get(at, ("", None))
            if found == digest:
                return True
        return False

    def _looked(self, change: ChangeRequest) -> Looked:
        held = self._held[change.template_id]
        against = held.get(change.label)
        return Looked(
            template=change.template.name,
            version=change.version.digest,
            samples=self._samples.get(change.template_id),
            against=against.digest if against else None,
            served=tuple(sorted({one.digest for one in held.values()})),
            fetched=self._fetched.get(change.template_id, ()),
            dependants=self._dependants.get(change.template.name, ()),
            evaluations=tuple(plan.to_dict() for plan in self._plans[change.template_id]),
        )

    def _keys(self, change: ChangeRequest) -> dict[str, str]:
        looked, required = self._looked(change), checks.required(namespaces.rules_of(change.template.namespace))
        return {checks.key_of(name, looked): name for name in checks.shown(looked, required)}

    def _states(self, change: ChangeRequest) -> list[State]:
        required = checks.required(namespaces.rules_of(change.template.namespace))
        acknowledged = any(
            said.decision == Decision.ACKNOWLEDGE
            and said.round == change.round
            and said.digest == change.version.digest
            for said in self._said[change.pk]
        )
        states, looked = [], self._looked(change)
        for key, name in self._keys(change).items():
            given = self._verdicts.get(key)
            outcome = Verdict.PASSED if checks.is_void(name, looked) else None
            states.append(
                State(
                    name=name,
                    key=key,
                    is_required=name in required,
                    outcome=given.outcome if given else outcome,
                    summary=given.summary if given else "It has not finished.",
                    is_acknowledged=name == "contract" and acknowledged,
                )
            )
        return states


def _closed(change: ChangeRequest) -> Stand:
    return Stand(change, (), Standing((), (), 0, ()), (), None)


def _held(templates: set[int]) -> Mapping[int, dict[str, _Held]]:
    held: defaultdict[int, dict[str, _Held]] = defaultdict(dict)
    rows = Label.objects.filter(template__in=templates)
    for template, name, number, digest in rows.values_list("template_id", "name", "version__number", "version__digest"):
        held[template][name] = _Held(number, digest)
    return held


def _bases(templates: set[int]) -> dict[int, tuple[str, int | None]]:
    rows = Version.objects.filter(template__in=templates).values_list("pk", "digest", "base_id")
    return {pk: (digest, base) for pk, digest, base in rows}


def _samples(templates: set[int]) -> dict[int, str]:
    """Template to the digest of its current samples."""
    newest = SampleSet.objects.filter(template=OuterRef("pk")).order_by("-number").values("digest")[:1]
    rows = Template.objects.filter(pk__in=templates).annotate(samples_digest=Subquery(newest))
    return {pk: digest for pk, digest in rows.values_list("pk", "samples_digest") if digest}


def _reviewers(spaces: set[int]) -> Mapping[int, tuple[str, ...]]:
    able = [role for role in Role if role.rank >= TABLE[Verb.APPROVE].rank]
    rows = Membership.objects.filter(namespace__in=spaces, role__in=able, person__is_active=True)
    found: defaultdict[int, tuple[str, ...]] = defaultdict(tuple)
    for space, username in rows.order_by("person__username").values_list("namespace_id", "person__username"):
        found[space] += (username,)
    return found


def _said(numbers: Sequence[int]) -> Mapping[int, list[Decision]]:
    """The decisions of each request; in rounds gone by they don't count, and their texts are not needed."""
    rows = Decision.objects.filter(change__in=numbers).filter(
        Q(round=F("change__round")) | Q(decision__in=("approve", "request_changes"))
    )
    said: defaultdict[int, list[Decision]] = defaultdict(list)
    for decision in rows.select_related("person").defer("text").order_by("pk"):
        said[decision.change_id].append(decision)
    return said


def _since(numbers: Sequence[int]) -> dict[int, datetime]:
    rows = Event.objects.filter(change__in=numbers, kind__in=progress.TURNING).values_list("change")
    start = datetime(1970, 1, 1, tzinfo=UTC)
    return {change: start + timedelta(microseconds=at) for change, at in rows.annotate(last=Max("at")) if change}
