"""Setting a person's role where what it takes from the open requests of the namespace was read before."""

import hashlib
from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import gate as change_gate
from registry.changes import policy
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.namespaces import permissions, roles, services
from registry.namespaces.models import Membership, Namespace
from registry.namespaces.verbs import Verb

__all__ = ["RoleEffects", "RoleLosses", "find_role_effects", "set_role"]

_MOST_CHANGES = 500  # that are weighed; the newest


@dataclass(frozen=True)
class RoleEffects:
    """What is lost with another role. role_before: the person's own role until then, empty for none. approvals,
    objections: numbers of the open requests where the person's decision counts no more. without_approvers: those that
    nobody, or too few, can approve then. folders: where a role of the person ends with their role in the namespace.
    """

    username: str
    role_before: str = ""
    approvals: tuple[int, ...] = ()
    objections: tuple[int, ...] = ()
    without_approvers: tuple[int, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """One sentence for each loss; empty where nothing is lost."""
        approval = gettext("{username}'s approval of change {number} will not count any more.")
        objection = gettext("{username} asked for edits of change {number}: that will not block it any more.")
        approvers = gettext("Too few people will be left who can approve change {number}.")
        found = [
            sentence.format(username=self.username, number=number)
            for sentence, numbers in (
                (approval, self.approvals),
                (objection, self.objections),
                (approvers, self.without_approvers),
            )
            for number in numbers
        ]
        if self.folders:
            ends = gettext("{username}'s roles in folders end too, and Undo doesn't give them back: {folders}.")
            found.append(ends.format(username=self.username, folders=", ".join(self.folders)))
        return found

    @property
    def seal(self) -> str:
        """A digest over all of it: another one where anything changed since somebody read it."""
        facts = (self.username, self.approvals, self.objections, self.without_approvers, self.folders)
        return hashlib.sha256(repr(facts).encode()).hexdigest()


def find_role_effects(actor: Actor, namespace: str, username: str, role: str | None) -> RoleEffects:
    """What is lost where `namespaces.services.set_role` gives the person this role, or takes theirs with None.

    Admins only; nothing is stored. Invalid for an unknown role. The role is written and rolled back, so that the rules
    of groups, folders and approvals are those of the real act.
    """
    services.check_role(role)
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    member = Membership.objects.filter(namespace=space, person__username=username).select_related("person").first()
    if member is None:
        return RoleEffects(username)
    if member.own_role == (role or ""):
        return RoleEffects(username, member.own_role)
    changes = _list_open_changes(space)
    before = change_gate.evaluate_many(changes, actor, with_checks=False)
    with transaction.atomic():
        folders = () if role else tuple(roles.list_held_folders(space, member.person))
        roles.write_own_role(space, member.person, role or "")
        after = change_gate.evaluate_many(changes, actor, with_checks=False)
        transaction.set_rollback(True)
    pairs = list(zip(before, after, strict=True))
    return RoleEffects(
        username,
        member.own_role,
        approvals=tuple(now.change.number for now, then in pairs if _loses_approval(now, then, member.person)),
        objections=tuple(now.change.number for now, then in pairs if _loses_objection(now, then, member.person)),
        without_approvers=tuple(now.change.number for now, then in pairs if _loses_approvers(now, then)),
        folders=folders,
    )


class RoleLosses(Conflict):
    """Something is lost with the role, and nobody confirmed it; nothing was changed."""

    def __init__(self, effects: RoleEffects) -> None:
        again = gettext("Nothing was changed: send it again with the seal as confirmed to do it all the same.")
        sentences = effects.sentences
        super().__init__(" ".join([*sentences, again]), losses=sentences, seal=effects.seal)
        self.effects = effects


def set_role(
    *, actor: Actor, namespace: str, username: str, role: str | None, confirmed: str = ""
) -> tuple[Membership | None, RoleEffects]:
    """Give a person a role of their own, or with None take it away, as `namespaces.services.set_role` does.

    confirmed: the seal of the effects that were read. RoleLosses where something is lost and it is another one. The
    membership that follows, None where there is none, and what was lost.
    """
    effects = find_role_effects(actor, namespace, username, role)
    if effects.sentences and confirmed != effects.seal:
        raise RoleLosses(effects)
    return services.set_role(actor=actor, namespace=namespace, username=username, role=role), effects


def _list_open_changes(namespace: Namespace) -> list[ChangeRequest]:
    """The open requests of the namespace, the oldest first."""
    rows = ChangeRequest.objects.pending().filter(template__namespace=namespace, template__archived_at=None)
    related = ("template__latest", "template__namespace", "version__author", "opened_by", "release__namespace")
    listed = rows.select_related(*related).defer("version__bundle", "template__latest__bundle").order_by("-number")
    return list(listed[:_MOST_CHANGES])[::-1]


def _loses_approval(now: Gate, then: Gate, person: User) -> bool:
    return person.username in now.approval_status.approvals and person.username not in then.approval_status.approvals


def _loses_objection(now: Gate, then: Gate, person: User) -> bool:
    return person.username in now.approval_status.objections and person.username not in then.approval_status.objections


def _loses_approvers(now: Gate, then: Gate) -> bool:
    return not policy.lacks_approvers(now.rules, now.facts) and policy.lacks_approvers(then.rules, then.facts)
