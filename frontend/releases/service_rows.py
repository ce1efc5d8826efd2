"""The services that a release affects: how often each fetches its templates, and which aren't moved."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from registry.changes.models import ChangeRequest
from registry.usage.service_fetches import list_service_fetches

__all__ = ["ServiceRow", "list_affected_services"]


@dataclass(frozen=True)
class ServiceRow:
    """A service that fetched templates of a release in the last thirty days.

    templates: how many of them it fetches by the label of the release; per_day: how often. If templates is 0, it only
    fetches by other refs: stays is one template with the version that it stays on, such as `reply v1`, and per_day
    counts those fetches.
    """

    name: str
    templates: int
    per_day: int
    stays: str = ""


def list_affected_services(label: str, changes: Sequence[ChangeRequest]) -> list[ServiceRow]:
    """The services that move with the label, busiest first, then those that stay; one query."""
    names = {change.template_id: change.template.path.rpartition("/")[2] for change in changes}
    moving: defaultdict[str, dict[int, int]] = defaultdict(dict)
    staying: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for template, services in list_service_fetches(list(names)).items():
        for fetches in services:
            if fetches.ref == label:
                moving[fetches.service][template] = fetches.per_day
            else:
                staying[fetches.service].append((fetches.per_day, f"{names[template]} v{fetches.version}"))
    rows = [ServiceRow(name, len(per_day), sum(per_day.values())) for name, per_day in moving.items()]
    other_labels = [
        ServiceRow(name, 0, sum(per_day for per_day, _ in labels), max(labels)[1])
        for name, labels in staying.items()
        if name not in moving
    ]
    return [*sorted(rows, key=_make_sort_key), *sorted(other_labels, key=_make_sort_key)]


def _make_sort_key(row: ServiceRow) -> tuple[int, str]:
    return -row.per_day, row.name
