"""Changing groups and folder roles after their effects on open requests and rollouts were confirmed."""

from collections.abc import Callable

from registry.accounts.actor import Actor
from registry.namespaces import folder_roles, groups
from registry.namespaces.models import FolderRole, Group
from registry.people.access_losses import AccessLosses, do_confirmed, preview_act

__all__ = [
    "change_group",
    "preview_folder_role",
    "preview_group",
    "preview_leaving",
    "remove_from_group",
    "remove_group",
    "set_folder_role",
]


def change_group(
    *,
    actor: Actor,
    namespace: str,
    name: str,
    title: str | None = None,
    role: str | None = None,
    confirmed: str = "",
) -> Group:
    """Change the group's title or role, as in `groups.change_group`. confirmed: the seal of the losses that were shown.
    Raises UnconfirmedLosses if something is lost and the seal differs.
    """
    return do_confirmed(
        actor,
        namespace,
        lambda: groups.change_group(actor=actor, namespace=namespace, name=name, title=title, role=role),
        confirmed,
    )


def remove_group(*, actor: Actor, namespace: str, name: str, confirmed: str = "") -> None:
    """Remove the group, as in `groups.remove_group`; `confirmed` as in `change_group`."""
    do_confirmed(actor, namespace, lambda: groups.remove_group(actor=actor, namespace=namespace, name=name), confirmed)


def remove_from_group(*, actor: Actor, namespace: str, name: str, username: str, confirmed: str = "") -> Group:
    """Remove a person from the group, as in `groups.remove_from_group`; `confirmed` as in `change_group`."""
    return do_confirmed(
        actor,
        namespace,
        lambda: groups.remove_from_group(actor=actor, namespace=namespace, name=name, username=username),
        confirmed,
    )


def set_folder_role(
    *,
    actor: Actor,
    namespace: str,
    folder: str,
    role: str | None,
    person: str | None = None,
    group: str | None = None,
    confirmed: str = "",
) -> FolderRole | None:
    """Set or remove a role in a folder, as in `folder_roles.set_folder_role`; `confirmed` as in `change_group`."""
    act = _prepare_folder_role(namespace, folder, role, person, group)
    return do_confirmed(actor, namespace, lambda: act(actor), confirmed, with_folders=False)


def preview_group(actor: Actor, namespace: str, name: str, role: str | None) -> AccessLosses:
    """Preview the losses if the group gets this role (empty for none), or is removed with None. Nothing is stored."""
    if role is None:
        return preview_act(
            actor, namespace, lambda tried: groups.remove_group(actor=tried, namespace=namespace, name=name)
        )
    return preview_act(
        actor, namespace, lambda tried: groups.change_group(actor=tried, namespace=namespace, name=name, role=role)
    )


def preview_leaving(actor: Actor, namespace: str, name: str, username: str) -> AccessLosses:
    """Preview the losses if the person is removed from the group. Nothing is stored."""
    return preview_act(
        actor,
        namespace,
        lambda tried: groups.remove_from_group(actor=tried, namespace=namespace, name=name, username=username),
    )


def preview_folder_role(
    actor: Actor, namespace: str, folder: str, role: str | None, person: str | None, group: str | None
) -> AccessLosses:
    """Preview the losses if the role in the folder is set, or removed with None. Nothing is stored."""
    act = _prepare_folder_role(namespace, folder, role, person, group)
    return preview_act(actor, namespace, act, with_folders=False)


def _prepare_folder_role(
    namespace: str, folder: str, role: str | None, person: str | None, group: str | None
) -> Callable[[Actor], FolderRole | None]:
    return lambda actor: folder_roles.set_folder_role(
        actor=actor, namespace=namespace, folder=folder, role=role, person=person, group=group
    )
