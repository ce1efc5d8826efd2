"""Outcomes: scores that services and people report for replies of a version, summed by version, name and day.

The text of a reply is never sent. A score with a trace id is counted once: a later one with the same trace id replaces
it.
"""

# no texts here: services read it

import hashlib
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import metrics
from registry.core.errors import Invalid
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import version_queries
from registry.templates.models import Version
from registry.usage.models import Outcome, OutcomeTotal

__all__ = [
    "KEPT_DAYS",
    "LARGEST_VALUE",
    "MAX_ID_LENGTH",
    "MAX_NAMES",
    "IgnoredOutcome",
    "OutcomeEntry",
    "add_outcomes",
    "check_outcome_name",
    "delete_old_outcomes",
]

KEPT_DAYS = 90  # days that a trace id is remembered and a bucket is counted
LARGEST_VALUE = 1_000_000.0
MAX_ID_LENGTH = 100  # the most characters of a trace id, and of a bucket as sent
MAX_NAMES = 50  # the most names of scores of one version
_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
_BUCKET_DIGITS = 32


@dataclass(frozen=True)
class OutcomeEntry:
    """A score of one reply. template and digest identify the version; value is a finite number."""

    template: str
    digest: str
    name: str
    value: float
    trace_id: str = ""
    bucket: str = ""


@dataclass(frozen=True)
class IgnoredOutcome:
    """An entry that was not counted: its index in the list, from 0, and the reason."""

    index: int
    reason: str


# The total that a score belongs to, except for the day.
_Group = tuple[int, str, bool]


def check_outcome_name(name: str) -> None:
    """Raise Invalid unless it is a name such as `helpful` or `cites_source`."""
    if not _NAME.fullmatch(name):
        raise Invalid(
            gettext(
                "{name!r} can't name a score: lower-case letters, digits and _, a letter first, at most 60 characters."
            ).format(name=name),
            field="name",
        )


def add_outcomes(*, actor: Actor, entries: Sequence[OutcomeEntry]) -> list[IgnoredOutcome]:
    """Count the scores and return those that were not counted. The others are written all or none.

    Actors who may fetch in a namespace may score the replies of its versions. Raises Invalid for an invalid name or
    value.
    """
    for entry in entries:
        check_outcome_name(entry.name)
        if not math.isfinite(entry.value) or abs(entry.value) > LARGEST_VALUE:
            sentence = gettext("{value} is not a number between -1,000,000 and 1,000,000.")
            raise Invalid(sentence.format(value=entry.value), field="value")
    versions = _find_versions(actor, entries)
    ignored: list[IgnoredOutcome] = []
    grouped: defaultdict[_Group, list[OutcomeEntry]] = defaultdict(list)
    by_person = actor.key is None
    with transaction.atomic():
        names = _lock_versions(set(versions.values()))
        for index, entry in enumerate(entries):
            version = versions.get((entry.template, entry.digest))
            if version is None:
                reason = "There is no such version, or you don't have access to it."
            elif entry.name not in names[version] and len(names[version]) >= MAX_NAMES:
                reason = f"A version has scores of at most {MAX_NAMES} names."
            else:
                names[version].add(entry.name)
                grouped[version, entry.name, by_person].append(entry)
                continue
            ignored.append(IgnoredOutcome(index, reason))
        for group in sorted(grouped):
            _add_group(group, grouped[group])
    metrics.OUTCOMES.labels("people" if by_person else "services").inc(len(entries) - len(ignored))
    return ignored


def delete_old_outcomes() -> int:
    """Delete expired single outcomes; their totals stay. Return how many."""
    until = log.now().date() - timedelta(days=KEPT_DAYS)
    return Outcome.objects.filter(day__lte=until).delete()[0]


def _find_versions(actor: Actor, entries: Iterable[OutcomeEntry]) -> dict[tuple[str, str], int]:
    """Map template and digest to the version's row, if the actor may fetch."""
    namespaces = set(permissions.list_visible_namespaces(actor, Verb.FETCH).values_list("name", flat=True))
    selection = [entry for entry in entries if entry.template.partition("/")[0] in namespaces]
    return version_queries.find_rows_by_digest({(entry.template, entry.digest) for entry in selection})


def _lock_versions(versions: set[int]) -> dict[int, set[str]]:
    """Lock the versions, so that one writer at a time counts for each. Return the names of each version's scores."""
    rows = Version.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=versions).order_by("pk")
    names: dict[int, set[str]] = {pk: set() for pk in rows.values_list("pk", flat=True)}
    totals = OutcomeTotal.objects.filter(version__in=names).order_by().values_list("version_id", "name").distinct()
    for version, name in totals:
        names[version].add(name)
    return names


def _add_group(group: _Group, entries: Sequence[OutcomeEntry]) -> None:
    version, name, by_person = group
    today = log.now().date()
    traces = {entry.trace_id for entry in entries} - {""}
    rows = Outcome.objects.filter(version_id=version, name=name, by_person=by_person, trace_id__in=traces)
    rows_by_trace = {row.trace_id: row for row in rows}
    additions: defaultdict[date, list[float]] = defaultdict(list)
    removals: defaultdict[date, list[float]] = defaultdict(list)
    new: list[Outcome] = []
    for entry in entries:
        row = rows_by_trace.get(entry.trace_id)
        if row is not None:
            removals[row.day].append(row.value)
            additions[row.day].append(entry.value)
            row.value, row.bucket = entry.value, _hash_bucket(entry.bucket)
            continue
        additions[today].append(entry.value)
        if entry.trace_id or entry.bucket:
            row = Outcome(
                version_id=version,
                name=name,
                by_person=by_person,
                trace_id=entry.trace_id,
                bucket=_hash_bucket(entry.bucket),
                value=entry.value,
                day=today,
            )
            new.append(row)
            if entry.trace_id:
                rows_by_trace[entry.trace_id] = row
    Outcome.objects.bulk_update([row for row in rows_by_trace.values() if row.pk], ["value", "bucket"])
    Outcome.objects.bulk_create(new)
    for day in sorted(additions):
        _change_total(group, day, additions[day], removals[day])


def _change_total(group: _Group, day: date, added_values: Sequence[float], removed_values: Sequence[float]) -> None:
    version, name, by_person = group
    moment = log.now()
    total, _ = OutcomeTotal.objects.get_or_create(
        version_id=version, name=name, by_person=by_person, day=day, defaults={"last_at": moment}
    )
    total.count += len(added_values) - len(removed_values)
    total.total = math.fsum([total.total, *added_values, *(-value for value in removed_values)])
    squares = [*(value * value for value in added_values), *(-value * value for value in removed_values)]
    total.squares = math.fsum([total.squares, *squares])
    total.graded += sum(map(_is_graded, added_values)) - sum(map(_is_graded, removed_values))
    total.last_at = moment
    total.save()


def _is_graded(value: float) -> bool:
    return value not in (0.0, 1.0)


def _hash_bucket(bucket: str) -> str:
    """Hash a bucket before counting it: a caller may use a person's id as one, which shouldn't be stored here."""
    return hashlib.sha256(bucket.encode()).hexdigest()[:_BUCKET_DIGITS] if bucket else ""
