"""Queries about groups for members of their namespace."""

from collections.abc import Collection

from django.db.models import Prefetch
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.namespaces import queries
from registry.namespaces.models import Group, GroupMember, Namespace

__all__ = ["find_group", "list_groups", "read_groups"]


def list_groups(actor: Actor, namespace: str) -> list[Group]:
    """List the groups of the namespace with their members, by title; for any member."""
    return read_groups([queries.get_namespace(actor, namespace)])


def find_group(actor: Actor, namespace: str, name: str) -> Group:
    """One group with its members; for any member. Raises NotFound if it doesn't exist."""
    group = next((row for row in list_groups(actor, namespace) if row.name == name), None)
    if group is None:
        raise NotFound(gettext("There is no group {name} in {namespace}.").format(name=name[:64], namespace=namespace))
    return group


def read_groups(namespaces: Collection[Namespace]) -> list[Group]:
    """The groups of these namespaces with their members, by namespace and title: two queries. The caller has checked
    permissions.
    """
    people = GroupMember.objects.select_related("person").order_by("person__username")
    rows = Group.objects.filter(namespace__in=namespaces).select_related("namespace")
    return list(rows.prefetch_related(Prefetch("members", people)).order_by("namespace__name", "title", "name"))
