"""What clients report of their renderings: counts and names, added up by version, key and day. Never values."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import transaction

from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates.models import Version
from registry.usage.models import Report

__all__ = ["MOST_BUCKETS", "MOST_CODES", "MOST_NAMES", "Entry", "Taken", "add", "round_up"]

MOST_CODES = 50  # of one row; further ones are added up as `other`
MOST_NAMES = 200
MOST_BUCKETS = 600


@dataclass(frozen=True)
class Entry:
    """What one client saw of one digest since its last report. tokens: count to how many prompts had it."""

    name: str
    digest: str
    renders: int
    failures: Mapping[str, int]
    tokens: Mapping[int, int]
    inputs: Mapping[str, int]


@dataclass(frozen=True)
class Taken:
    """How many entries were taken, and which were not: name, digest and the reason of each."""

    accepted: int
    ignored: list[dict[str, str]]


def add(*, actor: Actor, entries: Iterable[Entry]) -> Taken:
    """Add the entries to what is known already. Only for services: NotAllowed for a person."""
    if actor.key is None:
        raise NotAllowed("Reports come from services, with their key.")
    permissions.require(actor, Verb.FETCH, actor.key.namespace)
    given = list(entries)
    versions = _find(actor.key.namespace.name, given)
    known = [(versions[entry.name, entry.digest], entry) for entry in given if (entry.name, entry.digest) in versions]
    with transaction.atomic():
        for version, entry in sorted(known, key=lambda pair: pair[0]):  # one order, so that no two wait for each other
            _add(actor.key.pk, version, entry)
    ignored = [
        {"name": entry.name, "digest": entry.digest, "reason": "There is no such version, or this key may not read it."}
        for entry in given
        if (entry.name, entry.digest) not in versions
    ]
    return Taken(len(known), ignored)


def round_up(tokens: int) -> int:
    """To two significant digits: 812 becomes 820, 1204 becomes 1300. Keeps the buckets few."""
    unit: int = 10 ** max(len(str(tokens)) - 2, 0)
    return -(-tokens // unit) * unit


def _find(namespace: str, entries: Iterable[Entry]) -> dict[tuple[str, str], int]:
    """Name and digest to the version's row; of several numbers with one digest the lowest, as in a fetch."""
    wanted = [entry for entry in entries if entry.name.partition("/")[0] == namespace]
    rows = Version.objects.filter(
        template__name__in={entry.name for entry in wanted}, digest__in={entry.digest for entry in wanted}
    )
    found = rows.order_by("-number").values_list("template__name", "digest", "pk")
    return {(name, digest): pk for name, digest, pk in found}


def _add(key: str, version: int, entry: Entry) -> None:
    moment = log.now()
    Report.objects.get_or_create(key_id=key, version_id=version, day=moment.date(), defaults={"last_at": moment})
    row = Report.objects.select_for_update().get(key_id=key, version_id=version, day=moment.date())
    row.renders += entry.renders
    row.failures = _merge(row.failures, entry.failures, MOST_CODES)
    rounded: dict[str, int] = {}
    for tokens, count in entry.tokens.items():
        bucket = str(round_up(tokens))
        rounded[bucket] = rounded.get(bucket, 0) + count
    row.tokens = _merge(row.tokens, rounded, MOST_BUCKETS)
    row.inputs = _merge(row.inputs, entry.inputs, MOST_NAMES)
    row.last_at = moment
    row.save()


def _merge(text: str, new: Mapping[str, int], most: int) -> str:
    found: dict[str, int] = json.loads(text)
    for name, count in new.items():
        place = name if name in found or len(found) < most else "other"
        found[place] = found.get(place, 0) + count
    return json.dumps(found)
