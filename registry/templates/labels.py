"""Labels: moving and removing those that move freely, and going back."""

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.core.timestamps import format_moment
from registry.freezes.queries import find_standing_freezes
from registry.freezes.windows import StandingFreeze
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.templates import queries as template_queries
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import (
    append_move,
    find_label,
    is_approved_digest,
    record_move,
    require_served,
    require_undivided,
    require_unmoved,
)
from registry.templates.models import Template, Version

__all__ = [
    "find_freeze_before",
    "move_label",
    "remove_label",
    "require_unprotected",
    "roll_back_label",
]


def move_label(*, actor: Actor, name: str, label: str, version: int, expected: int | None, reason: str = "") -> Label:
    """Point an unprotected label at a version; `expected` is the number it points to, or None if it is not set.

    Raises Conflict if it is elsewhere (facts["actual"]), ApprovalRequired if it is protected.
    """
    names.check_label(label)
    check_text("reason", reason)
    with transaction.atomic():
        template, held = _take(actor, Verb.MOVE, name, label)
        require_unprotected(template, label)
        require_served(template, label, held, expected)
        target = _find_version(template, version)
        if held is not None and held.version_id == target.pk:
            return held
        move = LabelMove(template=template, label=label, after=target, how="moved", reason=reason.strip())
        return record_move(actor, move)


def remove_label(*, actor: Actor, name: str, label: str, expected: int, reason: str = "") -> None:
    """Take an unprotected label away from the template."""
    names.check_label(label)
    check_text("reason", reason)
    with transaction.atomic():
        template, held = _take(actor, Verb.MOVE, name, label)
        require_unprotected(template, label)
        require_served(template, label, held, expected)
        if held is None:
            raise Conflict(gettext("{label} is not set.").format(label=label), actual=None, expected=expected)
        require_undivided(held)
        held.delete()
        before = held.version
        move = LabelMove(template=template, label=label, before=before, how="removed", reason=reason.strip())
        append_move(actor, move, log.now())


def roll_back_label(
    *, actor: Actor, name: str, label: str, version: int, reason: str, expected: int | None = None
) -> Label:
    """Put a label back on a version whose digest it held before; reviewers only, with a reason.

    expected: as `require_unmoved` takes it. A protected label goes back only to what it held by approval itself:
    ApprovalRequired for anything else. Raises Conflict if a freeze stands and the version of a protected label is newer
    than what it serves, Gone if the version was redacted.
    """
    names.check_label(label)
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it goes back: everyone concerned will read it.")})
    with transaction.atomic():
        template, held = _take(actor, Verb.ROLL_BACK, name, label)
        target = _find_version(template, version)
        if held is None:
            raise Conflict(
                gettext("{name} has no label {label}, so there is nothing to roll back.").format(
                    name=name, label=label
                ),
                actual=None,
            )
        require_unmoved(template, label, expected)
        require_undivided(held)
        if held.version.digest == target.digest:
            raise Conflict(
                gettext("{label} already serves version {number}.").format(label=label, number=held.version.number),
                actual=held.version.number,
            )
        target.require_text()
        _require_held(template, label, target)
        _require_no_freeze(template, held, target)
        move = LabelMove(template=template, label=label, after=target, how="rolled_back", reason=reason.strip())
        return record_move(actor, move)


def _take(actor: Actor, verb: Verb, name: str, label: str) -> tuple[Template, Label | None]:
    """The locked template and its label; from here on neither rules nor labels change until commit."""
    template = template_queries.find_template(actor, verb, name, lock=True)
    permissions.require_label(actor, label)
    log.lock()
    template = template_queries.find_template(
        actor, verb, name
    )  # rights and rules once more, now that nobody else writes
    if template.archived_at is not None:
        raise Conflict(gettext("{name} is archived.").format(name=name))
    return template, find_label(template, label)


def require_unprotected(template: Template, label: str) -> None:
    """Raise ApprovalRequired if only an approved change request moves the label."""
    if label in template.namespace.protected_labels:
        raise ApprovalRequired(
            gettext("{label} is protected in {name}: propose a change, and it moves once that is approved.").format(
                label=label, name=template.namespace.name
            ),
            label=label,
            template=template.name,
        )


def _require_held(template: Template, label: str, target: Version) -> None:
    """Raise ApprovalRequired if the label may not go back to this version."""
    ever = LabelMove.objects.filter(template=template, label=label, after__digest=target.digest).exists()
    if not ever:
        raise ApprovalRequired(
            gettext("{label} never held version {number}, so it can't go back to it: propose a change.").format(
                label=label, number=target.number
            ),
            label=label,
        )
    if label in template.namespace.protected_labels and not is_approved_digest(template, label, target.digest):
        raise ApprovalRequired(
            gettext(
                "{label} is protected, and it held version {number} without an approval for it: propose a change."
            ).format(label=label, number=target.number),
            label=label,
        )


def find_freeze_before(template: Template, label: str, number: int) -> StandingFreeze | None:
    """The freeze that keeps a label from being rolled back to this version now: only going forward from what a
    protected label serves is kept; None if nothing is in the way."""
    held = template.labels.filter(name=label).select_related("version").first()
    return _find_freeze(template, held, number) if held else None


def _find_freeze(template: Template, held: Label, number: int) -> StandingFreeze | None:
    namespace = template.namespace
    if held.name not in namespace.protected_labels or number < held.version.number:
        return None
    return find_standing_freezes([namespace.pk]).get(namespace.pk)


def _require_no_freeze(template: Template, held: Label, target: Version) -> None:
    """Raise Conflict if going to this version moves a protected label forward while a freeze stands."""
    freeze = _find_freeze(template, held, target.number)
    if freeze is not None:
        raise Conflict(
            f"{freeze.sentence} {freeze.advice}",
            next_slot=format_moment(freeze.slot) if freeze.slot else None,
        )


def _find_version(template: Template, number: int) -> Version:
    version = Version.objects.filter(template=template, number=number).first()
    if version is None:
        raise NotFound(gettext("{name} has no version {number}.").format(name=template.name, number=number))
    return version
