"""Namespaces and their rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction

from registry.accounts.actor import Actor
from registry.changes import locking, protection_plan
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces import rules as reading
from registry.namespaces.events import NamespaceCreated, NamespaceRuled
from registry.namespaces.models import Membership, Namespace
from registry.namespaces.permissions import Role, Verb
from registry.namespaces.rules import Rules
from registry.templates.models import Label

__all__ = ["RulesUpdate", "create_namespace", "set_rules"]


@dataclass(frozen=True)
class RulesUpdate:
    """A namespace with its new rules, and the change requests that were opened because labels became protected."""

    namespace: Namespace
    opened: tuple[ChangeRequest, ...]


def create_namespace(
    *, actor: Actor, name: str, protected_labels: Sequence[str] = (), approvals: int = 1, **rules: Any
) -> Namespace:
    """Make a namespace; a person who does becomes its admin, a command on the machine does not.

    Further rules as in `set_rules`. Those not given, or given as None, are those of `rules.first_rules`: the checks
    problems, samples, budget and contract must pass; an empty list of checks asks for none.
    """
    if actor.key is not None:
        raise NotAllowed("A key can't make namespaces: sign in as a person to do this.")
    names.check_namespace(name)
    given = {"protected_labels": list(protected_labels), "approvals": approvals, **rules}
    asked = reading.read(given, reading.first_rules())
    at = log.now()
    try:
        with transaction.atomic():
            namespace = Namespace.objects.create(name=name, created_at=at, **asked.to_dict())
            if not actor.is_operator:
                Membership.objects.create(namespace=namespace, person=actor.person, role=Role.ADMIN)
            admin = None if actor.is_operator else actor.person.username
            event = NamespaceCreated(name=name, rules=asked.to_dict(), admin=admin)
            log.append(actor, event, namespace=namespace, at=at)
    except IntegrityError as error:
        raise Conflict(f"There is a namespace {name} already.") from error
    return namespace


def set_rules(*, actor: Actor, namespace: str, **rules: Any) -> RulesUpdate:
    """Change rules; those not given, or given as None, stay. Admins only.

    Protecting a label approves nothing that it serves: for each template where it serves what it never held by approval
    a change request is opened, by the actor, that proposes exactly that.

    protected_labels: names. approvals: 0 to 20. self_approval, suggesters_may_approve, break_glass,
    keys_approved_only: bool. required_checks: of `registry.namespaces.rules.CHECKS`. compatibility: none or backward. owners: [{"pattern", "people": [usernames]}].
    One event, then one a request, as in `changes.propose`.
    """
    with transaction.atomic():
        log.lock()  # whoever moves a label decides by rules that hold until then
        found = permissions.find_namespace(actor, Verb.MANAGE, namespace)
        before = namespace_queries.rules_of(found)
        after = reading.read(rules, before)
        _check_owners(found, after)
        if after == before:
            return RulesUpdate(found, ())
        permissions.require_proof(actor)
        for field, value in after.values().items():
            setattr(found, field, value)
        found.save()
        locking.recompute_states(found)
        log.append(actor, NamespaceRuled(rules=after.to_dict()), namespace=found, at=log.now())
        opened = [_ask_approval(actor, found, row) for row in protection_plan.unapproved_labels(found, before, after)]
    return RulesUpdate(found, tuple(opened))


def _ask_approval(actor: Actor, namespace: Namespace, row: Label) -> ChangeRequest:
    row.template.namespace = namespace
    message = (
        f"Approve what {row.name} serves\n\n{row.name} of {row.template.name} served version {row.version.number} when it was "
        f"protected, and never held it by approval. It goes on serving it. Publishing this request approves it."
    )
    return change_services.create_change(
        actor=actor, template=row.template, label=row.name, head=row.version, message=message
    )


def _check_owners(namespace: Namespace, rules: Rules) -> None:
    members = set(namespace.memberships.values_list("person__username", flat=True))
    strangers = sorted({person for owner in rules.owners for person in owner.people} - members)
    if strangers:
        raise Invalid(fields={"owners": f"{', '.join(strangers)}: no member of {namespace.name}."})
