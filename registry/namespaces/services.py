"""Members: who is what in a namespace."""

from django.db import transaction

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core.errors import Conflict, Invalid, NotFound
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.events import MemberSet
from registry.namespaces.models import Membership, Namespace
from registry.namespaces.permissions import Role, Verb

__all__ = ["set_role"]


def set_role(*, actor: Actor, namespace: str, username: str, role: str | None) -> Membership | None:
    """Give a person a role, or with None take their membership away; admins only. The last admin can't step down."""
    if role is not None and role not in list(Role):
        raise Invalid(fields={"role": f"one of {', '.join(Role)}."})
    with transaction.atomic():
        log.lock()  # so that two admins can't take each other's role away at once
        found = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        person = User.objects.filter(username=username, is_active=True).exclude(username=OPERATOR).first()
        if person is None:
            raise NotFound(f"There is no active account {username[:150]}.")
        member = Membership.objects.filter(namespace=found, person=person).first()
        if (member.role if member else None) == role:
            return member
        permissions.require_proof(actor)
        if member is not None and member.role == Role.ADMIN:
            _require_other_admin(found, person)
        if role is None:
            Membership.objects.filter(namespace=found, person=person).delete()
            member = None
        else:
            member, _ = Membership.objects.update_or_create(namespace=found, person=person, defaults={"role": role})
        log.append(actor, MemberSet(person=username, role=role), namespace=found, at=log.now(), subject=found)
    return member


def _require_other_admin(namespace: Namespace, person: User) -> None:
    others = Membership.objects.filter(namespace=namespace, role=Role.ADMIN, person__is_active=True)
    if not others.exclude(person=person).exists():
        raise Conflict(f"{person.username} is the last admin of {namespace.name}: make another one first.")
