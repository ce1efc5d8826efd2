"""The history of versions for many templates: their sources and authors, and the role grants meanwhile."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import Any

from django.db.models import FilteredRelation, Q

from registry.accounts.actor import OPERATOR
from registry.accounts.events import SecondStepReset
from registry.accounts.models import Key
from registry.changes.contributor_facts import Head, KeyFacts, RoleGrant
from registry.changes.contributors import History, VersionNode
from registry.changes.events import ChangeHeaded, ChangeProposed, ChangeReopened
from registry.changes.template_copies import find_approved, find_origins
from registry.core.names import is_in_folder
from registry.journal.event import from_microseconds
from registry.journal.models import Event
from registry.namespaces.events import MemberSet
from registry.namespaces.folder_role_events import FolderRoleSet
from registry.namespaces.group_events import GroupJoined, GroupLeft, GroupRemoved, GroupSet
from registry.namespaces.models import Role
from registry.templates.events import TemplateRenamed
from registry.templates.former_names import FormerName
from registry.templates.models import Template, Version

__all__ = ["read_history", "read_version_graph"]

_GRANTING = (
    MemberSet.kind,
    SecondStepReset.kind,
    GroupSet.kind,
    GroupRemoved.kind,
    GroupJoined.kind,
    GroupLeft.kind,
    FolderRoleSet.kind,
    TemplateRenamed.kind,
)
_HEADS = (ChangeProposed.kind, ChangeHeaded.kind, ChangeReopened.kind)
_COLUMNS = (  # columns of a version, of a label that points to it, and of something it took in
    "pk",
    "template_id",
    "number",
    "digest",
    "base_id",
    "author__username",
    "key_id",
    "created_at",
    "redaction__pk",
    "pointing__name",
    "pointing__rollout_id",
    "pointing__rollout__change_id",
    "contributions__pk",
    "contributions__source_id",
    "contributions__comment__person__username",
    "contributions__comment__key_id",
)
_GRAPH_COLUMNS = ("pk", "template__name", "number", "digest", "base_id", "contributions__source_id")


def read_history(templates: Iterable[Template]) -> History:
    """The whole history of these templates, in a constant number of queries.

    Includes the templates that they were copied from; chains of copies take more queries.
    """
    listed = list({template.pk: template for template in templates}.values())
    every = {template.pk: template.name for template in listed}
    copied = {template.pk: template.copied_from for template in listed if template.copied_from}
    origins = find_origins(copied, every) if copied else {}
    versions = _Versions(every, origins)
    spaces = {template.name.partition("/")[0] for template in listed}
    heads, grants = _find_events(dict(_list_names(listed)), spaces)
    others = [pk for pk in every if pk not in {template.pk for template in listed}]
    return History(
        versions.steps,
        _find_keys(versions.steps, heads),
        heads,
        grants,
        find_approved(versions.steps, others) if others else set(),
        versions.labels,
        versions.rollouts,
    )


def read_version_graph(templates: Collection[int], unsaved: Iterable[Version] = ()) -> History:
    """Read only which version was made from which. unsaved: versions that are added to the stored ones."""
    rows = Version.objects.filter(template__in=templates).order_by("pk", "contributions__pk")
    steps: dict[int, VersionNode] = {}
    for pk, name, number, digest, base, source in rows.values_list(*_GRAPH_COLUMNS):
        merged = steps[pk].merged if pk in steps else ()
        merged += () if source is None else (source,)
        steps[pk] = VersionNode(pk, name, number, digest, base, merged=merged)
    for row in unsaved:
        steps[row.pk] = VersionNode(row.pk, row.template.name, row.number, row.digest, row.base_id)
    return History(steps)


def _list_names(templates: Iterable[Template]) -> list[tuple[str, str]]:
    """Map each current and former name of these templates to the current one; a query only if one was renamed."""
    names = [(template.name, template.name) for template in templates]
    renamed = [template.pk for template in templates if template.renamed_at is not None]
    former = FormerName.objects.filter(template__in=renamed) if renamed else FormerName.objects.none()
    return [*names, *former.values_list("name", "template__name")]


class _Versions:
    """Versions with what they took in and the labels that point to them, in one query."""

    def __init__(self, templates: Mapping[int, str], origins: Mapping[int, tuple[str, int]]) -> None:
        # Only with their template are labels found by index: PostgreSQL would read all labels of all templates.
        pointing = FilteredRelation("labels", condition=Q(labels__template__in=list(templates)))
        rows = Version.objects.filter(template__in=templates).annotate(pointing=pointing)
        self.labels: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self.rollouts: defaultdict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        version_rows: dict[int, tuple[Any, ...]] = {}
        parts: defaultdict[int, dict[int, tuple[int | None, str, str | None]]] = defaultdict(dict)
        # Sorted here: to read them in order, SQLite may scan all versions of all templates.
        for row in sorted(rows.values_list(*_COLUMNS).order_by(), key=itemgetter(0)):
            (pk, template, *_), (label, rollout, rolled_out, part, *taken) = row[:9], row[9:]
            version_rows[pk] = row[:9]
            if label is not None:
                self.labels[templates[template]][label] = pk
            if rollout is not None:
                self.rollouts[templates[template]][label] = (rollout, rolled_out)
            if part is not None:
                parts[pk][part] = (taken[0], taken[1], taken[2])
        numbered = {(templates[template], number): pk for pk, template, number, *_ in version_rows.values()}
        self.steps = {}
        for pk, template, number, digest, base, author, used_key, at, redaction in version_rows.values():
            listed = [parts[pk][part] for part in sorted(parts[pk])]
            taken_in = [source for source, _, _ in listed if source is not None]
            if number == 1 and (origin := numbered.get(origins.get(template, ("", 0)))):
                taken_in.append(origin)
            suggested = tuple((person, key) for source, person, key in listed if source is None)
            facts = (pk, templates[template], number, digest, base, author, used_key, at, tuple(taken_in), suggested)
            self.steps[pk] = VersionNode(*facts, is_redacted=redaction is not None)


def _find_keys(steps: Mapping[int, VersionNode], heads: Mapping[str, list[Head]]) -> dict[str, KeyFacts]:
    """The keys of the namespaces in which a key was used."""
    used = {step.key for step in steps.values()} | {key for step in steps.values() for _, key in step.suggested}
    used |= {head.key for listed in heads.values() for head in listed}
    used.discard(None)
    if not used:
        return {}
    spaces = Key.objects.filter(id__in=used).values("namespace")
    rows = Key.objects.filter(namespace__in=spaces).values_list("id", "created_by__username", "replaces_id")
    return {key: KeyFacts(issuer, replaces) for key, issuer, replaces in rows}


def _find_events(
    names: Mapping[str, str], spaces: Collection[str]
) -> tuple[dict[str, list[Head]], Mapping[str, list[RoleGrant]]]:
    """The heads of requests by template, and the role grants by namespace, oldest first. names: every name of a
    template, mapped to the current one.
    """
    kinds = [*_HEADS, *_GRANTING]
    places = [*spaces, ""]  # accounts belong to no namespace
    rows = Event.objects.filter(template__in=[*names, ""], kind__in=kinds, namespace__in=places).order_by("number")
    heads: defaultdict[str, list[Head]] = defaultdict(list)
    grants = _RoleGrants(spaces, names)
    for row in rows.only("number", "kind", "at", "person", "key", "namespace", "template", "version", "change", "text"):
        if row.kind in _HEADS:
            kind = row.kind.rpartition(".")[2]
            name = names[row.template]
            heads[name].append(Head(row.change or 0, name, row.version or 0, kind, row.person, row.key or None))
        else:
            grants.add_event(row)
    return heads, grants.found


class _RoleGrants:
    """By namespace, each time that somebody got a role or a higher one (in it or in a folder), was added to a group, or
    had their sign-in reset, in event order. Commands run by the operator are left out.
    """

    def __init__(self, spaces: Collection[str], names: Mapping[str, str]) -> None:
        """names: every name of a template in question, mapped to the current one."""
        self.found: defaultdict[str, list[RoleGrant]] = defaultdict(list)
        self._spaces, self._names = spaces, names
        self._held: dict[tuple[str, str], int] = {}  # the rank of each person's own role, by namespace and person
        self._groups: dict[tuple[str, str], int] = {}  # the rank of each group's role, by namespace and group
        self._people: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        # The role in each folder, by (namespace, person) and by (namespace, group).
        self._of_people: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._of_groups: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)

    def add_event(self, row: Event) -> None:
        """Process the next event."""
        body = json.loads(row.text)["body"]
        if row.kind == SecondStepReset.kind:
            for space in self._spaces:
                self._add(row, space, body["person"], None)
        elif row.kind == MemberSet.kind:
            self._add_member_grant(row, body)
        elif row.kind == FolderRoleSet.kind:
            self._add_folder_grants(row, body)
        elif row.kind == TemplateRenamed.kind:
            self._add_grants_of_rename(row, body)
        else:
            self._add_group_grants(row, body, (row.namespace, body["group"]))

    def _add_member_grant(self, row: Event, body: Mapping[str, Any]) -> None:
        place, rank = (row.namespace, body["person"]), _rank_role(body["role"])
        if rank > self._held.get(place, -1):
            self._add(row, row.namespace, body["person"], body["role"])
        self._held[place] = rank
        if body["role"] is None:
            self._of_people.pop(place, None)

    def _add_group_grants(self, row: Event, body: Mapping[str, Any], place: tuple[str, str]) -> None:
        people = self._people[place]
        if row.kind == GroupJoined.kind:
            people.add(body["person"])
            self._add(row, row.namespace, body["person"], None, group=body["title"])
        elif row.kind == GroupLeft.kind:
            people.discard(body["person"])
        elif row.kind == GroupRemoved.kind:
            people.clear()
            self._groups.pop(place, None)
            self._of_groups.pop(place, None)
        else:
            rank = _rank_role(body.get("role"))
            for person in sorted(people) if rank > self._groups.get(place, -1) else ():
                if rank > self._held.get((row.namespace, person), -1):
                    self._add(row, row.namespace, person, body["role"])
            self._groups[place] = rank
            if body.get("role") is None:
                self._of_groups.pop(place, None)

    def _add_folder_grants(self, row: Event, body: Mapping[str, Any]) -> None:
        space, folder, role, former = row.namespace, body["folder"], body["role"], body.get("former")
        person, group = body.get("person") or "", body.get("group") or ""
        folder_roles = self._of_people[space, person] if person else self._of_groups[space, group]
        if former is not None:  # the same templates as before, so no rights change
            folder_roles.pop(former, None)
            folder_roles[folder] = role
            grants = self.found[space]
            grants[:] = [replace(one, folder=folder) if one.folder == former else one for one in grants]
            return
        receivers = [person] if person else sorted(self._people[space, group])
        for receiver in receivers if role else ():
            if _rank_role(role) > self._find_rank(space, receiver, f"{folder}/"):
                self._add(row, space, receiver, role, folder=folder)
        if role:
            folder_roles[folder] = role
        else:
            folder_roles.pop(folder, None)

    def _add_grants_of_rename(self, row: Event, body: Mapping[str, Any]) -> None:
        """A rename into another folder can bring other reviewers."""
        space, name = row.namespace, body["template"]
        before, after = (full.partition("/")[2] for full in (body["former"], name))
        people = {person for place, person in self._of_people if place == space}
        for (place, group), folders in self._of_groups.items():
            people |= self._people[place, group] if place == space and folders else set()
        for person in sorted(people):
            role = max(self._list_roles_at(space, person, after), key=_rank_role, default="")
            if _rank_role(role) > self._find_rank(space, person, before):
                self._add(row, space, person, role, template=self._names.get(name, name))

    def _find_rank(self, space: str, person: str, path: str) -> int:
        """The rank of the person's highest role at the path: their own, or a group's in a folder."""
        ranks = [_rank_role(role) for role in self._list_roles_at(space, person, path)]
        return max(*ranks, self._held.get((space, person), -1), -1)

    def _list_roles_at(self, space: str, person: str, path: str) -> list[str]:
        """The folder roles that reach the path, of the person and their groups."""
        folder_roles = [self._of_people.get((space, person), {})]
        folder_roles += [
            folders
            for (place, group), folders in self._of_groups.items()
            if place == space and person in self._people[place, group]
        ]
        return [role for folders in folder_roles for folder, role in folders.items() if is_in_folder(path, folder)]

    def _add(
        self,
        row: Event,
        space: str,
        receiver: str,
        role: str | None,
        *,
        group: str = "",
        folder: str = "",
        template: str = "",
    ) -> None:
        if row.person != OPERATOR:
            at = from_microseconds(row.at)
            self.found[space].append(RoleGrant(row.person, receiver, role, at, group, folder, template))


def _rank_role(role: str | None) -> int:
    return Role(role).rank if role else -1
