"""Labels: where they point and where they have been."""

from collections.abc import Iterable

from registry.accounts.actor import Actor
from registry.core.names import LATEST
from registry.core.pagination import Page, check_limit, cut_page, read_number
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import list_visible_namespaces
from registry.templates import queries as template_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template
from registry.templates.search_models import SearchCount

__all__ = [
    "list_known_labels",
    "list_label_moves",
    "list_label_names",
    "list_labels",
    "list_moves_since",
    "list_published_moves",
    "list_template_label_moves",
    "map_label_numbers",
    "read_label_numbers",
]


def list_labels(template: Template) -> dict[str, Label]:
    """The labels that were set, by name, without `latest`."""
    rows = template.labels.select_related("version", "version__author").defer("version__bundle").order_by("name")
    return {label.name: label for label in rows}


def read_label_numbers(template: Template) -> dict[str, int]:
    """Label to version number, `latest` included."""
    return map_label_numbers([template])[template.pk]


def map_label_numbers(rows: Iterable[Template]) -> dict[int, dict[str, int]]:
    """Map the ids of many templates to their labels' version numbers, `latest` included; one query."""
    numbers: dict[int, dict[str, int]] = {row.pk: {} for row in rows}
    labels = Label.objects.filter(template__in=list(numbers)).order_by("name")
    for template, label, number in labels.values_list("template_id", "name", "version__number"):
        numbers[template][label] = number
    for row in rows:
        if row.latest is not None:
            numbers[row.pk][LATEST] = row.latest.number
    return numbers


def list_label_moves(
    actor: Actor, name: str, label: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[LabelMove]:
    """The moves of one label of the template, or of all, newest first."""
    return list_template_label_moves(template_queries.get_template(actor, name), label, cursor, limit)


def list_template_label_moves(
    template: Template, label: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[LabelMove]:
    """The moves of one label of a template that the caller may read, or of all its labels, newest first."""
    limit = check_limit(limit)
    rows = template.label_moves.select_related("before", "after", "person", "change", "key")
    rows = rows.defer("before__bundle", "after__bundle").order_by("-pk")
    if label:
        rows = rows.filter(label=label)
    if before := read_number(cursor):
        rows = rows.filter(pk__lt=before)
    return cut_page(rows[: limit + 1], limit, lambda move: move.pk)


def list_moves_since(template: Template, label: str, number: int) -> list[LabelMove]:
    """The moves of a label since it last served the version of this number (0: was not set), oldest first.

    Only the newest 10.
    """
    moves = list_template_label_moves(template, label, limit=10).items
    since: list[LabelMove] = []
    for move in moves:
        since.insert(0, move)
        if (move.before.number if move.before else 0) == number:
            break
    return since


def list_label_names(actor: Actor) -> list[str]:
    """The sorted names of all labels set on templates that the actor may read, without `latest`.

    Labels of archived templates don't count.
    """
    rows = SearchCount.objects.filter(kind="label", namespace__in=list_visible_namespaces(actor))
    return sorted(rows.values_list("value", flat=True).distinct())


def list_known_labels(actor: Actor, namespace: Namespace) -> list[str]:
    """The sorted labels to offer for a template of the namespace: set on a template that the actor may read, or
    protected in the namespace.
    """
    return sorted({*list_label_names(actor), *namespace.protected_labels})


def list_published_moves(actor: Actor, limit: int = 8) -> list[LabelMove]:
    """The last moves of protected labels that the actor may read: by a change request, in an emergency, or rolled
    back.
    """
    rows = template_queries.filter_by_namespaces(LabelMove.objects.all(), list_visible_namespaces(actor))
    rows = rows.filter(how__in=("published", "broke_glass", "rolled_back"), after__isnull=False)
    rows = rows.select_related("template", "after", "person")
    columns = ("label", "how", "created_at", "change", "template__name", "after__number", "person__username")
    return list(rows.only(*columns).order_by("-pk")[: check_limit(limit)])
