"""What clients reported. A service that reports nothing is not in it: say so wherever these figures stand."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import QuerySet

from registry.templates.models import Template, Version
from registry.usage.models import Report

__all__ = ["DAYS", "Reported", "by_version", "of"]

DAYS = 30


@dataclass(frozen=True)
class Reported:
    """Counts of some days. `p50` and `p99` of the prompts' tokens, to two figures; `inputs`: name to renderings with it."""

    renders: int
    failures: dict[str, int]
    p50: int | None
    p99: int | None
    inputs: dict[str, int]
    keys: list[str]
    last_at: datetime

    @property
    def failed(self) -> int:
        """Renderings that failed, of all codes."""
        return sum(self.failures.values())


def of(version: Version, days: int = DAYS) -> Reported | None:
    """What was reported of the version, or None where no client reported any."""
    return _sum(_rows(days).filter(version=version))


def by_version(template: Template, days: int = DAYS) -> dict[int, Reported]:
    """The same by version number, the newest first; versions without a report are absent."""
    grouped: dict[int, list[Report]] = {}
    for row in _rows(days).filter(version__template=template).order_by("-version__number"):
        grouped.setdefault(row.version.number, []).append(row)
    return {number: summed for number, rows in grouped.items() if (summed := _sum(rows))}


def _rows(days: int) -> QuerySet[Report]:
    since = datetime.now(UTC).date() - timedelta(days=days)
    return Report.objects.filter(day__gt=since).select_related("key", "version").defer("version__bundle")


def _sum(rows: Iterable[Report]) -> Reported | None:
    found = list(rows)
    if not found:
        return None
    failures: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    inputs: Counter[str] = Counter()
    for row in found:
        failures.update(json.loads(row.failures))
        tokens.update(json.loads(row.tokens))
        inputs.update(json.loads(row.inputs))
    buckets = sorted((int(bucket), count) for bucket, count in tokens.items() if bucket.isdigit() and count)
    return Reported(
        renders=sum(row.renders for row in found),
        failures=dict(failures.most_common()),
        p50=_at(buckets, 0.50),
        p99=_at(buckets, 0.99),
        inputs=dict(sorted(inputs.items())),
        keys=sorted({row.key.name for row in found}),
        last_at=max(row.last_at for row in found),
    )


def _at(buckets: list[tuple[int, int]], share: float) -> int | None:
    """The smallest bucket that holds at least this share of all, together with those below it."""
    total, seen = sum(count for _, count in buckets), 0
    for bucket, count in buckets:
        seen += count
        if seen >= share * total:
            return bucket
    return None
