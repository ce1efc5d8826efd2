"""Who gave whom a role, and when: read from the journal, for the rule of two people."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from registry.accounts.actor import OPERATOR
from registry.accounts.events import SecondStepReset
from registry.changes.contributors import RoleGrant
from registry.core.names import is_in_folder
from registry.journal.event import from_microseconds
from registry.journal.models import Event
from registry.namespaces.events import MemberSet
from registry.namespaces.folder_role_events import FolderRoleSet
from registry.namespaces.group_events import GroupJoined, GroupLeft, GroupRemoved, GroupSet
from registry.namespaces.models import Role
from registry.templates.events import TemplateRenamed

__all__ = ["GRANTING", "RoleGrants"]

GRANTING = (
    MemberSet.kind,
    SecondStepReset.kind,
    GroupSet.kind,
    GroupRemoved.kind,
    GroupJoined.kind,
    GroupLeft.kind,
    FolderRoleSet.kind,
    TemplateRenamed.kind,
)


class RoleGrants:
    """By namespace every time that somebody got a role or a higher one, in it or in a folder, was put into a group, or
    had their sign-in reset, in the order of the events. What a command on the machine does is left out.
    """

    def __init__(self, spaces: Collection[str], names: Mapping[str, str]) -> None:
        """names: each name of a template that is asked about to the one that it has now."""
        self.found: defaultdict[str, list[RoleGrant]] = defaultdict(list)
        self._spaces, self._names = spaces, names
        self._held: dict[tuple[str, str], int] = {}  # the rank of each person's own role
        self._groups: dict[tuple[str, str], int] = {}  # the rank of each group's role
        self._people: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        # By namespace and person, or namespace and group, the role in each folder.
        self._of_people: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._of_groups: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)

    def hear(self, row: Event) -> None:
        """Take in the next event."""
        body = json.loads(row.text)["body"]
        if row.kind == SecondStepReset.kind:
            for space in self._spaces:
                self._add(row, space, body["person"], None)
        elif row.kind == MemberSet.kind:
            self._hear_of_member(row, body)
        elif row.kind == FolderRoleSet.kind:
            self._hear_of_folder(row, body)
        elif row.kind == TemplateRenamed.kind:
            self._hear_of_name(row, body)
        else:
            self._hear_of_group(row, body, (row.namespace, body["group"]))

    def _hear_of_member(self, row: Event, body: Mapping[str, Any]) -> None:
        place, rank = (row.namespace, body["person"]), _rank_of(body["role"])
        if rank > self._held.get(place, -1):
            self._add(row, row.namespace, body["person"], body["role"])
        self._held[place] = rank
        if body["role"] is None:
            self._of_people.pop(place, None)

    def _hear_of_group(self, row: Event, body: Mapping[str, Any], place: tuple[str, str]) -> None:
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
            rank = _rank_of(body.get("role"))
            for person in sorted(people) if rank > self._groups.get(place, -1) else ():
                if rank > self._held.get((row.namespace, person), -1):
                    self._add(row, row.namespace, person, body["role"])
            self._groups[place] = rank
            if body.get("role") is None:
                self._of_groups.pop(place, None)

    def _hear_of_folder(self, row: Event, body: Mapping[str, Any]) -> None:
        space, folder, role, former = row.namespace, body["folder"], body["role"], body.get("former")
        person, group = body.get("person") or "", body.get("group") or ""
        held = self._of_people[space, person] if person else self._of_groups[space, group]
        if former is not None:  # the same templates as before: nobody may do more
            held.pop(former, None)
            held[folder] = role
            grants = self.found[space]
            grants[:] = [replace(one, folder=folder) if one.folder == former else one for one in grants]
            return
        receivers = [person] if person else sorted(self._people[space, group])
        for receiver in receivers if role else ():
            if _rank_of(role) > self._rank_at(space, receiver, f"{folder}/"):
                self._add(row, space, receiver, role, folder=folder)
        if role:
            held[folder] = role
        else:
            held.pop(folder, None)

    def _hear_of_name(self, row: Event, body: Mapping[str, Any]) -> None:
        """Another folder has other reviewers."""
        space, name = row.namespace, body["template"]
        before, after = (full.partition("/")[2] for full in (body["former"], name))
        people = {person for place, person in self._of_people if place == space}
        for (place, group), folders in self._of_groups.items():
            people |= self._people[place, group] if place == space and folders else set()
        for person in sorted(people):
            role = max(self._list_roles_at(space, person, after), key=_rank_of, default="")
            if _rank_of(role) > self._rank_at(space, person, before):
                self._add(row, space, person, role, template=self._names.get(name, name))

    def _rank_at(self, space: str, person: str, path: str) -> int:
        """The rank of the highest role that the person has at the path: of their own, or by a group in a folder."""
        ranks = [_rank_of(role) for role in self._list_roles_at(space, person, path)]
        return max(*ranks, self._held.get((space, person), -1), -1)

    def _list_roles_at(self, space: str, person: str, path: str) -> list[str]:
        """The roles in folders that reach the path, of the person and of their groups."""
        given = [self._of_people.get((space, person), {})]
        given += [
            folders
            for (place, group), folders in self._of_groups.items()
            if place == space and person in self._people[place, group]
        ]
        return [role for folders in given for folder, role in folders.items() if is_in_folder(path, folder)]

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


def _rank_of(role: str | None) -> int:
    return Role(role).rank if role else -1
