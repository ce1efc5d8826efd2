"""Queries about the history of versions: what each was made from and by whom, for many templates at once."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import Q

from registry.accounts.models import Key
from registry.changes.contributors import Head, History, KeyFacts, RoleGrant, VersionNode
from registry.changes.events import ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.role_grants import GRANTING, RoleGrants
from registry.journal.models import Event
from registry.templates.former_names import FormerName
from registry.templates.labels import approved_moves
from registry.templates.models import Template, Version

__all__ = ["find_copies", "read_history", "read_version_graph"]

_HEADS = (ChangeProposed.kind, ChangeHeaded.kind, ChangeReopened.kind)
_COLUMNS = (  # of a version, then of a label that points to it, then of one thing that it took in
    "pk",
    "template_id",
    "number",
    "digest",
    "base_id",
    "author__username",
    "key_id",
    "created_at",
    "labels__name",
    "labels__rollout_id",
    "labels__rollout__change_id",
    "contributions__pk",
    "contributions__source_id",
    "contributions__comment__person__username",
    "contributions__comment__key_id",
)
_MOST_COPIES = 20  # templates in a row, each a copy of the one before


def read_history(templates: Iterable[Template]) -> History:
    """The whole history of these templates, in as many queries for one as for many.

    Templates that one of them was copied from are read as well; that takes more queries where there are copies of
    copies.
    """
    listed = list({template.pk: template for template in templates}.values())
    every = {template.pk: template.name for template in listed}
    origins = _origins({template.pk: template.copied_from for template in listed}, every)
    found = _Versions(every, origins)
    spaces = {template.name.partition("/")[0] for template in listed}
    heads, grants = _events(dict(_names(listed)), spaces)
    others = [pk for pk in every if pk not in {template.pk for template in listed}]
    return History(
        found.steps,
        _keys(found.steps, heads),
        heads,
        grants,
        _approved(found.steps, others),
        found.labels,
        found.rollouts,
    )


def read_version_graph(templates: Collection[int]) -> History:
    """Only which version was made from which."""
    names = dict(Template.objects.filter(pk__in=templates).values_list("pk", "name"))
    return History(_Versions(names, {}).steps)


def find_copies(template: Template, among: Collection[Template]) -> list[Template]:
    """Those of the templates that were copied from this one, or from a copy of it: a query for each step, and none
    where no template among them is a copy.
    """
    copied = {row.pk: row.copied_from for row in among if row.copied_from}
    every: dict[int, str] = {}
    origins = _origins(copied, every) if copied else {}
    known = {name: pk for pk, name in every.items()}
    return [row for row in among if template.pk in _ancestors(row.pk, origins, known)]


def _ancestors(pk: int, origins: Mapping[int, tuple[str, int]], known: Mapping[str, int]) -> set[int]:
    """The ids of the template's origin, of the origin's origin, and so on. known: name to id."""
    found: set[int] = set()
    while pk in origins and (origin := known.get(origins[pk][0])) is not None and origin not in found:
        found.add(origin)
        pk = origin
    return found


def _origins(copied: Mapping[int, str], every: dict[int, str]) -> dict[int, tuple[str, int]]:
    """Template to the (template, version number) that it was copied from; adds the templates of origins to `every`."""
    found: dict[int, tuple[str, int]] = {}
    current: dict[str, str] = {}
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
        named = Q(name__in=unread) | Q(former_names__name__in=unread)
        rows = list(Template.objects.filter(named).values_list("pk", "name", "copied_from", "former_names__name"))
        every |= {pk: name for pk, name, *_ in rows}
        current |= {former: name for _, name, _, former in rows if former}
        pending = {pk: address for pk, _, address, _ in rows if address}
    return {pk: (current.get(name, name), number) for pk, (name, number) in found.items()}


def _names(templates: Iterable[Template]) -> list[tuple[str, str]]:
    """Each name of these templates, former ones too, with the one it has now; a query only where one was renamed."""
    names = [(template.name, template.name) for template in templates]
    renamed = [template.pk for template in templates if template.renamed_at is not None]
    former = FormerName.objects.filter(template__in=renamed) if renamed else FormerName.objects.none()
    return [*names, *former.values_list("name", "template__name")]


class _Versions:
    """Versions with what they took in and the labels that point to them, in one query."""

    def __init__(self, templates: Mapping[int, str], origins: Mapping[int, tuple[str, int]]) -> None:
        rows = Version.objects.filter(template__in=templates)
        self.labels: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.rollouts: defaultdict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        kept: dict[int, tuple[Any, ...]] = {}
        parts: defaultdict[int, dict[int, tuple[int | None, str, str | None]]] = defaultdict(dict)
        for row in rows.values_list(*_COLUMNS).order_by("pk"):
            (pk, template, *_), (label, rollout, rolled_out, part, *taken) = row[:8], row[8:]
            kept[pk] = row[:8]
            if label is not None:
                self.labels[templates[template]][label] = pk
            if rollout is not None:
                self.rollouts[templates[template]][label] = (rollout, rolled_out)
            if part is not None:
                parts[pk][part] = (taken[0], taken[1], taken[2])
        numbered = {(templates[template], number): pk for pk, template, number, *_ in kept.values()}
        self.steps = {}
        for pk, template, number, digest, base, author, used_key, at in kept.values():
            listed = [parts[pk][part] for part in sorted(parts[pk])]
            taken_in = [source for source, _, _ in listed if source is not None]
            if number == 1 and (origin := numbered.get(origins.get(template, ("", 0)))):
                taken_in.append(origin)
            suggested = tuple((person, key) for source, person, key in listed if source is None)
            name, sources = templates[template], tuple(taken_in)
            self.steps[pk] = VersionNode(pk, name, number, digest, base, author, used_key, at, sources, suggested)


def _keys(steps: Mapping[int, VersionNode], heads: Mapping[str, list[Head]]) -> dict[str, KeyFacts]:
    """The keys of the namespaces in which one was used."""
    used = {step.key for step in steps.values()} | {key for step in steps.values() for _, key in step.suggested}
    used |= {head.key for listed in heads.values() for head in listed}
    used.discard(None)
    if not used:
        return {}
    spaces = Key.objects.filter(id__in=used).values("namespace")
    rows = Key.objects.filter(namespace__in=spaces).values_list("id", "created_by__username", "replaces_id")
    return {key: KeyFacts(issuer, replaces) for key, issuer, replaces in rows}


def _events(
    names: Mapping[str, str], spaces: Collection[str]
) -> tuple[dict[str, list[Head]], Mapping[str, list[RoleGrant]]]:
    """The heads of requests by template, and by namespace the grants of roles; oldest first. names: each name of a
    template to the one that it has now.
    """
    kinds = [*_HEADS, *GRANTING]
    places = [*spaces, ""]  # accounts belong to no namespace
    rows = Event.objects.filter(template__in=[*names, ""], kind__in=kinds, namespace__in=places).order_by("number")
    heads: defaultdict[str, list[Head]] = defaultdict(list)
    grants = RoleGrants(spaces, names)
    for row in rows.only("number", "kind", "at", "person", "key", "namespace", "template", "version", "change", "text"):
        if row.kind in _HEADS:
            kind = row.kind.rpartition(".")[2]
            name = names[row.template]
            heads[name].append(Head(row.change or 0, name, row.version or 0, kind, row.person, row.key or None))
        else:
            grants.hear(row)
    return heads, grants.found


def _approved(steps: Mapping[int, VersionNode], origins: Collection[int]) -> set[int]:
    """The ids of the versions of these templates that a protected label held by the approval of somebody who did not
    contribute. A namespace may ask for no approval, or let contributors approve: that speaks for itself alone."""
    if not origins:
        return set()
    rows = approved_moves().filter(template__in=origins)
    columns = rows.values_list("template__name", "after__digest", "change__decided")
    digests = {(name, digest) for name, digest, decided in columns if _has_approval_of_another(decided)}
    return {step.pk for step in steps.values() if (step.template, step.digest) in digests}


def _has_approval_of_another(decided: Mapping[str, Any] | None) -> bool:
    """Whether one of the approvals that a request was decided on needed no exemption."""
    if decided is None:
        return False
    exempt = {one["person"] for one in decided.get("exemptions", ())}
    return any(one["person"] not in exempt for one in decided["approvals"])
