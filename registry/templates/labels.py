"""Labels: moving and removing unprotected ones, and rolling back."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import (
    append_move,
    find_label,
    record_move,
    require_served,
    require_undivided,
    require_unmoved,
)
from registry.templates.models import Template, Version
from registry.templates.roll_back_checks import read_label_pasts, require_roll_back

__all__ = [
    "move_label",
    "remove_label",
    "require_unprotected",
    "roll_back_label",
]


def move_label(*, actor: Actor, name: str, label: str, version: int, expected: int | None, reason: str = "") -> Label:
    """Point an unprotected label at a version; `expected` is the number it points to, or None if it is not set.

    Raises Conflict if it points elsewhere (facts["actual"]), ApprovalRequired if it is protected.
    """
    names.check_label(label)
    check_text("reason", reason)
    with transaction.atomic():
        template, label_row = _take(actor, Verb.MOVE, name, label)
        require_unprotected(template, label)
        require_served(template, label, label_row, expected)
        target = _find_version(template, version)
        if label_row is not None and label_row.version_id == target.pk:
            return label_row
        move = LabelMove(template=template, label=label, after=target, how="moved", reason=reason.strip())
        return record_move(actor, move)


def remove_label(*, actor: Actor, name: str, label: str, expected: int, reason: str = "") -> None:
    """Remove an unprotected label from the template."""
    names.check_label(label)
    check_text("reason", reason)
    with transaction.atomic():
        template, label_row = _take(actor, Verb.MOVE, name, label)
        require_unprotected(template, label)
        require_served(template, label, label_row, expected)
        if label_row is None:
            raise Conflict(gettext("{label} is not set.").format(label=label), actual=None, expected=expected)
        require_undivided(label_row)
        label_row.delete()
        before = label_row.version
        move = LabelMove(template=template, label=label, before=before, how="removed", reason=reason.strip())
        append_move(actor, move, log.now())


def roll_back_label(
    *,
    actor: Actor,
    name: str,
    label: str,
    version: int,
    reason: str,
    expected: int | None = None,
    is_of_release: bool = False,
) -> Label:
    """Roll a label back to a version whose digest it held before; reviewers only, with a reason.

    expected: as `require_unmoved` takes it. is_of_release: as in `LabelMove`. Raises ApprovalRequired for a protected
    label that did not hold the version by approval itself, Conflict if its version is newer than what it serves during
    a freeze, Gone if the version was redacted.
    """
    names.check_label(label)
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it goes back: everyone concerned will read it.")})
    with transaction.atomic():
        template, label_row = _take(actor, Verb.ROLL_BACK, name, label)
        target = _find_version(template, version)
        if label_row is None:
            raise Conflict(
                gettext("{name} has no label {label}, so there is nothing to roll back.").format(
                    name=name, label=label
                ),
                actual=None,
            )
        require_unmoved(template, label, expected)
        require_roll_back(template, label_row, target, read_label_pasts(label, [template])[template.pk])
        move = LabelMove(template=template, label=label, after=target, how="rolled_back", reason=reason.strip())
        move.is_of_release = is_of_release
        return record_move(actor, move)


def _take(actor: Actor, verb: Verb, name: str, label: str) -> tuple[Template, Label | None]:
    """The locked template and its label. Rules and labels can't change from here until commit."""
    template = template_queries.find_template(actor, verb, name, lock=True)
    permissions.require_label(actor, label)
    log.lock()
    template = template_queries.find_template(actor, verb, name)  # check rights and rules again, now under the lock
    if template.archived_at is not None:
        raise Conflict(gettext("{name} is archived.").format(name=name))
    return template, find_label(template, label)


def require_unprotected(template: Template, label: str) -> None:
    """Raise ApprovalRequired if the label is protected."""
    if label in template.namespace.protected_labels:
        raise ApprovalRequired(
            gettext("{label} is protected in {name}: propose a change, and it moves once that is approved.").format(
                label=label, name=template.namespace.name
            ),
            label=label,
            template=template.name,
        )


def _find_version(template: Template, number: int) -> Version:
    version = Version.objects.filter(template=template, number=number).first()
    if version is None:
        raise NotFound(gettext("{name} has no version {number}.").format(name=template.name, number=number))
    return version
