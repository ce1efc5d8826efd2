"""What the versions of templates come from, and who had a hand in it: read for many templates at once."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta

from registry.access import OPERATOR, Role
from registry.journal import Kind
from registry.models import Contribution, Event, Key, LabelMove, Template, Version
from registry.review.contributors import Grant, Head, History, KeyFacts, Step

__all__ = ["read", "versions_of"]

_HEADS = (Kind.CHANGE_PROPOSED, Kind.CHANGE_HEADED, Kind.CHANGE_REOPENED)
_START = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_COPIES = 20  # templates in a row, each a copy of the one before


def read(templates: Iterable[Template]) -> History:
    """The whole history of these templates, in as many queries for one as for many.

    Templates that one of them was copied from are read as well; that takes more queries where there are copies of copies.
    """
    listed = list({template.pk: template for template in templates}.values())
    every = {template.pk: template.name for template in listed}
    origins = _origins({template.pk: template.copied_from for template in listed}, every)
    steps, heads = _steps(every, origins), _heads([template.name for template in listed])
    spaces = {template.name.partition("/")[0] for template in listed}
    others = [pk for pk in every if pk not in {template.pk for template in listed}]
    return History(steps, _keys(steps, heads), heads, _grants(spaces), _approved(steps, others))


def versions_of(templates: Collection[int]) -> History:
    """Only which version was made from which."""
    names = dict(Template.objects.filter(pk__in=templates).values_list("pk", "name"))
    return History(_steps(names, {}))


def _origins(copied: Mapping[int, str], every: dict[int, str]) -> dict[int, tuple[str, int]]:
    """Template to the (template, version number) that it was copied from; adds the templates of origins to `every`."""
    found: dict[int, tuple[str, int]] = {}
    pending = dict(copied)
    for _ in range(_MOST_COPIES):
        fresh = {}
        for pk, address in pending.items():
            name, _, number = address.partition("@")
            if number.isdecimal():
                found[pk] = (name, int(number))
                fresh[pk] = name
        unread = set(fresh.values()) - set(every.values())
        if not unread:
            break
        rows = list(Template.objects.filter(name__in=unread).values_list("pk", "name", "copied_from"))
        every |= {pk: name for pk, name, _ in rows}
        pending = {pk: address for pk, _, address in rows if address}
    return found


def _steps(templates: Mapping[int, str], origins: Mapping[int, tuple[str, int]]) -> dict[int, Step]:
    rows = Version.objects.filter(template__in=templates).values_list(
        "pk", "template_id", "number", "digest", "base_id", "author__username", "key_id", "created_at"
    )
    listed = list(rows)
    numbered = {(templates[template], number): pk for pk, template, number, *_ in listed}
    taken: defaultdict[int, list[int]] = defaultdict(list)
    suggested: defaultdict[int, list[tuple[str, str | None]]] = defaultdict(list)
    contributions = Contribution.objects.filter(version__template__in=templates)
    for version, source, person, key in contributions.values_list(
        "version_id", "source_id", "comment__person__username", "comment__key_id"
    ).order_by("pk"):
        if source is not None:
            taken[version].append(source)
        else:
            suggested[version].append((person, key))
    for pk, template, number, *_ in listed:
        if number == 1 and (origin := numbered.get(origins.get(template, ("", 0)))):
            taken[pk].append(origin)
    return {
        pk: Step(pk, templates[template], number, digest, base, author, key, at, tuple(taken[pk]), tuple(suggested[pk]))
        for pk, template, number, digest, base, author, key, at in listed
    }


def _keys(steps: Mapping[int, Step], heads: Mapping[str, list[Head]]) -> dict[str, KeyFacts]:
    """The keys of the namespaces in which one was used."""
    used = {step.key for step in steps.values()} | {key for step in steps.values() for _, key in step.suggested}
    used |= {head.key for listed in heads.values() for head in listed}
    used.discard(None)
    if not used:
        return {}
    spaces = Key.objects.filter(id__in=used).values("namespace")
    rows = Key.objects.filter(namespace__in=spaces).values_list("id", "created_by__username", "replaces_id")
    return {key: KeyFacts(issuer, replaces) for key, issuer, replaces in rows}


def _heads(names: Collection[str]) -> dict[str, list[Head]]:
    rows = Event.objects.filter(template__in=names, kind__in=[kind.value for kind in _HEADS]).order_by("number")
    found: defaultdict[str, list[Head]] = defaultdict(list)
    for change, template, number, kind, person, key in rows.values_list(
        "change", "template", "version", "kind", "person", "key"
    ):
        found[template].append(Head(change, template, number, kind.rpartition(".")[2], person, key or None))
    return found


def _grants(spaces: Collection[str]) -> dict[str, list[Grant]]:
    """Every time that somebody got a role or a higher one, oldest first. What a command on the machine gives is left out."""
    rows = Event.objects.filter(template="", kind=Kind.MEMBER_SET.value, namespace__in=spaces).order_by("number")
    found: defaultdict[str, list[Grant]] = defaultdict(list)
    held: dict[tuple[str, str], int] = {}
    for space, person, at, text in rows.values_list("namespace", "person", "at", "text"):
        body = json.loads(text)["body"]
        rank = Role(body["role"]).rank if body["role"] else -1
        before = held.get((space, body["person"]), -1)
        held[space, body["person"]] = rank
        if rank > before and person != OPERATOR:
            found[space].append(Grant(person, body["person"], body["role"], _START + timedelta(microseconds=at)))
    return found


def _approved(steps: Mapping[int, Step], origins: Collection[int]) -> set[int]:
    """The ids of the versions of these templates whose bytes an approved request published."""
    if not origins:
        return set()
    moves = LabelMove.objects.filter(template__in=origins, how__in=("published", "broke_glass"))
    rows = moves.filter(change__unreviewed=False).values_list("template__name", "after__digest")
    digests = set(rows)
    return {step.pk for step in steps.values() if (step.template, step.digest) in digests}
