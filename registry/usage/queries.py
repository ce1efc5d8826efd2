"""Queries of usage: which services fetch what, and which of them a change of contract would affect.

Read from the rows that `registry.usage.recorder` writes. Days are UTC; the last few seconds are not included.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils.translation import gettext, ngettext

from promptuary.renderer.names import is_pin
from registry.accounts.models import Key, User
from registry.templates.models import Template, Version
from registry.usage.models import Fetch

__all__ = [
    "DAYS",
    "PINS",
    "WEEK",
    "Fetcher",
    "KeyUse",
    "TemplateCallers",
    "count_by_label",
    "count_by_template",
    "count_by_template_and_day",
    "count_by_version_and_day",
    "describe_use_of_keys",
    "find_callers",
    "find_pinned_digests",
    "find_use_of_key",
    "list_fetchers",
    "select_fetches_of",
    "shorten_count",
]

DAYS = 30
WEEK = 7  # days in the mean, today included
MAX_NAMED = 3
_MAX_VERSIONS = 5_000  # whose ids are listed in a query
PINS = Q(ref__regex=r"^[0-9]") | Q(ref__startswith="sha256:")  # fetches by number or digest


@dataclass(frozen=True)
class Fetcher:
    """A service and what it fetched: `ref` as requested, `version` the number returned.

    former_names: the former names by which it requested it, most fetched first; empty if it used the current one only.
    by_former: how many of the fetches were by a former name.
    """

    key: Key
    person: User
    ref: str
    version: int
    count: int
    last_at: datetime
    former_names: tuple[str, ...] = ()
    by_former: int = 0

    @property
    def is_pinned(self) -> bool:
        """Whether it fetched by number or digest, and so doesn't follow a label."""
        return is_pin(self.ref)

    @property
    def is_redirected(self) -> bool:
        """Whether all of its fetches were by former names."""
        return self.by_former == self.count


@dataclass(frozen=True)
class KeyUse:
    """One key's use: all fetches, those of yesterday, and the templates by name, most fetched first.

    per_day: the mean of the last seven days, today included, rounded up.
    """

    count: int
    yesterday: int
    per_day: int
    templates: list[tuple[str, int]]


def list_fetchers(of: Template | Version, days: int = DAYS) -> list[Fetcher]:
    """One Fetcher per key, ref and version, busiest first, whatever names it requested."""
    rows = _select_fetches(of, days).values("key", "ref", "version__number", "former_name")
    totals = list(rows.annotate(total=Sum("count"), last=Max("last_at")).order_by("-total", "former_name"))
    keys = Key.objects.select_related("person").in_bulk({row["key"] for row in totals})
    fetchers: dict[tuple[str, str, int], Fetcher] = {}
    for row in totals:
        if row["key"] not in keys:
            continue
        key, ref, version = keys[row["key"]], row["ref"], row["version__number"]
        fetcher = fetchers.get((key.pk, ref, version)) or Fetcher(key, key.person, ref, version, 0, row["last"])
        former = (row["former_name"],) if row["former_name"] else ()
        fetchers[key.pk, ref, version] = replace(
            fetcher,
            count=fetcher.count + row["total"],
            last_at=max(fetcher.last_at, row["last"]),
            former_names=fetcher.former_names + former,
            by_former=fetcher.by_former + (row["total"] if former else 0),
        )
    return sorted(fetchers.values(), key=lambda one: (-one.count, one.key.pk, one.ref, -one.version))


def count_by_label(template: Template, days: int = DAYS) -> dict[str, int]:
    """Map label to its fetches; those by number or digest are under the empty string."""
    counts: dict[str, int] = {}
    for ref, count in _sum_by_field(_select_fetches(template, days), "ref").items():
        label = "" if is_pin(ref) else ref
        counts[label] = counts.get(label, 0) + count
    return dict(sorted(counts.items(), key=lambda entry: -entry[1]))


def count_by_version_and_day(template: Template, days: int = 7) -> dict[int, list[int]]:
    """Map version number to its fetches on each of the last days, most fetched first."""
    days_shown = _list_days(days)
    place = {day: index for index, day in enumerate(days_shown)}
    counts: dict[int, list[int]] = {}
    rows = _select_fetches(template, days).values_list("version__number", "day").annotate(total=Sum("count"))
    for number, day, total in rows.order_by():
        counts.setdefault(number, [0] * days)[place[day]] = total
    return dict(sorted(counts.items(), key=lambda entry: (-sum(entry[1]), -entry[0])))


def count_by_template(templates: Iterable[int], days: int = 7) -> dict[int, int]:
    """Map the id of each fetched template to its fetches in the last days; two queries."""
    rows = select_fetches_of(templates).filter(day__gt=_find_today() - timedelta(days=days))
    return _sum_by_field(rows, "version__template")


def count_by_template_and_day(templates: Iterable[int], days: int = 7) -> dict[int, list[int]]:
    """Map the id of each fetched template to its fetches on each of the last days; two queries."""
    place = {day: index for index, day in enumerate(_list_days(days))}
    rows = select_fetches_of(templates).filter(day__in=list(place)).order_by()
    counts: dict[int, list[int]] = {}
    for template, day, total in rows.values_list("version__template", "day").annotate(total=Sum("count")):
        counts.setdefault(template, [0] * days)[place[day]] = total
    return counts


