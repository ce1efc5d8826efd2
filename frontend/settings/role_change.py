"""Setting a user's role from a page: losses are shown before, and the change can be undone afterwards."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest
from django.template.loader import render_to_string

from registry.accounts.actor import Actor
from registry.namespaces.models import Membership, Role
from registry.people import role_effects
from registry.people.role_effects import RoleEffects, RoleLosses

__all__ = ["RoleToConfirm", "change_role"]


@dataclass(frozen=True)
class RoleToConfirm:
    """A chosen role that isn't set yet, because something would be lost. role: empty to remove the user."""

    username: str
    namespace: str
    role: str
    effects: RoleEffects


def change_role(
    request: HttpRequest,
    actor: Actor,
    namespace: str,
    username: str,
    role: str | None,
    describe: Callable[[Membership | None], str],
) -> RoleToConfirm | None:
    """Set the role, add a message with an undo button to the next page, and return None.

    If something would be lost, the role is set only if `confirmed` in the form is the seal of the displayed losses;
    otherwise they are returned. describe: returns the message for the resulting membership.
    """
    try:
        member, effects = role_effects.set_role(
            actor=actor,
            namespace=namespace,
            username=username,
            role=role,
            confirmed=request.POST.get("confirmed", ""),
        )
    except RoleLosses as refused:
        return RoleToConfirm(username, namespace, role or "", refused.effects)
    is_own_right = username == actor.person.username and role != Role.ADMIN
    context = {
        "sentence": describe(member),
        "username": username,
        "namespace": namespace,
        "role_before": effects.role_before,
        "has_undo": effects.role_before != (role or "") and not is_own_right and not effects.folders,
    }
    messages.success(request, render_to_string("frontend/settings/_role_saved.html", context, request))
    return None
