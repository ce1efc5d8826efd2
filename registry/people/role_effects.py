"""Setting a person's role after its effects on open requests of the namespace were confirmed."""

import hashlib
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict
from registry.namespaces import permissions, roles, services
from registry.namespaces.models import Membership
from registry.namespaces.verbs import Verb
from registry.people.access_losses import AccessLosses, preview_act

__all__ = ["RoleEffects", "RoleLosses", "find_role_effects", "set_role"]


@dataclass(frozen=True)
class RoleEffects:
    """The losses from another role. role_before: the person's own role until then, empty without one."""

    username: str
    role_before: str = ""
    losses: AccessLosses = field(default_factory=AccessLosses)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders in which a role of the person ends with their role in the namespace."""
        return tuple(folder for _, folder in self.losses.folders)

    @property
    def sentences(self) -> list[str]:
        """One sentence for each loss; empty if nothing is lost."""
        sentences = replace(self.losses, folders=()).sentences
        if self.folders:
            ends = gettext("{username}'s roles in folders end too, and Undo doesn't give them back: {folders}.")
            sentences.append(ends.format(username=self.username, folders=", ".join(self.folders)))
        return sentences

    @property
    def seal(self) -> str:
        """A digest over all of it, which changes if anything changed since it was read."""
        return hashlib.sha256(f"{self.username} {self.losses.seal}".encode()).hexdigest()


def find_role_effects(actor: Actor, namespace: str, username: str, role: str | None) -> RoleEffects:
    """The losses if `namespaces.services.set_role` gives the person this role, or removes theirs with None.

    Admins only; nothing is stored. Raises Invalid for an unknown role. The role is written and rolled back, so that the
    rules of groups, folders and approvals are those of the real action.
    """
    services.check_role(role)
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    member = Membership.objects.filter(namespace=space, person__username=username).select_related("person").first()
    if member is None:
        return RoleEffects(username)
    if member.own_role == (role or ""):
        return RoleEffects(username, member.own_role)
    losses = preview_act(actor, namespace, lambda _: roles.write_own_role(space, member.person, role or ""))
    return RoleEffects(username, member.own_role, losses)


class RoleLosses(Conflict):
    """The role loses something without confirmation; nothing was changed."""

    def __init__(self, effects: RoleEffects) -> None:
        again = gettext("Nothing was changed: send it again with the seal as confirmed to do it all the same.")
        sentences = effects.sentences
        super().__init__(" ".join([*sentences, again]), losses=sentences, seal=effects.seal)
        self.effects = effects


def set_role(
    *, actor: Actor, namespace: str, username: str, role: str | None, confirmed: str = ""
) -> tuple[Membership | None, RoleEffects]:
    """Set a person's own role, or remove it with None, as in `namespaces.services.set_role`.

    confirmed: the seal of the effects that were shown. Raises RoleLosses if something is lost and the seal differs.
    Returns the resulting membership, None without one, and the losses.
    """
    effects = find_role_effects(actor, namespace, username, role)
    if effects.sentences and confirmed != effects.seal:
        raise RoleLosses(effects)
    return services.set_role(actor=actor, namespace=namespace, username=username, role=role), effects