def select_fetches_of(templates: Iterable[int]) -> QuerySet[Fetch]:
    """The fetches of these templates, by id. Runs a query for the ids of their versions.

    Without these ids, PostgreSQL reads the fetches of all templates: it takes a look-up for each version to be dearer.
    """
    ids = list(templates)
    versions = list(Version.objects.filter(template__in=ids).values_list("pk", flat=True)[: _MAX_VERSIONS + 1])
    if len(versions) > _MAX_VERSIONS:
        return Fetch.objects.filter(version__template__in=ids)
    return Fetch.objects.filter(version__in=versions)


def find_use_of_key(key: Key, days: int = DAYS) -> KeyUse:
    """What stops working when the key is revoked."""
    rows = Fetch.objects.filter(key=key, day__gt=_find_today() - timedelta(days=days))
    names = _sum_by_field(rows, "version__template__name")
    yesterday = Q(day=_find_today() - timedelta(days=1))
    in_week = Q(day__gt=_find_today() - timedelta(days=WEEK))
    counts = rows.aggregate(
        yesterday=Sum("count", filter=yesterday, default=0), in_week=Sum("count", filter=in_week, default=0)
    )
    templates = sorted(names.items(), key=lambda entry: (-entry[1], entry[0]))
    return KeyUse(sum(names.values()), counts["yesterday"], -(-counts["in_week"] // WEEK), templates)


def describe_use_of_keys(keys: Iterable[Key]) -> dict[str, str]:
    """Map key to `fetched 1.2 k times yesterday, 3 versions`; keys that fetched nothing yesterday are absent.

    One day and no join, because a page lists many keys and a busy one has 10,000 rows a day.
    """
    rows = Fetch.objects.filter(key__in=[key.pk for key in keys], day=_find_today() - timedelta(days=1))
    totals = rows.order_by().values_list("key").annotate(Sum("count"), Count("version", distinct=True))
    return {
        key: ngettext(
            "fetched {times} yesterday, {count} version", "fetched {times} yesterday, {count} versions", versions
        ).format(times=_format_times(times), count=versions)
        for key, times, versions in totals
    }


def shorten_count(count: int) -> str:
    """Shorten a count: `6,208`, `54.1 k`, `862 k`, `1.24 M`, with three digits above ten thousand."""
    if count < 10_000:
        return f"{count:,}"
    for unit, word in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G")):
        value = count / unit
        if value < 999.5 or word == "G":
            places = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
            return f"{value:,.{places}f} {word}"
    return f"{count:,}"


def _format_times(count: int) -> str:
    if count == 0:
        return gettext("not once")
    return ngettext("once", "{count} times", count).format(count=shorten_count(count))


def _select_fetches(of: Template | Version, days: int) -> QuerySet[Fetch]:
    return _select_all_fetches(of).filter(day__gt=_find_today() - timedelta(days=days))


def _select_all_fetches(of: Template | Version) -> QuerySet[Fetch]:
    if isinstance(of, Template):
        return Fetch.objects.filter(version__template=of)
    return Fetch.objects.filter(version=of)


def _sum_by_field(rows: QuerySet[Fetch], field: str) -> dict[Any, int]:
    return dict(rows.order_by().values_list(field).annotate(total=Sum("count")))


def _list_days(days: int) -> list[date]:
    return [_find_today() - timedelta(days=back) for back in reversed(range(days))]


def _find_today() -> date:
    return datetime.now(UTC).date()


@dataclass(frozen=True)
class TemplateCallers:
    """Names of services, busiest first: by the label that they follow, and by the digest that they are pinned to."""

    of_label: Mapping[str, list[str]] = field(default_factory=dict)
    of_digest: Mapping[str, list[str]] = field(default_factory=dict)


def find_pinned_digests(templates: Iterable[int], days: int = DAYS) -> dict[int, tuple[str, ...]]:
    """Map template id to the sorted digests fetched by number or digest in the last days.

    Fetches by label are left out: those services have followed the label, and what it serves is checked separately.
    """
    since = datetime.now(UTC).date() - timedelta(days=days)
    rows = Fetch.objects.filter(PINS, version__template__in=list(templates), day__gt=since)
    digests_by_template: dict[int, set[str]] = {}
    for template, digest in rows.values_list("version__template_id", "version__digest").distinct():
        digests_by_template.setdefault(template, set()).add(digest)
    return {template: tuple(sorted(digests)) for template, digests in digests_by_template.items()}


def find_callers(template: Template) -> TemplateCallers:
    """The services that fetched the template in the last thirty days."""
    digests = dict(template.versions.filter(fetches__isnull=False).distinct().values_list("number", "digest"))
    of_label: dict[str, list[str]] = {}
    of_digest: dict[str, list[str]] = {}
    for fetcher in list_fetchers(template):
        names = (
            of_digest.setdefault(digests[fetcher.version], [])
            if fetcher.is_pinned
            else of_label.setdefault(fetcher.ref, [])
        )
        if fetcher.key.name not in names:
            names.append(fetcher.key.name)
    return TemplateCallers(of_label, of_digest)
