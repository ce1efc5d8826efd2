"""Groups of people in a namespace: creating, changing and removing them, and their members; admins only."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.journal.event import JournalEvent
from registry.namespaces import permissions, roles
from registry.namespaces.group_events import GroupJoined, GroupLeft, GroupRemoved, GroupSet
from registry.namespaces.models import Group, GroupMember, Namespace, Role
from registry.namespaces.rules import read_rules
from registry.namespaces.verbs import Verb

__all__ = [
    "MAX_GROUPS",
    "MAX_PEOPLE",
    "add_to_group",
    "change_group",
    "make_group",
    "remove_from_group",
    "remove_group",
]

MAX_GROUPS = 100  # per namespace
MAX_PEOPLE = 500  # per group: a new role of the group rewrites the role of each
_MAX_TITLE_LENGTH = 80


def make_group(*, actor: Actor, namespace: str, title: str, name: str = "", role: str = "") -> Group:
    """Create an empty group.

    title: its display name. name: its identifier in rules and addresses, by default derived from the title; it never
    changes. role: the role of its members in the namespace; empty for none. Raises Conflict if the name is taken.
    """
    title, role = _check_title(title), _check_role(role)
    name = names.check_slug("name", name or slugify(title))
    with _open_namespace(actor, namespace) as space:
        permissions.require_proof(actor)
        group_names = list(Group.objects.filter(namespace=space).values_list("name", flat=True))
        if name in group_names:
            raise Conflict(
                gettext("There is a group {name} in {namespace} already.").format(name=name, namespace=namespace)
            )
        if len(group_names) >= MAX_GROUPS:
            raise Conflict(
                gettext("{namespace} has {most} groups already: remove one first.").format(
                    namespace=namespace, most=MAX_GROUPS
                )
            )
        at = log.now()
        group = Group.objects.create(namespace=space, name=name, title=title, role=role, created_at=at)
        log.append(actor, GroupSet(group=name, title=title, role=role or None), namespace=space, at=at, subject=space)
    return group


def change_group(
    *, actor: Actor, namespace: str, name: str, title: str | None = None, role: str | None = None
) -> Group:
    """Change the group's title or role; None keeps either, and an empty role removes it. The group's roles in folders
    end with its role.

    Raises Conflict if the namespace would be left without an admin.
    """
    with _open_group(actor, namespace, name) as group:
        title = group.title if title is None else _check_title(title)
        role = group.role if role is None else _check_role(role)
        if (title, role) == (group.title, group.role):
            return group
        permissions.require_proof(actor)
        is_role_new, group.title, group.role = role != group.role, title, role
        group.save(update_fields=["title", "role"])
        folders = roles.list_held_folders(group.namespace, group) if not role else []
        if folders:
            group.folder_roles.all().delete()
        if is_role_new:
            _settle(group.namespace, _list_people(group))
        _append(actor, group.namespace, GroupSet(group=name, title=title, role=role or None, folders=folders or None))
    return group


def remove_group(*, actor: Actor, namespace: str, name: str) -> None:
    """Remove the group; its members keep the roles that they have otherwise.

    Raises Conflict if a rule names the group, or if the namespace would be left without an admin.
    """
    with _open_group(actor, namespace, name) as group:
        _require_unused(group)
        permissions.require_proof(actor)
        people, space = _list_people(group), group.namespace
        folders = roles.list_held_folders(space, group)
        group.delete()
        _settle(space, people)
        usernames = sorted(person.username for person in people)
        event = GroupRemoved(group=name, title=group.title, people=usernames, folders=folders or None)
        _append(actor, space, event)


def add_to_group(*, actor: Actor, namespace: str, name: str, username: str) -> Group:
    """Add a person to the group; a no-op for members. Raises NotFound if there is no such active account."""
    with _open_group(actor, namespace, name) as group:
        person = User.objects.filter(username=username, is_active=True).exclude(username=OPERATOR).first()
        if person is None:
            raise NotFound(gettext("There is no active account {name}.").format(name=username[:150]))
        if group.members.filter(person=person).exists():
            return group
        permissions.require_proof(actor)
        if group.members.count() >= MAX_PEOPLE:
            raise Conflict(gettext("{title} has {most} people already.").format(title=group.title, most=MAX_PEOPLE))
        GroupMember.objects.create(group=group, person=person)
        _settle(group.namespace, [person])
        _append(actor, group.namespace, GroupJoined(group=name, title=group.title, person=username))
    return group


def remove_from_group(*, actor: Actor, namespace: str, name: str, username: str) -> Group:
    """Remove a person from the group, and the role that only the group gave them; a no-op for others.

    Raises Conflict if the namespace would be left without an admin.
    """
    with _open_group(actor, namespace, name) as group:
        member = group.members.select_related("person").filter(person__username=username).first()
        if member is None:
            return group
        permissions.require_proof(actor)
        member.delete()
        _settle(group.namespace, [member.person])
        _append(actor, group.namespace, GroupLeft(group=name, title=group.title, person=username))
    return group


@contextmanager
def _open_namespace(actor: Actor, namespace: str) -> Iterator[Namespace]:
    """The namespace in its own transaction, under the journal's lock, after checking that the actor manages it."""
    with transaction.atomic():
        log.lock()  # so that two admins can't remove each other concurrently
        yield permissions.find_namespace(actor, Verb.MANAGE, namespace)


@contextmanager
def _open_group(actor: Actor, namespace: str, name: str) -> Iterator[Group]:
    with _open_namespace(actor, namespace) as space:
        group = Group.objects.select_related("namespace").filter(namespace=space, name=name).first()
        if group is None:
            raise NotFound(
                gettext("There is no group {name} in {namespace}.").format(name=name[:64], namespace=namespace)
            )
        yield group


def _append(actor: Actor, namespace: Namespace, event: JournalEvent) -> None:
    log.append(actor, event, namespace=namespace, at=log.now(), subject=namespace)


def _settle(namespace: Namespace, people: Collection[User]) -> None:
    """Recompute the roles of these people. Raises Conflict if that leaves no admin."""
    had_admin = roles.has_active_admin(namespace)
    roles.settle_roles(namespace, people)
    if had_admin and not roles.has_active_admin(namespace):
        raise Conflict(
            gettext("{namespace} would be left without an admin: make another one first.").format(
                namespace=namespace.name
            )
        )


def _list_people(group: Group) -> list[User]:
    return list(User.objects.filter(group_memberships__group=group))


def _require_unused(group: Group) -> None:
    if group.name in read_rules(group.namespace).group_names:
        raise Conflict(
            gettext("A rule of {namespace} names the group {title}: change the rule first.").format(
                namespace=group.namespace.name, title=group.title
            )
        )


def _check_title(title: str) -> str:
    title = re.sub(r"\s+", " ", check_text("title", title, 4 * _MAX_TITLE_LENGTH)).strip()
    if not title.isprintable() or not 1 <= len(title) <= _MAX_TITLE_LENGTH:
        raise Invalid(fields={"title": gettext("1 to {most} characters, in one line.").format(most=_MAX_TITLE_LENGTH)})
    return title


def _check_role(role: str) -> str:
    if role and role not in list(Role):
        raise Invalid(fields={"role": gettext("one of {names}, or empty for none.").format(names=", ".join(Role))})
    return role
