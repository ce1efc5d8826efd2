"""Creating namespaces, and setting people's roles in them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.namespaces import permissions, roles, rule_fields, rules
from registry.namespaces.events import MemberSet, NamespaceCreated
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.verbs import Verb

__all__ = ["check_role", "create_namespace", "require_may_create_namespace", "set_role"]


def require_may_create_namespace(actor: Actor) -> None:
    """Raise NotAllowed, naming the people who may, if the actor may not create namespaces."""
    if permissions.may_create_namespace(actor):
        return
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't make namespaces: sign in as a person to do this."))
    admins = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
    listed = ", ".join(admins.values_list("username", flat=True)[:3])
    if not listed:
        raise NotAllowed(gettext("Namespaces are created by the operator, with the command createnamespace."))
    raise NotAllowed(
        gettext("Namespaces are created by admins of the installation. Ask one of them: {names}.").format(names=listed)
    )


def create_namespace(
    *, actor: Actor, name: str, protected_labels: Sequence[str] = (), approvals: int = 1, **other_rules: Any
) -> Namespace:
    """Create a namespace; a person becomes its admin, a command run by the operator does not.

    Raises NotAllowed as in `require_may_create_namespace`.

    Further rules as in `registry.changes.rules.set_rules`. Those that are omitted or None come from
    `rules.make_default_rules`: the checks problems, samples, budget and contract must pass; an empty list requires no
    checks.
    """
    require_may_create_namespace(actor)
    names.check_namespace(name)
    values = {"protected_labels": list(protected_labels), "approvals": approvals, **other_rules}
    first = rule_fields.read_rules(values, rules.make_default_rules())
    rule_fields.check_two_step(actor, first)
    if first.group_names:
        field = "approval_rules" if first.approval_rules else "owners"
        sentence = gettext("a new namespace has no group yet: make it first, then set the rule.")
        raise Invalid(fields={field: sentence})
    at = log.now()
    try:
        with transaction.atomic():
            namespace = Namespace.objects.create(name=name, created_at=at, **first.to_dict())
            if not actor.is_operator:
                roles.write_own_role(namespace, actor.person, Role.ADMIN)
            admin = None if actor.is_operator else actor.person.username
            event = NamespaceCreated(name=name, rules=first.to_dict(), admin=admin)
            log.append(actor, event, namespace=namespace, at=at)
    except IntegrityError as error:
        raise Conflict(gettext("There is a namespace {name} already.").format(name=name)) from error
    return namespace


def set_role(
    *,
    actor: Actor,
    namespace: str,
    username: str,
    role: str | None,
    invitation: str | None = None,
    at: datetime | None = None,
) -> Membership | None:
    """Set a person's own role, or with None remove it together with their roles in folders; admins only. The last admin
    can't step down.

    Returns the resulting membership, None without one: a group may give a higher role, or the only one.

    invitation: the id of the invitation that gives the role. at: the time of the event, by default now.
    """
    check_role(role)
    with transaction.atomic():
        log.lock()  # so that two admins can't remove each other concurrently
        space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        person = User.objects.filter(username=username, is_active=True).exclude(username=OPERATOR).first()
        if person is None:
            raise NotFound(gettext("There is no active account {name}.").format(name=username[:150]))
        member = Membership.objects.filter(namespace=space, person=person).first()
        if (member.own_role if member else "") == (role or ""):
            return member
        permissions.require_proof(actor)
        was_admin = member is not None and member.role == Role.ADMIN
        folders = roles.list_held_folders(space, person) if role is None else []
        member = roles.write_own_role(space, person, role or "")
        if was_admin and not roles.has_active_admin(space):
            raise Conflict(
                gettext("{username} is the last admin of {namespace}: make another one first.").format(
                    username=person.username, namespace=space.name
                )
            )
        event = MemberSet(person=username, role=role, invitation=invitation, folders=folders or None)
        log.append(actor, event, namespace=space, at=at or log.now(), subject=space)
    return member


def check_role(role: str | None) -> None:
    """Raise Invalid for an unknown role; None, for removing one, is valid."""
    if role is not None and role not in list(Role):
        raise Invalid(fields={"role": gettext("one of {names}.").format(names=", ".join(Role))})
