"""Versions of the demo's templates, saved, proposed, approved and published once each.

A load that stopped halfway is gone on with: each function does only what was not done yet.
"""

from typing import Any

from registry.accounts.actor import Actor
from registry.changes import check_results, decisions
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.templates import save as template_save
from registry.templates.models import Template, Version

__all__ = ["approve_once", "propose_once", "publish_once", "save_once"]

_LABEL = "production"


def save_once(
    actor: Actor,
    name: str,
    number: int,
    document: str,
    message: str,
    *,
    samples: dict[str, Any] | None = None,
    copied_from: str | None = None,
) -> Version:
    """The version of this number, saved now unless it was. copied_from: of the first version only."""
    template = Template.objects.filter(name=name).select_related("latest").first()
    latest = template.latest if template else None
    if template is not None and latest is not None and latest.number >= number:
        return template.versions.get(number=number)
    result = template_save.save_version(
        actor=actor,
        name=name,
        document=document,
        message=message,
        samples=samples,
        base=latest.digest if latest else None,
        copied_from=copied_from if latest is None else None,
    )
    return result.version


def propose_once(author: Actor, name: str, number: int, message: str) -> ChangeRequest:
    """The change that proposes this version for production, with its checks run as the worker would."""
    change = ChangeRequest.objects.filter(template__name=name, version__number=number).first()
    if change is None:
        change = change_services.propose_change(actor=author, name=name, label=_LABEL, version=number, message=message)
    check_results.run_checks(number=change.number)
    return change


def approve_once(author: Actor, reviewer: Actor, name: str, number: int, message: str) -> ChangeRequest:
    """The change that proposes this version, with the reviewer's approval."""
    change = propose_once(author, name, number, message)
    if change.state == ChangeRequest.OPEN:
        digest = change.version.digest
        decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
    return change


def publish_once(author: Actor, reviewer: Actor, name: str, number: int, message: str) -> None:
    """Publish this version, approved by the reviewer: the checks pass before the label moves."""
    change = approve_once(author, reviewer, name, number, message)
    if change.state != ChangeRequest.PUBLISHED:
        change_services.publish_change(actor=reviewer, number=change.number)
