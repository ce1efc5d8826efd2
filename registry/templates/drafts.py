"""Drafts: work in progress, kept on the server, part of no journal."""

from django.db import transaction

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import NotFound
from registry.core.text_checks import DOCUMENT_BYTES, SAMPLES_BYTES, check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates.models import Draft, Version

__all__ = ["discard_draft", "save_draft"]


def save_draft(  # what an editor holds
    *,
    actor: Actor,
    namespace: str,
    path: str,
    document: str,
    samples: str = "",
    base: int | None = None,
    message: str = "",
) -> Draft:
    """Keep the actor's work on a template, in place of what was kept before.

    path: inside the namespace, empty while the new template has no name. document and samples: text as typed, which
    need not be well-formed yet. base: number of the version that the work began from.
    """
    if path:
        names.check_template(f"{namespace}/{path}")
    check_text(
        "document", document, 2 * DOCUMENT_BYTES, may_hold_secrets=True
    )  # a draft is in no journal; saving it is refused
    check_text("samples", samples, 2 * SAMPLES_BYTES, may_hold_secrets=True)
    check_text("message", message, may_hold_secrets=True)
    found = permissions.find_namespace(actor, Verb.SAVE, namespace)
    facts = {
        "document": document,
        "samples": samples,
        "base": _find_base(f"{namespace}/{path}", base),
        "message": message,
        "updated_at": log.now(),
    }
    with transaction.atomic():
        draft, _ = Draft.objects.update_or_create(person=actor.person, namespace=found, path=path, defaults=facts)
    return draft


def discard_draft(*, actor: Actor, namespace: str, path: str) -> None:
    """Throw the actor's draft away; nothing happens where there is none."""
    Draft.objects.filter(person=actor.person, namespace__name=namespace, path=path).delete()


def _find_base(name: str, number: int | None) -> Version | None:
    if number is None:
        return None
    version = Version.objects.filter(template__name=name, number=number).first()
    if version is None:
        raise NotFound(f"{name} has no version {number}.")
    return version
