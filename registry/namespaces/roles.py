"""Effective roles: the highest of a person's own and those of their groups, stored when either changes."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import F

from registry.accounts.models import User
from registry.namespaces.models import FolderRole, Group, GroupMember, Membership, Namespace, Role
from registry.namespaces.permissions import MemberRoles

__all__ = [
    "has_active_admin",
    "list_held_folders",
    "settle_roles",
    "write_folder_role",
    "write_own_role",
]


def write_own_role(namespace: Namespace, person: User, role: str) -> Membership | None:
    """Set a person's own role, or remove it if empty; returns the resulting membership, if any.

    Roles in folders depend on the person's own role, so they end with it.
    """
    if not role:
        FolderRole.objects.filter(namespace=namespace, person=person).delete()
    Membership.objects.update_or_create(
        namespace=namespace,
        person=person,
        defaults={"own_role": role},
        create_defaults={"own_role": role, "role": role or Role.READER},
    )
    settle_roles(namespace, [person])
    return Membership.objects.filter(namespace=namespace, person=person).first()


def write_folder_role(namespace: Namespace, folder: str, holder: User | Group, role: str) -> None:
    """Set the role of a person or a group in a folder, or remove it if empty."""
    by_group = isinstance(holder, Group)
    row: dict[str, Any] = {"namespace": namespace, "folder": folder, "group" if by_group else "person": holder}
    if role:
        FolderRole.objects.update_or_create(**row, defaults={"role": role})
    else:
        FolderRole.objects.filter(**row).delete()
    people = list(User.objects.filter(group_memberships__group=holder)) if isinstance(holder, Group) else [holder]
    settle_roles(namespace, people)


def list_held_folders(namespace: Namespace, holder: User | Group) -> list[str]:
    """List the folders in which the person or the group was given a role."""
    rows = FolderRole.objects.filter(namespace=namespace)
    rows = rows.filter(group=holder) if isinstance(holder, Group) else rows.filter(person=holder)
    return list(rows.order_by("folder").values_list("folder", flat=True))


def settle_roles(namespace: Namespace, people: Collection[User]) -> None:
    """Recompute the roles of each of these people, and remove memberships without any."""
    rows = {row.person_id: row for row in Membership.objects.filter(namespace=namespace, person__in=people)}
    by_group = _list_roles_by_group(namespace, people)
    in_folders = _list_roles_in_folders(namespace, people)
    for person in people:
        row = rows.get(person.pk)
        held_roles = [Role(role) for role in (row.own_role if row else "", *by_group[person.pk]) if role]
        role = max(held_roles, key=lambda it: it.rank, default=None)
        if role is None:
            Membership.objects.filter(namespace=namespace, person=person).delete()
            continue
        roles = MemberRoles(role, _list_higher_roles(role, in_folders[person.pk]))
        columns = {
            "role": roles.namespace,
            "folder_roles": dict(roles.folders),
            "highest_folder_role": roles.highest_in_folders,
        }
        if row is None:
            Membership.objects.create(namespace=namespace, person=person, **columns)
        elif any(getattr(row, name) != value for name, value in columns.items()):
            Membership.objects.filter(pk=row.pk).update(**columns)


def has_active_admin(namespace: Namespace) -> bool:
    """Whether an admin of the namespace has an active account."""
    return Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True).exists()


def _list_roles_by_group(namespace: Namespace, people: Collection[User]) -> defaultdict[int, list[str]]:
    rows = GroupMember.objects.filter(group__namespace=namespace, person__in=people).exclude(group__role="")
    roles: defaultdict[int, list[str]] = defaultdict(list)
    for person_id, role in rows.values_list("person_id", "group__role"):
        roles[person_id].append(role)
    return roles


def _list_roles_in_folders(namespace: Namespace, people: Collection[User]) -> defaultdict[int, list[tuple[str, str]]]:
    """Map each person to the folders and roles that they and their groups were given."""
    folder_roles = FolderRole.objects.filter(namespace=namespace)
    own = folder_roles.filter(person__in=people).values_list("person_id", "folder", "role")
    of_groups = folder_roles.filter(group__members__person__in=people).annotate(member=F("group__members__person_id"))
    ids = {person.pk for person in people}
    roles: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for person_id, folder, role in [*own, *of_groups.values_list("member", "folder", "role")]:
        if person_id in ids:
            roles[person_id].append((folder, role))
    return roles


def _list_higher_roles(role: Role, folder_roles: Iterable[tuple[str, str]]) -> dict[str, Role]:
    """The highest role in each folder, ordered by name, if it is higher than `role`."""
    highest: dict[str, Role] = {}
    for folder, there in sorted(folder_roles):
        highest[folder] = max(highest.get(folder, role), Role(there), key=lambda it: it.rank)
    return {folder: there for folder, there in highest.items() if there.rank > role.rank}
