"""Archiving and unarchiving templates."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core.errors import Conflict, Invalid
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.events import TemplateArchived, TemplateUnarchived
from registry.templates.models import Template

__all__ = ["archive_template", "find_for_archiving", "unarchive_template"]


def archive_template(*, actor: Actor, name: str, reason: str, force: bool = False) -> Template:
    """Archive a template: it can still be fetched, but not changed; admins only.

    Raises Conflict while it has a pending change request or an unapproved emergency, and while a protected label points
    to it unless `force`d; Invalid if it is forced without a reason.
    """
    check_text("reason", reason)
    with transaction.atomic():
        template = _take(actor, name, gettext("archive templates"))
        if template.archived_at is not None:
            return template
        _require_unused(template, reason, force=force)
        at = log.now()
        template.archived_at = at
        template.save(update_fields=["archived_at"])
        event = TemplateArchived(template=name, reason=reason.strip())
        log.append(actor, event, namespace=template.namespace, at=at, subject=template)
    return template


def unarchive_template(*, actor: Actor, name: str) -> Template:
    """Unarchive a template; admins only."""
    with transaction.atomic():
        template = _take(actor, name, gettext("bring templates back"))
        if template.archived_at is None:
            return template
        template.archived_at = None
        template.save(update_fields=["archived_at"])
        event = TemplateUnarchived(template=name)
        log.append(actor, event, namespace=template.namespace, at=log.now(), subject=template)
    return template


def find_for_archiving(actor: Actor, name: str) -> Template:
    """The template, if the actor may archive it; raises as `archive_template`."""
    return template_queries.find_template(actor, Verb.MANAGE, name, act=gettext("archive templates"))


def _take(actor: Actor, name: str, act: str) -> Template:
    """Lock the template until commit and take the journal's lock. act: the action that an error message names."""
    template_queries.find_template(actor, Verb.MANAGE, name, lock=True, act=act)
    log.lock()
    return template_queries.find_template(actor, Verb.MANAGE, name, act=act)


def _require_unused(template: Template, reason: str, *, force: bool) -> None:
    pending = template.changes.pending().first()
    if pending is not None:
        raise Conflict(gettext("Change {number} is open: publish or withdraw it first.").format(number=pending.number))
    emergency = template.changes.in_emergency().first()
    if emergency is not None:
        raise Conflict(
            gettext(
                "Change {number} was published in an emergency: approve it first, or roll back and close it."
            ).format(number=emergency.number)
        )
    protected = template.labels.filter(name__in=template.namespace.protected_labels).order_by("name")
    labels = list(protected.values_list("name", flat=True))
    if labels and not force:
        raise Conflict(
            gettext("{names} points to it, so services may be using it: force it, with a reason.").format(
                names=gettext(" and ").join(labels)
            ),
            labels=labels,
        )
    if labels and not reason.strip():
        raise Invalid(fields={"reason": gettext("say why it is archived although services may be using it.")})
