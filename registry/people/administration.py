"""Account services of installation admins: deactivation, two-step resets, ending sessions, and naming such admins.

Deactivating and ending sessions require no fresh proof, because a stolen account must be closed quickly.
"""

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils.translation import gettext, ngettext

from registry.accounts.actor import Actor
from registry.accounts.events import PersonDeactivated, PersonReactivated, SecondStepReset
from registry.accounts.models import User
from registry.core.errors import Conflict, NotAllowed
from registry.journal import log
from registry.namespaces import permissions as namespace_permissions
from registry.people import permissions, queries, sessions

__all__ = [
    "deactivate_person",
    "end_sessions_of_person",
    "reactivate_person",
    "reset_second_step",
    "set_installation_admin",
]


def deactivate_person(*, actor: Actor, username: str) -> User:
    """Deactivate an account: its sessions end, it can't sign in, and no key acts for it. Nothing is deleted.

    For admins of the installation. Raises Conflict for one's own account, and for the last admin of a namespace, with
    its name.
    """
    permissions.require_installation_admin(actor)
    with transaction.atomic():
        log.lock()  # so that two admins can't deactivate each other concurrently
        permissions.require_installation_admin(_read_again(actor))
        person = permissions.find_person(username)
        if person == actor.person:
            raise Conflict(gettext("You can't deactivate your own account. Another admin of the installation can."))
        if not person.is_active:
            return person
        if names := queries.list_namespaces_left_without_admin(person):
            sentence = ngettext(
                "{namespaces} needs another admin first: {person} is the last one.",
                "{namespaces} need another admin first: {person} is the last one.",
                len(names),
            )
            raise Conflict(sentence.format(namespaces=_join(names), person=person.username))
        person.is_active = False
        person.save(update_fields=["is_active"])
        sessions.end_all_sessions(person)
        event = PersonDeactivated(person=person.username)
        log.append(actor, event, namespace=None, at=log.now(), subject=person)
    return person


def reactivate_person(*, actor: Actor, username: str) -> User:
    """Reactivate an account with its previous roles and keys. For admins of the installation, with a fresh proof."""
    permissions.require_installation_admin(actor)
    with transaction.atomic():
        log.lock()
        person = permissions.find_person(username)
        if person.is_active:
            return person
        namespace_permissions.require_proof(actor)
        person.is_active = True
        person.save(update_fields=["is_active"])
        event = PersonReactivated(person=person.username)
        log.append(actor, event, namespace=None, at=log.now(), subject=person)
    return person


def reset_second_step(*, actor: Actor, username: str) -> User:
    """Remove app, passkeys and recovery codes of a person who lost them, and end their sessions.

    For admins of the installation, with a fresh proof. Raises Conflict if two-step sign-in is off, and for one's own
    account. The person's approval does not count for a change that the actor contributed to before.
    """
    permissions.require_installation_admin(actor)
    with transaction.atomic():
        log.lock()
        person = permissions.find_person(username)
        if person == actor.person:
            raise Conflict(gettext("Turn off your own two-step sign-in on your account page."))
        namespace_permissions.require_proof(actor)
        if not Authenticator.objects.filter(user=person).delete()[0]:
            raise Conflict(gettext("{person} has no two-step sign-in.").format(person=person.username))
        sessions.end_all_sessions(person)
        event = SecondStepReset(person=person.username)
        log.append(actor, event, namespace=None, at=log.now(), subject=person)
    return person


def end_sessions_of_person(*, actor: Actor, username: str) -> int:
    """Sign a person out everywhere; returns how many sessions ended. For admins of the installation."""
    permissions.require_installation_admin(actor)
    return sessions.end_all_sessions(permissions.find_person(username))


def set_installation_admin(*, actor: Actor, username: str, is_admin: bool) -> User:
    """Make a person an admin of the installation, or revoke that; only for commands run by the operator."""
    if not actor.is_operator:
        raise NotAllowed(
            gettext("Admins of the installation are named on the machine itself: manage.py installationadmin.")
        )
    person = permissions.find_person(username)
    person.is_superuser = is_admin
    person.save(update_fields=["is_superuser"])
    return person


def _read_again(actor: Actor) -> Actor:
    """Reload the actor under the lock: somebody may have deactivated them meanwhile."""
    return actor if actor.is_operator else Actor(User.objects.get(pk=actor.person.pk), actor.key)


def _join(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else gettext("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])
    )
