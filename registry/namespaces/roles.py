"""The roles that people have: the highest of their own and those of their groups, written where either changes."""

from collections import defaultdict
from collections.abc import Collection

from registry.accounts.models import User
from registry.namespaces.models import GroupMember, Membership, Namespace, Role

__all__ = ["has_active_admin", "settle_roles", "write_own_role"]


def write_own_role(namespace: Namespace, person: User, role: str) -> Membership | None:
    """Give a person a role of their own, or with an empty one take it away; the membership that follows, if any."""
    Membership.objects.update_or_create(
        namespace=namespace,
        person=person,
        defaults={"own_role": role},
        create_defaults={"own_role": role, "role": role or Role.READER},
    )
    settle_roles(namespace, [person])
    return Membership.objects.filter(namespace=namespace, person=person).first()


def settle_roles(namespace: Namespace, people: Collection[User]) -> None:
    """Write the role of each of these people anew, and remove the membership of those who have none left."""
    rows = {row.person_id: row for row in Membership.objects.filter(namespace=namespace, person__in=people)}
    by_group = _roles_by_group(namespace, people)
    for person in people:
        row = rows.get(person.pk)
        roles = [Role(role) for role in (row.own_role if row else "", *by_group[person.pk]) if role]
        role = max(roles, key=lambda it: it.rank, default=None)
        if role is None:
            Membership.objects.filter(namespace=namespace, person=person).delete()
        elif row is None:
            Membership.objects.create(namespace=namespace, person=person, role=role)
        elif row.role != role:
            Membership.objects.filter(pk=row.pk).update(role=role)


def has_active_admin(namespace: Namespace) -> bool:
    """Whether somebody who can sign in is an admin of the namespace."""
    return Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True).exists()


def _roles_by_group(namespace: Namespace, people: Collection[User]) -> defaultdict[int, list[str]]:
    rows = GroupMember.objects.filter(group__namespace=namespace, person__in=people).exclude(group__role="")
    roles: defaultdict[int, list[str]] = defaultdict(list)
    for person_id, role in rows.values_list("person_id", "group__role"):
        roles[person_id].append(role)
    return roles
