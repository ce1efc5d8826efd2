"""Namespaces as their members see them."""

from django.db.models import Count
from django.utils.translation import ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import list_people_with_two_step
from registry.core.errors import NotAllowed
from registry.namespaces import permissions
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.permissions import MemberRoles, having_role, read_member_roles, visible_namespaces
from registry.namespaces.verbs import TABLE, Verb

__all__ = [
    "get_namespace",
    "list_admins_to_ask",
    "list_members",
    "list_members_without_two_step",
    "list_namespaces",
    "list_namespaces_closed_without_two_step",
    "list_writable_namespaces",
    "live_label",
    "require_writable_namespaces",
]

MOST_ADMINS = 5

_WRITERS = [role for role in Role if role is not Role.READER]


def list_namespaces(actor: Actor) -> list[tuple[Namespace, MemberRoles]]:
    """The namespaces the actor may read in, with the roles in each that count: for a key those in the namespace only; a
    command counts as admin.
    """
    if actor.is_operator:
        return [(namespace, MemberRoles(Role.ADMIN)) for namespace in Namespace.objects.order_by("name")]
    rows = Membership.objects.filter(person=actor.person, namespace__in=visible_namespaces(actor, Verb.BROWSE))
    return [
        (
            member.namespace,
            MemberRoles(Role(member.role)) if actor.key else read_member_roles(member.role, member.folder_roles),
        )
        for member in rows.select_related("namespace").order_by("namespace__name")
    ]


def list_writable_namespaces(actor: Actor) -> list[str]:
    """The names of the namespaces in which the actor may save something, in one of their folders at least."""
    return [space.name for space, roles in list_namespaces(actor) if roles.highest.rank >= TABLE[Verb.SAVE].rank]


def require_writable_namespaces(actor: Actor) -> list[str]:
    """As `list_writable_namespaces`. Raises NotAllowed, naming whom to ask, if there is none."""
    writable = list_writable_namespaces(actor)
    if not writable:
        admins = list_admins_to_ask()
        sentence = ngettext(
            "You are not an author in any namespace yet. Ask {names} to make you one, or choose New namespace in the "
            "menu of your account.",
            "You are not an author in any namespace yet. Ask an admin to make you one, or choose New namespace in the "
            "menu of your account. Admins: {names}.",
            len(admins),
        )
        raise NotAllowed(sentence.format(names=", ".join(admins)))
    return writable


def get_namespace(actor: Actor, name: str) -> Namespace:
    """The namespace, or NotFound for an outsider."""
    return permissions.find_namespace(actor, Verb.BROWSE, name)


def list_admins_to_ask() -> list[str]:
    """Whom a person without access asks: those who are admins of the most namespaces, `MOST_ADMINS` at most.

    Names of people only: which namespaces there are is told to their members alone.
    """
    admins = Membership.objects.filter(role=Role.ADMIN, person__is_active=True).values("person__username")
    ordered = admins.annotate(namespaces=Count("pk")).order_by("-namespaces", "person__username")
    return list(ordered.values_list("person__username", flat=True)[:MOST_ADMINS])


def list_members(actor: Actor, name: str) -> list[Membership]:
    """Who belongs to the namespace, by username; any member may ask."""
    namespace = get_namespace(actor, name)
    return list(namespace.memberships.select_related("person").order_by("person__username"))


def list_members_without_two_step(namespace: Namespace) -> list[str]:
    """Who writes in the namespace and has no two-step sign-in, by username; the caller has checked the right."""
    rows = namespace.memberships.filter(having_role(_WRITERS)).exclude(person__in=list_people_with_two_step())
    return list(rows.order_by("person__username").values_list("person__username", flat=True))


def list_namespaces_closed_without_two_step(actor: Actor) -> list[str]:
    """The namespaces, by name, in which the person can only read until they turn on two-step sign-in."""
    rows = Membership.objects.filter(person=actor.person, namespace__two_step_required=True)
    rows = rows.filter(having_role(_WRITERS))
    names = list(rows.order_by("namespace__name").values_list("namespace__name", flat=True))
    return [] if not names or actor.person.has_two_step else names


def live_label(namespace: Namespace) -> str:
    """The label that counts as live: `production` if it is protected or nothing is, else the first protected one."""
    protected = namespace.protected_labels
    return "production" if "production" in protected or not protected else str(protected[0])
