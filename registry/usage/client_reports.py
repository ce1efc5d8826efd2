"""Client reports: counts and names from clients' renderings, summed by version, key and day. Never values.

Services that don't report are missing in these figures, which must be stated wherever they are shown.
"""

# no texts here: services read it

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet

from registry.accounts.actor import Actor
from registry.core import metrics
from registry.core.errors import NotAllowed
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import version_queries
from registry.templates.models import Template
from registry.usage.models import Report

__all__ = [
    "DAYS",
    "MAX_BUCKETS",
    "MAX_CODES",
    "MAX_NAMES",
    "ReportEntry",
    "ReportResult",
    "ReportTotals",
    "add_reports",
    "round_up_tokens",
    "sum_reports_by_version",
]

DAYS = 30
MAX_CODES = 50  # per row; further ones are summed as `other`
MAX_NAMES = 200
MAX_BUCKETS = 600


@dataclass(frozen=True)
class ReportEntry:
    """One client's counts for one digest since its last report.

    tokens: token count to the number of prompts with it. cut: the number of prompts truncated to the token limit.
    """

    name: str
    digest: str
    renders: int
    failures: Mapping[str, int]
    tokens: Mapping[int, int]
    inputs: Mapping[str, int]
    cut: int = 0


@dataclass(frozen=True)
class ReportResult:
    """The number of accepted entries, and the rejected ones with name, digest and reason."""

    accepted: int
    ignored: list[dict[str, str]]


def add_reports(*, actor: Actor, entries: Iterable[ReportEntry]) -> ReportResult:
    """Add the entries to the totals. Only for services: raises NotAllowed for a person."""
    if actor.key is None:
        raise NotAllowed("Reports come from services, with their key.")
    permissions.require_verb(actor, Verb.FETCH, actor.key.namespace)
    reports = list(entries)
    versions = _find(actor.key.namespace.name, reports)
    reports_by_version = [
        (versions[entry.name, entry.digest], entry) for entry in reports if (entry.name, entry.digest) in versions
    ]
    with transaction.atomic():
        for version, entry in sorted(
            reports_by_version, key=lambda pair: pair[0]
        ):  # a fixed order, to prevent deadlocks
            _add(actor.key.pk, version, entry)
    metrics.REPORTED_RENDERS.inc(sum(entry.renders for _, entry in reports_by_version))
    metrics.REPORTED_CUTS.inc(sum(entry.cut for _, entry in reports_by_version))
    ignored = [
        {"name": entry.name, "digest": entry.digest, "reason": "There is no such version, or this key may not read it."}
        for entry in reports
        if (entry.name, entry.digest) not in versions
    ]
    return ReportResult(len(reports_by_version), ignored)


def round_up_tokens(tokens: int) -> int:
    """Round up to two significant digits: 812 becomes 820, 1204 becomes 1300. Limits the number of buckets."""
    unit: int = 10 ** max(len(str(tokens)) - 2, 0)
    return -(-tokens // unit) * unit


def _find(namespace: str, entries: Iterable[ReportEntry]) -> dict[tuple[str, str], int]:
    """Map name and digest to the version's row, in this namespace."""
    selection = [entry for entry in entries if entry.name.partition("/")[0] == namespace]
    return version_queries.find_rows_by_digest({(entry.name, entry.digest) for entry in selection})


def _add(key: str, version: int, entry: ReportEntry) -> None:
    moment = log.now()
    Report.objects.get_or_create(key_id=key, version_id=version, day=moment.date(), defaults={"last_at": moment})
    row = Report.objects.select_for_update().get(key_id=key, version_id=version, day=moment.date())
    row.renders += entry.renders
    row.cut += entry.cut
    row.failures = _merge(row.failures, entry.failures, MAX_CODES)
    rounded: dict[str, int] = {}
    for tokens, count in entry.tokens.items():
        bucket = str(round_up_tokens(tokens))
        rounded[bucket] = rounded.get(bucket, 0) + count
    row.tokens = _merge(row.tokens, rounded, MAX_BUCKETS)
    row.inputs = _merge(row.inputs, entry.inputs, MAX_NAMES)
    row.last_at = moment
    row.save()


def _merge(text: str, new: Mapping[str, int], limit: int) -> str:
    counts: dict[str, int] = json.loads(text)
    for name, count in new.items():
        place = name if name in counts or len(counts) < limit else "other"
        counts[place] = counts.get(place, 0) + count
    return json.dumps(counts)


@dataclass(frozen=True)
class ReportTotals:
    """Totals over some days. `p50` and `p99` of the prompts' tokens, to two digits; `inputs`: name to renderings with
    it.
    """

    renders: int
    failures: dict[str, int]
    p50: int | None
    p99: int | None
    inputs: dict[str, int]
    keys: list[str]
    last_at: datetime
    cut: int = 0

    @property
    def failed(self) -> int:
        """The number of failed renderings, over all codes."""
        return sum(self.failures.values())

    @property
    def cut_share(self) -> float:
        """The share of renderings truncated to the token limit, 0 to 1."""
        return self.cut / self.renders if self.renders else 0.0


def sum_reports_by_version(template: Template, days: int = DAYS) -> dict[int, ReportTotals]:
    """The reports for a template by version number, newest first; versions without a report are absent."""
    grouped: dict[int, list[Report]] = {}
    for row in _select_reports(days).filter(version__template=template).order_by("-version__number"):
        grouped.setdefault(row.version.number, []).append(row)
    return {number: summed for number, rows in grouped.items() if (summed := _sum(rows))}


def _select_reports(days: int) -> QuerySet[Report]:
    since = datetime.now(UTC).date() - timedelta(days=days)
    return Report.objects.filter(day__gt=since).select_related("key", "version").defer("version__bundle")


def _sum(rows: Iterable[Report]) -> ReportTotals | None:
    row_list = list(rows)
    if not row_list:
        return None
    failures: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    inputs: Counter[str] = Counter()
    for row in row_list:
        failures.update(json.loads(row.failures))
        tokens.update(json.loads(row.tokens))
        inputs.update(json.loads(row.inputs))
    buckets = sorted((int(bucket), count) for bucket, count in tokens.items() if bucket.isdigit() and count)
    return ReportTotals(
        renders=sum(row.renders for row in row_list),
        failures=dict(failures.most_common()),
        p50=_find_bucket(buckets, 0.50),
        p99=_find_bucket(buckets, 0.99),
        inputs=dict(sorted(inputs.items())),
        keys=sorted({row.key.name for row in row_list}),
        last_at=max(row.last_at for row in row_list),
        cut=sum(row.cut for row in row_list),
    )


def _find_bucket(buckets: list[tuple[int, int]], share: float) -> int | None:
    """The smallest bucket up to which at least this share of all counts lies."""
    total, cumulated = sum(count for _, count in buckets), 0
    for bucket, count in buckets:
        cumulated += count
        if cumulated >= share * total:
            return bucket
    return None
