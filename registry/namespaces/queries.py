"""Namespaces as their members see them."""

from django.db.models import QuerySet

from registry.accounts.actor import Actor
from registry.namespaces import permissions
from registry.namespaces.models import Membership, Namespace
from registry.namespaces.permissions import Role, Verb
from registry.namespaces.rules import Owner, Rules

__all__ = ["get_namespace", "list_members", "list_namespaces", "live_label", "rules_of", "visible_namespaces"]


def visible_namespaces(actor: Actor, verb: Verb = Verb.READ) -> QuerySet[Namespace]:
    """The namespaces the actor may read or browse in: those of the person, for a key only its own, for a command all.

    NotAllowed for a key that was not given the verb read, and for a narrow one unless it only browses.
    """
    permissions.require_key(actor, verb)
    if actor.is_operator:
        return Namespace.objects.all()
    if not actor.person.is_active:
        return Namespace.objects.none()
    rows = Namespace.objects.filter(memberships__person=actor.person)
    return rows.filter(pk=actor.key.namespace_id) if actor.key else rows


def list_namespaces(actor: Actor) -> list[tuple[Namespace, Role]]:
    """The namespaces the actor may read in, with the person's role in each; a command counts as admin."""
    if actor.is_operator:
        return [(namespace, Role.ADMIN) for namespace in Namespace.objects.order_by("name")]
    roles = Membership.objects.filter(person=actor.person, namespace__in=visible_namespaces(actor, Verb.BROWSE))
    return [
        (member.namespace, Role(member.role))
        for member in roles.select_related("namespace").order_by("namespace__name")
    ]


def get_namespace(actor: Actor, name: str) -> Namespace:
    """The namespace, or NotFound for an outsider."""
    return permissions.find_namespace(actor, Verb.BROWSE, name)


def list_members(actor: Actor, name: str) -> list[Membership]:
    """Who belongs to the namespace, by username; any member may ask."""
    namespace = get_namespace(actor, name)
    return list(namespace.memberships.select_related("person").order_by("person__username"))


def rules_of(namespace: Namespace) -> Rules:
    """The row's rules as the policy reads them."""
    return Rules(
        protected_labels=tuple(namespace.protected_labels),
        approvals=namespace.approvals,
        self_approval=namespace.self_approval,
        suggesters_may_approve=namespace.suggesters_may_approve,
        required_checks=tuple(namespace.required_checks),
        compatibility=namespace.compatibility,
        owners=tuple(Owner(owner["pattern"], tuple(owner["people"])) for owner in namespace.owners),
        break_glass=namespace.break_glass,
        keys_approved_only=namespace.keys_approved_only,
    )


def live_label(namespace: Namespace) -> str:
    """The label that counts as live: `production` if it is protected or nothing is, else the first protected one."""
    protected = namespace.protected_labels
    return "production" if "production" in protected or not protected else str(protected[0])
