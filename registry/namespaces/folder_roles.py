"""Roles in folders: setting and removing them, and moving them when a folder is renamed.

A role in a folder adds to a role in the namespace. So it requires the holder's own role there, and ends with it.
"""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotFound
from registry.journal import log
from registry.namespaces import permissions, roles
from registry.namespaces.folder_role_events import FolderRoleSet
from registry.namespaces.models import FOLDER_ROLES, FolderRole, Group, Membership, Namespace
from registry.namespaces.verbs import Verb

__all__ = ["MAX_FOLDER_ROLES", "list_folder_roles", "move_folder_roles", "require_movable_roles", "set_folder_role"]

MAX_FOLDER_ROLES = 500  # per namespace


def set_folder_role(
    *, actor: Actor, namespace: str, folder: str, role: str | None, person: str | None = None, group: str | None = None
) -> FolderRole | None:
    """Set the role of a person or a group in a folder, or remove it with None; for admins of the namespace.

    folder: inside the namespace, as in `refunds` or `refunds/europe`; it needs no templates yet. role: author or
    reviewer, in addition to their role in the namespace. Exactly one of person (a username) and group (a name). Raises
    Conflict if the person or the group has no role of their own in the namespace.
    """
    if role is not None and role not in FOLDER_ROLES:
        raise Invalid(
            fields={
                "role": gettext("one of {names}: the other roles are of the whole namespace.").format(
                    names=", ".join(FOLDER_ROLES)
                )
            }
        )
    if (person is None) == (group is None):
        raise Invalid(fields={"person": gettext("say either a person or a group.")})
    with transaction.atomic():
        log.lock()
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        folder = _check_folder(space, folder)
        holder = _find_person(person) if person is not None else _find_group(space, group or "")
        rows = _list_rows(space, folder, holder)
        before = rows.first()
        if (before.role if before else None) == role:
            return before
        permissions.require_proof(actor)
        if role is not None:
            _require_own_role(space, holder)
            if before is None and FolderRole.objects.filter(namespace=space).count() >= MAX_FOLDER_ROLES:
                raise Conflict(
                    gettext("{namespace} has {most} roles in folders already: take one away first.").format(
                        namespace=space.name, most=MAX_FOLDER_ROLES
                    )
                )
        roles.write_folder_role(space, folder, holder, role or "")
        log.append(actor, _build_event(folder, holder, role), namespace=space, at=log.now(), subject=space)
        return rows.first()


def list_folder_roles(actor: Actor, namespace: str) -> list[FolderRole]:
    """List the roles in folders of the namespace, by folder; for any member."""
    space = permissions.find_namespace(actor, Verb.BROWSE, namespace)
    rows = FolderRole.objects.filter(namespace=space).select_related("person", "group", "namespace")
    return list(rows.order_by("folder", "group__title", "person__username"))


def move_folder_roles(actor: Actor, namespace: Namespace, former: str, folder: str) -> None:
    """Move the roles of a folder and its subfolders to its new name; for the renaming service, which holds the
    journal's lock and has renamed the templates.
    """
    for row in _list_inside(namespace, former):
        before, holder = row.folder, row.person or row.group
        if holder is None:
            continue
        target = folder + before.removeprefix(former)
        roles.write_folder_role(namespace, before, holder, "")
        roles.write_folder_role(namespace, target, holder, row.role)
        event = _build_event(target, holder, row.role, former=before)
        log.append(actor, event, namespace=namespace, at=log.now(), subject=namespace)


def require_movable_roles(namespace: Namespace, former: str, folder: str, *, has_templates: bool) -> None:
    """Raise Conflict if the folder's roles can't move with it: to the top of the namespace, or into a folder that
    already has templates or roles, since the roles would then cover those templates.
    """
    rows = _list_inside(namespace, former)
    if not rows or (folder and not has_templates and not _list_inside(namespace, folder)):
        return
    holders = [row.holder_name for row in rows]
    raise Conflict(
        gettext(
            "{names} would get the same role for more templates: take the roles in {folder} away first, or give it a "
            "name that no folder has."
        ).format(names=", ".join(dict.fromkeys(holders)), folder=former)
    )


def _list_inside(namespace: Namespace, folder: str) -> list[FolderRole]:
    rows = FolderRole.objects.filter(Q(folder=folder) | Q(folder__startswith=f"{folder}/"), namespace=namespace)
    return list(rows.select_related("person", "group").order_by("folder", "pk"))


def _list_rows(namespace: Namespace, folder: str, holder: User | Group) -> QuerySet[FolderRole]:
    rows = FolderRole.objects.filter(namespace=namespace, folder=folder)
    return rows.filter(group=holder) if isinstance(holder, Group) else rows.filter(person=holder)


def _build_event(folder: str, holder: User | Group, role: str | None, former: str | None = None) -> FolderRoleSet:
    if isinstance(holder, Group):
        return FolderRoleSet(folder=folder, role=role, group=holder.name, title=holder.title, former=former)
    return FolderRoleSet(folder=folder, role=role, person=holder.username, former=former)


def _check_folder(namespace: Namespace, folder: str) -> str:
    folder = folder.strip().strip("/")
    if not folder:
        raise Invalid(fields={"folder": gettext("name a folder; a role in the whole namespace is given to a member.")})
    names.check_folder(f"{namespace.name}/{folder}")
    return folder


def _find_person(username: str) -> User:
    person = User.objects.filter(username=username, is_active=True).exclude(username=OPERATOR).first()
    if person is None:
        raise NotFound(gettext("There is no active account {name}.").format(name=username[:150]))
    return person


def _find_group(namespace: Namespace, name: str) -> Group:
    group = Group.objects.filter(namespace=namespace, name=name).first()
    if group is None:
        raise NotFound(
            gettext("There is no group {name} in {namespace}.").format(name=name[:64], namespace=namespace.name)
        )
    return group


def _require_own_role(namespace: Namespace, holder: User | Group) -> None:
    """Raise Conflict without a role in the namespace: reading needs one, so a folder role alone has no effect."""
    if isinstance(holder, Group):
        if holder.role:
            return
        sentence = gettext(
            "The group {title} has no role in {namespace}: give it one first, reader is enough. A role in a folder "
            "adds to it."
        )
        raise Conflict(sentence.format(title=holder.title, namespace=namespace.name))
    if Membership.objects.filter(namespace=namespace, person=holder).exclude(own_role="").exists():
        return
    sentence = gettext(
        "{username} has no role of their own in {namespace}: give one first, reader is enough. A role in a folder "
        "adds to it."
    )
    raise Conflict(sentence.format(username=holder.username, namespace=namespace.name))
