"""Fetches of templates by service and ref: which follow a label, which are pinned, and how often they fetch."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import F, Max, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from promptuary.renderer.names import is_pin
from registry.core.names import LATEST
from registry.templates.label_models import Label
from registry.usage.queries import DAYS, WEEK, select_fetches_of

__all__ = ["ServiceFetches", "list_service_fetches"]


@dataclass(frozen=True)
class ServiceFetches:
    """One service (the name of a key) that fetched a template by one ref in the last thirty days.

    version: the number it gets now, which is what the label serves; of a removed label the one it fetched last.
    per_day: the mean over the last seven days, rounded up, so that it is 0 only without fetches in that time.
    """

    service: str
    ref: str
    version: int
    per_day: int

    @property
    def is_pinned(self) -> bool:
        """Whether it fetches by number or digest, and so doesn't follow a label."""
        return is_pin(self.ref)


def list_service_fetches(templates: Collection[int]) -> dict[int, list[ServiceFetches]]:
    """Map template id to its services, busiest first; two queries. Templates that were not fetched are absent."""
    today = datetime.now(UTC).date()
    rows = select_fetches_of(templates).filter(day__gt=today - timedelta(days=DAYS))
    served = Label.objects.filter(template=OuterRef("version__template"), name=OuterRef("ref"))
    rows = rows.annotate(served=Coalesce(Subquery(served.values("version__number")[:1]), "version__number"))
    columns = rows.order_by().values_list(
        "version__template_id", "key__name", "ref", "served", F("version__template__latest__number")
    )
    in_week = Sum("count", filter=Q(day__gt=today - timedelta(days=WEEK)), default=0)
    totals: defaultdict[int, dict[tuple[str, str], tuple[int, datetime, int]]] = defaultdict(dict)
    for template, service, ref, served_now, latest, count, last_at in columns.annotate(
        week=in_week, last=Max("last_at")
    ):
        number = latest if ref == LATEST else served_now
        before = totals[template].get((service, ref))
        newest = before if before is not None and before[1] >= last_at else (0, last_at, number)
        totals[template][service, ref] = ((before[0] if before else 0) + count, newest[1], newest[2])
    return {
        template: sorted(
            (ServiceFetches(*place, version, -(-count // WEEK)) for place, (count, _, version) in counts.items()),
            key=lambda fetches: (-fetches.per_day, fetches.service, fetches.ref),
        )
        for template, counts in totals.items()
    }
