"""The versions that all labels of templates point to, and where a protected label could be rolled back to."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from registry.accounts.actor import Actor
from registry.core.pagination import Page
from registry.namespaces.models import Namespace
from registry.templates import search_queries
from registry.templates.approved_versions import list_trusted_digests
from registry.templates.label_models import Label
from registry.templates.label_moves import Approval, by_emergency, read_approval
from registry.templates.label_ways_back import find_ways_back
from registry.templates.models import Template
from registry.templates.search_queries import MatchCount, TemplateSearch, VisibleNamespaces

__all__ = [
    "EnvironmentCell",
    "EnvironmentCounts",
    "EnvironmentRow",
    "count_environments",
    "list_environment_rows",
    "list_environment_templates",
]


@dataclass(frozen=True)
class EnvironmentCell:
    """Where a label points, and since when.

    before: for a protected label the version that a roll back would go to (see `find_ways_back`), else None. approval:
    for a protected label how it got the version that it serves, else None.
    """

    number: int
    moved_at: datetime
    before: int | None
    approval: Approval | None = None


@dataclass(frozen=True)
class EnvironmentRow:
    """A template with its labels' cells by name; `latest` is the template's own field."""

    template: Template
    places: dict[str, EnvironmentCell] = field(default_factory=dict)


@dataclass(frozen=True)
class EnvironmentCounts:
    """How many templates a person may read, and how many of them have a protected label that is behind."""

    total: MatchCount
    behind: MatchCount


def list_environment_templates(
    actor: Actor,
    visible: VisibleNamespaces,
    q: str = "",
    *,
    behind: bool = False,
    cursor: str | None = None,
    limit: int = 100,
) -> Page[Template]:
    """Templates by name in a fixed number of queries; with `behind` only those with a protected label that is behind.
    visible: the actor's. q: parts of the name.
    """
    search = TemplateSearch(q, only_names=True, any_of=_list_protected_labels(visible) if behind else None)
    return search_queries.find_templates(actor, search, cursor=cursor, limit=limit, visible=visible).page


def count_environments(actor: Actor, visible: VisibleNamespaces) -> EnvironmentCounts:
    """The counts over all templates, in a fixed number of queries. visible: the actor's."""
    late = TemplateSearch(any_of=_list_protected_labels(visible))
    return EnvironmentCounts(
        search_queries.count_templates(actor, TemplateSearch(), visible=visible),
        search_queries.count_templates(actor, late, visible=visible),
    )


def list_environment_rows(templates: list[Template]) -> list[EnvironmentRow]:
    """The rows of templates that the caller may read, in the order given. Their namespaces must be loaded."""
    places = _list_places(templates)
    return [EnvironmentRow(template, places.get(template.pk, {})) for template in templates]


def _list_protected_labels(visible: VisibleNamespaces) -> list[tuple[str, str]]:
    """The search values of templates with a protected label that is behind."""
    rows = Namespace.objects.filter(pk__in=visible.ids.values())
    spaces = dict(rows.values_list("name", "protected_labels"))
    if len({tuple(sorted(labels)) for labels in spaces.values()}) == 1:
        return [("behind", label) for label in next(iter(spaces.values()))]
    return [("behind", f"{name}:{label}") for name, labels in spaces.items() for label in labels]


def _list_places(rows: list[Template]) -> dict[int, dict[str, EnvironmentCell]]:
    ids = [template.pk for template in rows]
    protected = {template.pk: template.namespace.protected_labels for template in rows}
    trusted = list_trusted_digests(ids)
    ways_back = find_ways_back(ids, trusted)
    places: defaultdict[int, dict[str, EnvironmentCell]] = defaultdict(dict)
    labels = Label.objects.filter(template__in=ids).annotate(emergency=by_emergency())
    columns = ("template_id", "name", "version__number", "version__digest", "moved_at", "emergency")
    for template, name, number, digest, moved_at, emergency in labels.order_by("name").values_list(*columns):
        is_protected = name in protected[template]
        before = ways_back.get((template, name)) if is_protected else None
        approval = read_approval(digest in trusted[template, name], emergency) if is_protected else None
        places[template][name] = EnvironmentCell(number, moved_at, before, approval)
    return places
