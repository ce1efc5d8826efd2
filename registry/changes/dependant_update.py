"""Updating the templates that include a fragment to its new version."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import PromptuaryError
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import fragments, version_queries
from registry.templates import save as template_save
from registry.templates.fragments import replace_references
from registry.templates.models import Template, Version

__all__ = ["UpdatedDependant", "update_dependants"]


@dataclass(frozen=True)
class UpdatedDependant:
    """The result for one dependant: its new version and the request for it, or the reason why it was left alone."""

    template: Template
    version: Version | None = None
    change: ChangeRequest | None = None
    refusal: str = ""


def update_dependants(
    *, actor: Actor, name: str, version: int, label: str, message: str = ""
) -> list[UpdatedDependant]:
    """Save a version of each template that includes another version of the fragment, with its reference moved to this
    one.

    If `label` is protected in the template's namespace, a change request is opened for it. A template that the actor
    may not save, or that would be invalid with the new fragment, is left alone with the reason; the others go on.
    """
    pinned = version_queries.get_version(actor, name, version)
    fragment = pinned.template
    target = f"{fragment.name}@{pinned.number}"
    commit_message = message or gettext("Move {name} to version {number}").format(
        name=fragment.name, number=pinned.number
    )
    return [
        _update(actor, template, refs, target, label, commit_message)
        for template, refs in fragments.list_dependants(actor, fragment, apart_from=target)
    ]


def _update(
    actor: Actor, template: Template, refs: list[str], target: str, label: str, message: str
) -> UpdatedDependant:
    latest = template.latest
    try:
        permissions.require_verb(actor, Verb.SAVE, template.namespace, template.path)
        if latest is None:
            return UpdatedDependant(template, refusal=gettext("It has no version yet."))
        saved = template_save.save_version(
            actor=actor,
            name=template.name,
            document=replace_references(latest.document, refs, target),
            message=message,
            base=latest.digest,
            ends_draft=False,
        )
        if label not in template.namespace.protected_labels:
            return UpdatedDependant(saved.template, saved.version)
        number = saved.version.number
        change = change_services.propose_change(
            actor=actor, name=template.name, label=label, version=number, message=message
        )
        return UpdatedDependant(saved.template, saved.version, change)
    except PromptuaryError as refusal:
        return UpdatedDependant(template, refusal=refusal.message)
