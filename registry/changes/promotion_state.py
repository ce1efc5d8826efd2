"""The state of promotion from one label to another: ready, requested, live without approval, or drifted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from registry.accounts.actor import Actor
from registry.changes import emergencies, history_queries, version_checks
from registry.changes import gate as change_gate
from registry.changes.checks import Check
from registry.changes.contributors import History
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Verdict
from registry.changes.queries import MAX_PENDING, StoppedRollout, read_stopped_rollouts
from registry.core.names import LATEST
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.rules import read_rules
from registry.templates.label_models import Label
from registry.templates.label_roll_backs import LabelRollBack, read_roll_backs
from registry.templates.models import Template
from registry.templates.search_queries import MatchCount

__all__ = [
    "PromotionCounts",
    "PromotionState",
    "count_states",
    "read_states",
]

MAX_EXAMINED = 2000  # sources that are compared for the count, to bound its time
MAX_COMPARED = 100  # of those older than their target, which need their whole history

State = Literal["emergency", "open", "ready", "equal", "unset"]


@dataclass(frozen=True)
class PromotionState:
    """The state of one template between two labels.

    state: the first that applies of `emergency` (the target serves what nobody approved), `open` (a request for the
    target is pending), `ready` (the source is ahead of the target), `unset` (the source is not set), `equal`. source:
    the number of the version to promote. ahead: versions between the two. drifted: the source does not descend from
    what the target serves, so a change has to be merged. gate: of the newest open request for the target. checks: for
    what the source serves, those of the open request if it proposes that, else the newest verdicts from any request;
    empty if it was never checked. rolled_back: the roll back by which the target left the version to promote, None if
    it never did, or returned to it since. stopped: the rollout for the target of what the open request proposes, else
    of the version to promote, if that was stopped.
    """

    state: State
    source: int | None
    target: int | None
    ahead: int
    drifted: bool
    is_protected: bool
    emergency: int | None
    gate: Gate | None
    checks: tuple[Check, ...] = ()
    rolled_back: LabelRollBack | None = None
    stopped: StoppedRollout | None = None

    @property
    def proposes_source(self) -> bool:
        """Whether the open request proposes what the source serves."""
        return self.gate is not None and self.gate.change.version.number == self.source

    @property
    def blocking(self) -> tuple[Check, ...]:
        """The required checks that failed for what the source serves."""
        return tuple(check for check in self.checks if check.outcome == Verdict.FAILED and check.is_blocking)


@dataclass(frozen=True)
class PromotionCounts:
    """The ids of the templates that a person may read and that are `ready`, those with an open request for the target,
    and how many are in the state `emergency`.

    is_exact: whether all templates were compared; otherwise more may be ready. served: `list_served_emergencies`.
    """

    ready_templates: tuple[int, ...]
    is_exact: bool
    opened_templates: frozenset[int]
    emergencies: int
    served: Mapping[tuple[int, str], int]

    @property
    def ready(self) -> MatchCount:
        """How many are ready."""
        return MatchCount(len(self.ready_templates), self.is_exact)


class _ServedVersion(NamedTuple):
    pk: int
    number: int


@dataclass(frozen=True)
class _Position:
    """The versions that the source and the target of one template serve, None for a label that isn't set.

    is_ready: the source has something that the target lacks. drifted: it is ready, and doesn't descend from what the
    target serves.
    """

    source: _ServedVersion | None
    target: _ServedVersion | None
    is_ready: bool
    drifted: bool

    @property
    def ahead(self) -> int:
        """The number of versions between the two, 0 if the source isn't ready."""
        if not self.is_ready or self.source is None or self.target is None:
            return 0
        return max(0, self.source.number - self.target.number)


def read_states(
    actor: Actor,
    rows: Sequence[Template],
    source: str,
    target: str,
    served: Mapping[tuple[int, str], int] | None = None,
) -> dict[int, PromotionState]:
    """Map each template's id to its state, in a constant number of queries.

    rows: templates that the actor may read, with their namespaces. source may be `latest`, target may not. served:
    `list_served_emergencies`, for callers that have read it.
    """
    positions = _read_positions(rows, source, target)
    sources = {pk: position.source.pk for pk, position in positions.items() if position.source}
    gates = _open_gates(actor, ChangeRequest.objects.pending().filter(template__in=list(positions), label=target))
    if served is None:
        served = emergencies.list_served_emergencies(actor)
    rules = {sources[row.pk]: read_rules(row.namespace) for row in rows if row.pk in sources}
    source_checks = version_checks.read_version_checks(rules, with_missing=False)
    roll_backs = read_roll_backs(target, sources)
    proposed = sources | {pk: gate.change.version_id for pk, gate in gates.items()}
    stopped = read_stopped_rollouts([(target, version) for version in proposed.values()])
    states = {}
    for row in rows:
        position, gate = positions[row.pk], gates.get(row.pk)
        emergency = served.get((row.pk, target))
        checks = source_checks[sources[row.pk]] if row.pk in sources else ()
        if gate is not None and gate.change.version_id == sources.get(row.pk):
            checks = gate.checks
        states[row.pk] = PromotionState(
            state=_choose_state(position, gate, emergency),
            source=position.source.number if position.source else None,
            target=position.target.number if position.target else None,
            ahead=position.ahead,
            drifted=position.drifted,
            is_protected=target in row.namespace.protected_labels,
            emergency=emergency,
            gate=gate,
            checks=tuple(checks),
            rolled_back=roll_backs.get(row.pk) if position.is_ready else None,
            stopped=stopped.get((target, proposed[row.pk])) if gate or position.is_ready else None,
        )
    return states


