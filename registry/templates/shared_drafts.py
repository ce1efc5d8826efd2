"""Sharing a draft by link: members of the namespace can read its current state until its owner stops sharing."""

import secrets

from django.db.models import F
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import NotFound
from registry.journal import log
from registry.namespaces import path_permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.templates.models import Draft
from registry.templates.named_drafts import get_draft

__all__ = ["find_shared_draft", "share_draft", "stop_sharing_draft"]

_TOKEN_BYTES = 24


def share_draft(*, actor: Actor, name: str, draft_name: str = "") -> Draft:
    """Let the members of the namespace read one of the actor's drafts by its link; the link stays the same until the
    actor stops sharing it.

    Saving, discarding or replacing the draft ends it too. Raises NotFound if there is no such draft.
    """
    space, _, path = name.partition("/")
    path_permissions.find_namespace_for_draft(actor, Verb.SAVE, space, path)
    draft = get_draft(actor, name, draft_name)
    rows = Draft.objects.filter(pk=draft.pk, share_token="")
    rows.update(share_token=secrets.token_urlsafe(_TOKEN_BYTES), shared_at=log.now())
    draft.refresh_from_db(fields=["share_token", "shared_at"])
    return draft


def stop_sharing_draft(*, actor: Actor, name: str, draft_name: str = "") -> None:
    """End the link of one of the actor's drafts, if it has one. Raises NotFound if there is no such draft."""
    draft = get_draft(actor, name, draft_name)
    Draft.objects.filter(pk=draft.pk).update(share_token="", shared_at=None)


def find_shared_draft(actor: Actor, name: str, token: str) -> Draft:
    """The draft of a template that is shared under this link, for members of its namespace.

    Raises NotFound for everyone else, and if its owner stopped sharing it, left the namespace or can no longer sign in.
    """
    namespace, _, path = name.partition("/")
    rows = Draft.objects.select_related("person", "namespace", "base")
    rows = rows.filter(namespace__in=list_visible_namespaces(actor), namespace__name=namespace, path=path)
    draft = rows.filter(share_token=token, person__is_active=True, namespace__memberships__person=F("person")).first()
    if draft is None:
        raise NotFound(
            gettext("There is no such shared draft of {name}, or you don't have access to it.").format(name=name[:600])
        )
    return draft
