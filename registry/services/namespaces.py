"""Namespaces and their rules."""

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction

from registry import access, journal, names
from registry.access import Actor, Role, Verb
from registry.errors import Conflict, Invalid, NotAllowed
from registry.journal import Kind
from registry.models import Membership, Namespace
from registry.queries import namespaces
from registry.review import rules as reading
from registry.review.rules import Rules
from registry.services import pending

__all__ = ["create", "set_rules"]


def create(
    *, actor: Actor, name: str, protected_labels: Sequence[str] = (), approvals: int = 1, **rules: Any
) -> Namespace:
    """Make a namespace; a person who does becomes its admin, a command on the machine does not.

    Further rules as in `set_rules`. Event body: {"name", "rules", "admin": username or null}.
    """
    if actor.key is not None:
        raise NotAllowed("A key can't make namespaces: sign in as a person to do this.")
    names.check_namespace(name)
    given = {"protected_labels": list(protected_labels), "approvals": approvals, **rules}
    asked = reading.read(given, Rules())
    at = journal.now()
    try:
        with transaction.atomic():
            namespace = Namespace.objects.create(name=name, created_at=at, **asked.to_dict())
            if not actor.is_operator:
                Membership.objects.create(namespace=namespace, person=actor.person, role=Role.ADMIN)
            admin = None if actor.is_operator else actor.person.username
            body = {"name": name, "rules": asked.to_dict(), "admin": admin}
            journal.append(Kind.NAMESPACE_CREATED, actor, namespace, body, at=at)
    except IntegrityError as error:
        raise Conflict(f"There is a namespace {name} already.") from error
    return namespace


def set_rules(*, actor: Actor, namespace: str, **rules: Any) -> Namespace:
    """Change rules; those not given, or given as None, stay. Admins only.

    protected_labels: names. approvals: 0 to 20. self_approval, suggesters_may_approve, break_glass, keys_approved_only:
    bool. required_checks: of `registry.review.rules.CHECKS`. compatibility: none or backward. owners: [{"pattern", "people": [usernames]}].
    Event body: {"rules"}, all of them as they are now.
    """
    with transaction.atomic():
        journal.lock()  # whoever moves a label decides by rules that hold until then
        found = access.find_namespace(actor, Verb.MANAGE, namespace)
        before = namespaces.rules_of(found)
        after = reading.read(rules, before)
        _check_owners(found, after)
        if after == before:
            return found
        for field, value in after.values().items():
            setattr(found, field, value)
        found.save()
        pending.reassess(found)
        journal.append(Kind.NAMESPACE_RULED, actor, found, {"rules": after.to_dict()}, at=journal.now())
    return found


def _check_owners(namespace: Namespace, rules: Rules) -> None:
    members = set(namespace.memberships.values_list("person__username", flat=True))
    strangers = sorted({person for owner in rules.owners for person in owner.people} - members)
    if strangers:
        raise Invalid(fields={"owners": f"{', '.join(strangers)}: no member of {namespace.name}."})