def _read_positions(rows: Sequence[Template], source: str, target: str) -> dict[int, _Position]:
    """Map each template's id to what its two labels serve."""
    ids = [template.pk for template in rows]
    labels = Label.objects.filter(template__in=ids, name__in=[source, target]).order_by("pk")
    served: dict[tuple[int, str], _ServedVersion] = {}
    for template, name, pk, number in labels.values_list("template_id", "name", "version_id", "version__number"):
        served[template, name] = _ServedVersion(pk, number)
    if source == LATEST:
        latest = {row.pk: row.latest for row in rows if row.latest is not None}
        served |= {(pk, LATEST): _ServedVersion(version.pk, version.number) for pk, version in latest.items()}
    pairs = {pk: (served.get((pk, source)), served.get((pk, target))) for pk in ids}
    # If both are the same version, or one is None, no history is needed.
    history = history_queries.read_version_graph([pk for pk, pair in pairs.items() if all(pair) and pair[0] != pair[1]])
    return {pk: _compare(*pair, history) for pk, pair in pairs.items()}


def _compare(source: _ServedVersion | None, target: _ServedVersion | None, history: History) -> _Position:
    if source is None or target is None or source == target:
        return _Position(source, target, is_ready=source is not None and target is None, drifted=False)
    is_ready = not history.contains(target.pk, source.pk)
    return _Position(source, target, is_ready, drifted=is_ready and not history.contains(source.pk, target.pk))


def _choose_state(position: _Position, gate: Gate | None, emergency: int | None) -> State:
    """The first state that applies."""
    if emergency:
        return "emergency"
    if gate:
        return "open"
    if position.is_ready:
        return "ready"
    return "unset" if position.source is None else "equal"


def count_states(actor: Actor, source: str, target: str) -> PromotionCounts:
    """Count the states over all templates that the actor may read, in a constant number of queries. source may be
    `latest`, target may not.

    With more than `MAX_EXAMINED` sources, only the newest are compared, and the result is not exact.
    """
    goal = Label.objects.filter(template=OuterRef("pk" if source == LATEST else "template"), name=target)
    own = {"archived_at": None, "namespace__in": list_visible_namespaces(actor)}
    rows: QuerySet[Any, Any]
    if source == LATEST:
        rows = Template.objects.filter(**own, latest__isnull=False).values_list("pk", "latest")
    else:
        rows = Label.objects.filter(name=source, **{f"template__{name}": value for name, value in own.items()})
        rows = rows.values_list("template", "version")
    places = rows.annotate(goal=Subquery(goal.values("version")[:1])).order_by("-pk")
    examined = list(places[: MAX_EXAMINED + 1])
    is_exact = len(examined) <= MAX_EXAMINED
    served = emergencies.list_served_emergencies(actor)
    in_emergency = {template for template, label in served if label == target}
    opened = frozenset(_select_pending(actor, target).values_list("template", flat=True))
    elsewhere = opened | in_emergency
    apart = [row for row in examined[:MAX_EXAMINED] if row[1] != row[2] and row[0] not in elsewhere]
    # A version is newer than everything it contains, so a source newer than the target isn't in it.
    ready = [template for template, version, after in apart if after is None or version > after]
    older = [row for row in apart if row[2] is not None and row[1] < row[2]]
    history = history_queries.read_version_graph([template for template, _, _ in older[:MAX_COMPARED]])
    ready += [row[0] for row in older[:MAX_COMPARED] if not history.contains(row[2], row[1])]
    listed = Template.objects.filter(pk__in=in_emergency, archived_at=None).count() if in_emergency else 0
    return PromotionCounts(tuple(ready), is_exact and len(older) <= MAX_COMPARED, opened, listed, served)


def _open_gates(actor: Actor, pending: QuerySet[ChangeRequest]) -> dict[int, Gate]:
    """Map each template to the gate of its newest request among these. Considers the newest `MAX_PENDING`."""
    numbers = list(pending.order_by("-number").values_list("number", flat=True)[:MAX_PENDING])
    related = ("template__namespace", "template__latest", "version__author", "opened_by", "release__namespace")
    # By number, for the same reason as in `queries.list_pending`.
    rows = ChangeRequest.objects.filter(number__in=numbers).select_related(*related, "release__opened_by")
    rows = rows.defer("version__bundle", "template__latest__bundle").order_by("number")
    newest = {row.template_id: row for row in rows}
    return {gate.change.template_id: gate for gate in change_gate.evaluate_many(newest.values(), actor)}


def _select_pending(actor: Actor, label: str) -> QuerySet[ChangeRequest]:
    pending = ChangeRequest.objects.pending().values("pk")  # few rows, so templates are looked up by index
    rows = ChangeRequest.objects.filter(pk__in=pending, label=label, template__archived_at=None)
    return rows.filter(template__namespace__in=list_visible_namespaces(actor))
