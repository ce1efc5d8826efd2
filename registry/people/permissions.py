"""Permissions on accounts: who may list people, and who may act on somebody's account.

A role belongs to a namespace, an account to the whole installation. So accounts are managed by admins of the
installation, named by the operator; admins of namespaces see the people of their namespaces.
"""

from django.utils.translation import gettext

from registry.accounts.actor import OPERATOR, Actor
from registry.accounts.models import User
from registry.core.errors import NotAllowed, NotFound
from registry.namespaces.models import Membership, Namespace, Role

__all__ = [
    "find_person",
    "is_installation_admin",
    "list_managed_namespaces",
    "require_installation_admin",
]


def is_installation_admin(actor: Actor) -> bool:
    """Whether the actor manages accounts: a signed-in admin of the installation, or a command. Never a key."""
    if actor.key is not None:
        return False
    return actor.is_operator or (actor.person.is_superuser and actor.person.is_active)


def require_installation_admin(actor: Actor) -> None:
    """Raise NotAllowed for everybody else, with the names of the admins."""
    if is_installation_admin(actor):
        return
    if actor.key is not None:
        raise NotAllowed(gettext("A key can't manage accounts: sign in as a person to do this."), key=actor.key.id)
    admins = User.objects.filter(is_superuser=True, is_active=True).order_by("username")
    names = ", ".join(admins.values_list("username", flat=True)[:3])
    raise NotAllowed(
        gettext("Accounts are managed by admins of the installation: {names}.").format(
            names=names or gettext("there are none; the operator names one")
        )
    )


def list_managed_namespaces(actor: Actor) -> list[Namespace]:
    """List the namespaces whose people the actor may see with their sign-in details: those where the actor is admin, or
    all for an admin of the installation. Raises NotAllowed if there are none, and for keys.
    """
    if is_installation_admin(actor):
        return list(Namespace.objects.order_by("name"))
    if actor.key is None and actor.person.is_active:
        admins = Membership.objects.filter(person=actor.person, role=Role.ADMIN)
        namespaces = list(Namespace.objects.filter(pk__in=admins.values("namespace")).order_by("name"))
        if namespaces:
            return namespaces
    raise NotAllowed(gettext("The list of people is for admins. Who belongs to a namespace is on its page Members."))


def find_person(username: str) -> User:
    """The account of a person, active or not. Raises NotFound if it doesn't exist."""
    person = User.objects.filter(username=username).exclude(username=OPERATOR).first()
    if person is None:
        raise NotFound(gettext("There is no account {username}.").format(username=username[:150]))
    return person
