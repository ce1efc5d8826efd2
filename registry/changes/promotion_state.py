"""The state of promotion from one label to another: what is ready, requested, live without approval, or drifted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from django.db.models import QuerySet

from registry.accounts.actor import Actor
from registry.changes import emergencies, history_queries
from registry.changes import gate as change_gate
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.changes.queries import MOST_PENDING
from registry.core.names import LATEST
from registry.core.pagination import Page
from registry.namespaces.permissions import visible_namespaces
from registry.templates.label_models import Label
from registry.templates.models import Template
from registry.templates.queries import list_templates_by_name

__all__ = ["PromotionState", "count_open", "find_ready_templates", "list_open_templates", "read_states"]

State = Literal["emergency", "open", "ready", "equal", "unset"]


@dataclass(frozen=True)
class PromotionState:
    """How one template stands between two labels.

    state: the first that holds of `emergency` (the target serves what nobody approved), `open` (a request for the
    target waits), `ready` (the source has what the target has not), `unset` (the source is not set), `equal`.
    source: the number of what would be promoted. ahead: versions between the two. drifted: the source does not come
    from what the target serves, so a change has to be merged. gate: of the newest open request for the target.
    """

    state: State
    source: int | None
    target: int | None
    ahead: int
    drifted: bool
    is_protected: bool
    emergency: int | None
    gate: Gate | None

    @property
    def failing(self) -> tuple[str, ...]:
        """The checks of the open request that failed."""
        return tuple(check.name for check in self.gate.checks if check.outcome == "failed") if self.gate else ()

    @property
    def running(self) -> int:
        """How many checks of the open request have not finished."""
        return sum(check.outcome is None for check in self.gate.checks) if self.gate else 0


def read_states(actor: Actor, rows: Sequence[Template], source: str, target: str) -> dict[int, PromotionState]:
    """Template (the row's id) to its state, in as many queries for one as for many.

    rows: templates that the actor may read, with their namespaces. source may be `latest`, target may not.
    """
    ids = [template.pk for template in rows]
    labels = Label.objects.filter(template__in=ids, name__in=[source, target]).order_by("pk")
    held: dict[tuple[int, str], tuple[int, int]] = {}
    for template, name, pk, number in labels.values_list("template_id", "name", "version_id", "version__number"):
        held[template, name] = (pk, number)
    if source == LATEST:
        held |= {(row.pk, LATEST): (row.latest.pk, row.latest.number) for row in rows if row.latest is not None}
    places = {pk: (held.get((pk, source)), held.get((pk, target))) for pk in ids}
    # Where both are the same version, or one is none, it needs no history to tell that.
    apart = [pk for pk, (origin, goal) in places.items() if origin and goal and origin != goal]
    history = history_queries.read_version_graph(apart)
    gates = _open_gates(actor, ChangeRequest.objects.pending().filter(template__in=ids, label=target))
    hurried = emergencies.served_emergencies(actor)
    states = {}
    for row in rows:
        origin, goal = places[row.pk]
        is_apart = origin is not None and goal is not None and origin != goal
        is_ready = origin is not None and (goal is None or (is_apart and not history.contains(goal[0], origin[0])))
        drifted = is_ready and goal is not None and origin is not None and not history.contains(origin[0], goal[0])
        ahead = max(0, origin[1] - goal[1]) if is_ready and origin and goal else 0
        gate, emergency = gates.get(row.pk), hurried.get((row.pk, target))
        state: State = "emergency" if emergency else "open" if gate else "ready" if is_ready else "equal"
        if state == "equal" and origin is None:
            state = "unset"
        states[row.pk] = PromotionState(
            state=state,
            source=origin[1] if origin else None,
            target=goal[1] if goal else None,
            ahead=ahead,
            drifted=drifted,
            is_protected=target in row.namespace.protected_labels,
            emergency=emergency,
            gate=gate,
        )
    return states


def _open_gates(actor: Actor, pending: QuerySet[ChangeRequest]) -> dict[int, Gate]:
    """Template to the gate of its newest request of these. The newest `MOST_PENDING` are looked at."""
    related = ("template__namespace", "template__latest", "version__author", "opened_by", "release__namespace")
    rows = pending.select_related(*related, "release__opened_by").defer("version__bundle", "template__latest__bundle")
    newest = {row.template_id: row for row in reversed(rows.order_by("-number")[:MOST_PENDING])}
    return {gate.change.template_id: gate for gate in change_gate.evaluate_many(newest.values(), actor)}


def count_open(actor: Actor, label: str) -> int:
    """How many templates that the actor may read have an open request for the label."""
    return _pending(actor, label).values("template").distinct().count()


def list_open_templates(
    actor: Actor, label: str, words: str = "", *, cursor: str | None = None, limit: int = 100
) -> Page[Template]:
    """Templates that have an open request for the label, by name. words: parts of the name."""
    asked = _pending(actor, label).values("template")
    return list_templates_by_name(asked, words, cursor=cursor, limit=limit)


def find_ready_templates(actor: Actor, label: str) -> list[int]:
    """The ids of templates whose open request for the label is blocked by nothing, as the page of the request has it.

    The newest `MOST_PENDING` requests are looked at, in as many queries for one as for many.
    """
    gates = _open_gates(actor, _pending(actor, label))
    return [template for template, gate in gates.items() if not gate.blockers]


def _pending(actor: Actor, label: str) -> QuerySet[ChangeRequest]:
    pending = ChangeRequest.objects.pending().values("pk")  # few, so that their templates are looked up and not all
    rows = ChangeRequest.objects.filter(pk__in=pending, label=label, template__archived_at=None)
    return rows.filter(template__namespace__in=visible_namespaces(actor))
