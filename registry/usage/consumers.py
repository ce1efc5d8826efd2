"""Who a change of contract would reach: services that follow a label, and those that stay on a version."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.db.models import Q

from registry.templates.models import Template
from registry.usage import queries as usage_queries
from registry.usage.models import Fetch

__all__ = ["Callers", "of", "pinned"]

_PINS = Q(ref__regex=r"^[0-9]") | Q(ref__startswith="sha256:")


@dataclass(frozen=True)
class Callers:
    """Names of services, the busiest first: by the label that they ask for, and by the digest that they stay on."""

    of_label: Mapping[str, list[str]] = field(default_factory=dict)
    of_digest: Mapping[str, list[str]] = field(default_factory=dict)


def pinned(templates: Iterable[int], days: int = usage_queries.DAYS) -> dict[int, tuple[str, ...]]:
    """Template (the row's id) to the digests, sorted, that somebody fetched by number or digest in the last days.

    Who asks for a label has moved on with it; what it serves is looked at by itself.
    """
    since = datetime.now(UTC).date() - timedelta(days=days)
    rows = Fetch.objects.filter(_PINS, version__template__in=list(templates), day__gt=since)
    found: dict[int, set[str]] = {}
    for template, digest in rows.values_list("version__template_id", "version__digest").distinct():
        found.setdefault(template, set()).add(digest)
    return {template: tuple(sorted(digests)) for template, digests in found.items()}


def of(template: Template) -> Callers:
    """The services that fetched the template in the last thirty days."""
    digests = dict(template.versions.filter(fetches__isnull=False).distinct().values_list("number", "digest"))
    of_label: dict[str, list[str]] = {}
    of_digest: dict[str, list[str]] = {}
    for one in usage_queries.fetchers(template):
        names = of_digest.setdefault(digests[one.version], []) if one.is_pinned else of_label.setdefault(one.ref, [])
        if one.key.name not in names:
            names.append(one.key.name)
    return Callers(of_label, of_digest)
