"""Queries about invitations: the open ones for admins, and the one that belongs to a link."""

import hashlib

from django.db.models import QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, NotFound
from registry.invitations.models import Invitation
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces import queries as namespace_queries
from registry.namespaces.models import Namespace, Role
from registry.namespaces.verbs import Verb

__all__ = ["find_by_secret", "hash_secret", "list_open", "list_open_of_all", "open_in"]


def list_open(actor: Actor, namespace: str) -> list[Invitation]:
    """List the invitations that can still be accepted, newest first; for admins."""
    space = permissions.find_namespace(actor, Verb.MANAGE, namespace)
    return list(open_in(space).select_related("invited_by").order_by("-created_at"))


def list_open_of_all(actor: Actor, words: str = "") -> list[Invitation]:
    """List the open invitations of every namespace where the actor is admin, with `words` in the address; one query."""
    spaces = [space.id for space, roles in namespace_queries.list_namespaces(actor) if roles.namespace == Role.ADMIN]
    rows = Invitation.objects.filter(accepted_at=None, ended_at=None, expires_at__gt=log.now())
    rows = rows.filter(namespace__in=spaces, email__icontains=words)
    return list(rows.select_related("invited_by", "namespace").order_by("-created_at"))


def open_in(namespace: Namespace) -> QuerySet[Invitation]:
    """The namespace's invitations that are not accepted, expired or revoked."""
    return namespace.invitations.filter(accepted_at=None, ended_at=None, expires_at__gt=log.now())


def find_by_secret(secret: str) -> Invitation:
    """The invitation of a link. Raises NotFound if it doesn't exist, Conflict if it can't be accepted any more."""
    rows = Invitation.objects.select_related("namespace", "invited_by")
    invitation = rows.filter(secret_sha256=hash_secret(secret)).first()
    if invitation is None:
        raise NotFound(gettext("There is no such invitation. Ask whoever sent you the link for a new one."))
    ask = gettext("Ask {display_name} for a new one.").format(display_name=invitation.invited_by.display_name)
    if invitation.accepted_at is not None:
        raise Conflict(gettext("This invitation was accepted already: a link works once. If it was you, sign in."))
    if invitation.ended_at is not None:
        raise Conflict(gettext("This invitation was taken back. {ask}").format(ask=ask))
    if invitation.expires_at <= log.now():
        raise Conflict(
            gettext("This invitation expired on {expires_at}. {ask}").format(
                expires_at=f"{invitation.expires_at:%d %B %Y}", ask=ask
            )
        )
    return invitation


def hash_secret(secret: str) -> str:
    """The stored hash of a link's secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
