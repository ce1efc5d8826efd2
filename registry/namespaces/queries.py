"""Queries about namespaces for their members."""

from django.db.models import Count
from django.utils.translation import gettext, ngettext

from registry.accounts.actor import Actor
from registry.accounts.models import list_people_with_two_step
from registry.core.errors import NotAllowed
from registry.namespaces import permissions
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.permissions import MemberRoles, filter_by_role, list_visible_namespaces, read_member_roles
from registry.namespaces.verbs import TABLE, Verb

__all__ = [
    "choose_live_label",
    "get_namespace",
    "has_namespaces",
    "list_admins_to_ask",
    "list_members",
    "list_members_without_two_step",
    "list_namespaces",
    "list_namespaces_closed_without_two_step",
    "list_writable_namespaces",
    "require_writable_namespaces",
]

MAX_ADMINS = 5

_WRITERS = [role for role in Role if role is not Role.READER]


def list_namespaces(actor: Actor) -> list[tuple[Namespace, MemberRoles]]:
    """List the namespaces that the actor may read in, with the actor's effective roles: for a key only those in the
    namespace itself; a command counts as admin.
    """
    if actor.is_operator:
        return [(namespace, MemberRoles(Role.ADMIN)) for namespace in Namespace.objects.order_by("name")]
    rows = Membership.objects.filter(person=actor.person, namespace__in=list_visible_namespaces(actor, Verb.BROWSE))
    return [
        (
            member.namespace,
            MemberRoles(Role(member.role)) if actor.key else read_member_roles(member.role, member.folder_roles),
        )
        for member in rows.select_related("namespace").order_by("namespace__name")
    ]


def list_writable_namespaces(actor: Actor) -> list[str]:
    """List the names of the namespaces in which the actor may save something, in at least one folder."""
    return [space.name for space, roles in list_namespaces(actor) if roles.highest.rank >= TABLE[Verb.SAVE].rank]


def require_writable_namespaces(actor: Actor) -> list[str]:
    """Like `list_writable_namespaces`. Raises NotAllowed, naming the admins to ask, if there are none."""
    writable = list_writable_namespaces(actor)
    if not writable:
        raise NotAllowed(_explain_no_namespace(actor))
    return writable


def _explain_no_namespace(actor: Actor) -> str:
    """Why the actor can't write anywhere, with whom to ask or what to do."""
    may_create = permissions.may_create_namespace(actor)
    if not has_namespaces():
        sentence = gettext("There is no namespace yet.")
        if not may_create:
            advice = gettext("Whoever runs the server creates the first, with manage.py createnamespace.")
            return f"{sentence} {advice}"
    elif admins := list_admins_to_ask():
        sentence = ngettext(
            "You are not an author in any namespace yet. Ask {names} to make you one.",
            "You are not an author in any namespace yet. Ask one of the admins to make you one: {names}.",
            len(admins),
        ).format(names=", ".join(admins))
    else:
        sentence = gettext("You are not an author in any namespace yet.")
    if may_create:
        advice = gettext("You can create one: choose New namespace in the menu of your account.")
        return f"{sentence} {advice}"
    return sentence


def get_namespace(actor: Actor, name: str) -> Namespace:
    """The namespace. Raises NotFound for an outsider."""
    return permissions.find_namespace(actor, Verb.BROWSE, name)


def has_namespaces() -> bool:
    """Whether there is any namespace, readable or not."""
    return Namespace.objects.exists()


def list_admins_to_ask() -> list[str]:
    """List the people to ask for access: the admins of the most namespaces, up to `MAX_ADMINS`.

    Returns names of people only, since only members may see which namespaces exist.
    """
    admins = Membership.objects.filter(role=Role.ADMIN, person__is_active=True).values("person__username")
    ordered = admins.annotate(namespaces=Count("pk")).order_by("-namespaces", "person__username")
    return list(ordered.values_list("person__username", flat=True)[:MAX_ADMINS])


def list_members(actor: Actor, name: str) -> list[Membership]:
    """List the members of the namespace by username; for any member."""
    namespace = get_namespace(actor, name)
    return list(namespace.memberships.select_related("person").order_by("person__username"))


def list_members_without_two_step(namespace: Namespace) -> list[str]:
    """List the members who may write but have no two-step sign-in, by username; the caller has checked permissions."""
    rows = namespace.memberships.filter(filter_by_role(_WRITERS)).exclude(person__in=list_people_with_two_step())
    return list(rows.order_by("person__username").values_list("person__username", flat=True))


def list_namespaces_closed_without_two_step(actor: Actor) -> list[str]:
    """List the namespaces, by name, where the person can only read until they turn on two-step sign-in."""
    rows = Membership.objects.filter(person=actor.person, namespace__two_step_required=True)
    rows = rows.filter(filter_by_role(_WRITERS))
    names = list(rows.order_by("namespace__name").values_list("namespace__name", flat=True))
    return [] if not names or actor.person.has_two_step else names


def choose_live_label(namespace: Namespace) -> str:
    """The label that counts as live: `production` if it is protected or no label is, else the first protected one."""
    protected = namespace.protected_labels
    return "production" if "production" in protected or not protected else str(protected[0])
