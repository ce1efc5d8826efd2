"""The versions that all labels of templates point to, and where a protected label could be rolled back to."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import F, Q, QuerySet

from registry.accounts.actor import Actor
from registry.core.pagination import Page, check_limit, cut, read_text
from registry.namespaces import queries as namespace_queries
from registry.templates import approvals
from registry.templates.approvals import Approval
from registry.templates.models import Label, LabelMove, Template

__all__ = ["EnvironmentCell", "EnvironmentRow", "behind_count", "count_environment_rows", "list_environments"]

_HEAVY = ("words", "latest__bundle", "latest__problems", "latest__settings")


@dataclass(frozen=True)
class EnvironmentCell:
    """Where a label points, since when, and the version it may go back to: the last other one it held, for a protected
    label the last other one it held by approval (None where there is none).

    approval: for a protected label how it came to what it serves, else None.
    """

    number: int
    moved_at: datetime
    before: int | None
    approval: Approval | None = None


@dataclass(frozen=True)
class EnvironmentRow:
    """A template with the places of its labels by name; `latest` is the template's own."""

    template: Template
    places: dict[str, EnvironmentCell] = field(default_factory=dict)


def list_environments(
    actor: Actor, *, q: str = "", behind: bool = False, cursor: str | None = None, limit: int = 100
) -> Page[EnvironmentRow]:
    """Templates by name, as many queries however many; with `behind` only those of which a protected label is
    behind.
    """
    limit = check_limit(limit)
    rows = _behind(actor) if behind else _visible(actor)
    for word in q.replace("\0", "").casefold().split()[:10]:
        rows = rows.filter(name__contains=word)
    if after := read_text(cursor):
        rows = rows.filter(name__gt=after)
    rows = rows.select_related("namespace", "latest").defer(*_HEAVY).order_by("name")
    found = cut(rows[: limit + 1], limit, lambda template: template.name)
    places = _places(found.items)
    return Page([EnvironmentRow(template, places.get(template.pk, {})) for template in found.items], found.next)


def count_environment_rows(actor: Actor) -> int:
    """How many templates the actor may read."""
    return _visible(actor).count()


def behind_count(actor: Actor) -> int:
    """How many have a protected label behind their newest version."""
    return _behind(actor).count()


def _visible(actor: Actor) -> QuerySet[Template]:
    spaces = namespace_queries.visible_namespaces(actor)
    return Template.objects.filter(namespace__in=spaces, latest__isnull=False, archived_at=None)


def _behind(actor: Actor) -> QuerySet[Template]:
    older = Q(pk__in=[])
    for space in namespace_queries.visible_namespaces(actor):
        older |= Q(template__namespace=space, name__in=space.protected_labels)
    labels = Label.objects.filter(older, version__number__lt=F("template__latest__number"))
    return _visible(actor).filter(pk__in=labels.values("template"))


def _places(rows: list[Template]) -> dict[int, dict[str, EnvironmentCell]]:
    ids = [template.pk for template in rows]
    protected = {template.pk: template.namespace.protected_labels for template in rows}
    known, held = approvals.approvals_of_labels(rows), _held(ids, protected)
    places: defaultdict[int, dict[str, EnvironmentCell]] = defaultdict(dict)
    labels = Label.objects.filter(template__in=ids).order_by("name")
    for template, name, number, moved_at in labels.values_list("template_id", "name", "version__number", "moved_at"):
        before = next((other for other in held.get((template, name), ()) if other != number), None)
        places[template][name] = EnvironmentCell(number, moved_at, before, known[template].get(name))
    return places


def _held(ids: list[int], protected: Mapping[int, Collection[str]]) -> dict[tuple[int, str], list[int]]:
    """The versions that each label held, newest move first; of a protected label only those it held by approval."""
    approved = approvals.approved_digests(ids)
    moves = LabelMove.objects.filter(template__in=ids, after__isnull=False).order_by("-pk")
    held: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
    columns = ("template_id", "label", "after__number", "after__digest")
    for template, label, number, digest in moves.values_list(*columns):
        if label not in protected[template] or digest in approved[template, label]:
            held[template, label].append(number)
    return held
