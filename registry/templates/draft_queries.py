"""Drafts: each person sees their own."""

from registry.accounts.actor import Actor
from registry.core import names
from registry.journal import log
from registry.namespaces.permissions import visible_namespaces
from registry.templates.drafts import KEPT
from registry.templates.models import Draft

__all__ = ["find_discarded_draft", "find_draft", "list_drafts"]


def find_draft(actor: Actor, name: str) -> Draft | None:
    """The actor's draft for a full template name, or for a namespace with nothing after its slash: the unnamed one."""
    namespace, _, path = name.partition("/")
    if path:
        names.check_template(name)
    rows = Draft.objects.select_related("namespace", "base", "base__template")
    return rows.filter(
        person=actor.person,
        namespace__in=visible_namespaces(actor),
        namespace__name=namespace,
        path=path,
    ).first()


def find_discarded_draft(actor: Actor, name: str) -> Draft | None:
    """The draft of a template that the actor discarded last and can still restore."""
    namespace, _, path = name.partition("/")
    rows = Draft.everything.filter(person=actor.person, namespace__name=namespace, path=path)
    return rows.filter(discarded_at__gt=log.now() - KEPT).order_by("-discarded_at", "-pk").first()


def list_drafts(actor: Actor) -> list[Draft]:
    """All drafts of the actor, the last touched first."""
    rows = Draft.objects.select_related("namespace", "base").defer("base__bundle", "document", "samples")
    return list(rows.filter(person=actor.person, namespace__in=visible_namespaces(actor)).order_by("-updated_at"))
