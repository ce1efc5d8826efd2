"""Labels: moving those that move freely, and going back."""

from datetime import datetime

from django.db import transaction

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotFound
from registry.core.text_checks import check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import approvals
from registry.templates import queries as template_queries
from registry.templates.events import LabelMoved
from registry.templates.models import Label, LabelMove, Template, Version

__all__ = ["move_label", "record_move", "remove_label", "roll_back_label"]


def move_label(*, actor: Actor, name: str, label: str, version: int, expected: int | None) -> Label:
    """Point an unprotected label at a version; `expected` is the number it points to, or None where it is not set.

    Conflict where it is elsewhere (facts["actual"]), ApprovalRequired where it is protected.
    """
    names.check_label(label)
    with transaction.atomic():
        template, held = _take(actor, Verb.MOVE, name, label)
        _require_free(template, label)
        _require_expected(label, held, expected)
        target = _find_version(template, version)
        if held is not None and held.version_id == target.pk:
            return held
        return record_move(actor, LabelMove(template=template, label=label, after=target, how="moved"))


def remove_label(*, actor: Actor, name: str, label: str, expected: int) -> None:
    """Take an unprotected label away from the template."""
    names.check_label(label)
    with transaction.atomic():
        template, held = _take(actor, Verb.MOVE, name, label)
        _require_free(template, label)
        _require_expected(label, held, expected)
        if held is None:
            raise Conflict(f"{label} is not set.", actual=None, expected=expected)
        held.delete()
        _record(actor, LabelMove(template=template, label=label, before=held.version, how="removed"), log.now())


def roll_back_label(*, actor: Actor, name: str, label: str, version: int, reason: str) -> Label:
    """Put a label back on a version whose digest it held before; reviewers only, with a reason.

    A protected label goes back only to what it held by approval itself: ApprovalRequired for anything else. Gone where
    the version was redacted.
    """
    names.check_label(label)
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": "say why it goes back: everyone concerned will read it."})
    with transaction.atomic():
        template, held = _take(actor, Verb.ROLL_BACK, name, label)
        target = _find_version(template, version)
        if held is None:
            raise Conflict(f"{name} has no label {label}, so there is nothing to roll back.", actual=None)
        if held.version.digest == target.digest:
            raise Conflict(f"{label} holds version {held.version.number} already.", actual=held.version.number)
        target.require_text()
        _require_held(template, label, target)
        move = LabelMove(template=template, label=label, after=target, how="rolled_back", reason=reason.strip())
        return record_move(actor, move)


def record_move(actor: Actor, move: LabelMove, *, at: datetime | None = None) -> Label:
    """Write a move that was allowed; for services, inside their transaction, as the last thing in it.

    move: an unsaved row with template, label, after, how, and reason and change where there are any; the rest is filled
    in here. at: the moment that the caller's own rows carry, by default now, so that a restore from the event finds it.
    """
    if move.after is None:
        raise ValueError("a label moves to a version; to take it away is `remove`")
    at = at or log.now()
    move.after.require_text()
    held = _held(move.template, move.label)
    move.before = held.version if held else None
    label, _ = Label.objects.update_or_create(
        template=move.template, name=move.label, defaults={"version": move.after, "moved_at": at}
    )
    _record(actor, move, at)
    return label


def _record(actor: Actor, move: LabelMove, at: datetime) -> None:
    template, change = move.template, move.change
    move.person, move.key, move.created_at = actor.person, actor.key, at
    move.protected = move.label in template.namespace.protected_labels  # the rules as read under the journal's lock
    move.save(force_insert=True)
    event = LabelMoved(
        template=template.name,
        label=move.label,
        from_version=move.before.number if move.before else None,
        to=move.after.number if move.after else None,
        digest=move.after.digest if move.after else None,
        how=move.how,
        reason=move.reason,
        change=change.number if change else None,
        decided=change.decided if change else None,
    )
    log.append(actor, event, namespace=template.namespace, at=at, subject=move)


def _held(template: Template, label: str) -> Label | None:
    return Label.objects.select_related("version").filter(template=template, name=label).first()


def _take(actor: Actor, verb: Verb, name: str, label: str) -> tuple[Template, Label | None]:
    """The locked template and its label; from here on neither rules nor labels change until commit."""
    template = template_queries.find_template(actor, verb, name, lock=True)
    permissions.require_label(actor, label)
    log.lock()
    template = template_queries.find_template(
        actor, verb, name
    )  # rights and rules once more, now that nobody else writes
    if template.archived_at is not None:
        raise Conflict(f"{name} is archived.")
    return template, _held(template, label)


def _require_free(template: Template, label: str) -> None:
    if label in template.namespace.protected_labels:
        raise ApprovalRequired(
            f"{label} is protected in {template.namespace.name}: propose a change, and it moves once that is approved.",
            label=label,
            template=template.name,
        )


def _require_held(template: Template, label: str, target: Version) -> None:
    """Raise ApprovalRequired where the label may not go back to this version."""
    ever = LabelMove.objects.filter(template=template, label=label, after__digest=target.digest).exists()
    if not ever:
        raise ApprovalRequired(
            f"{label} never held version {target.number}, so it can't go back to it: propose a change.", label=label
        )
    if label in template.namespace.protected_labels and not approvals.is_approved_digest(
        template, label, target.digest
    ):
        raise ApprovalRequired(
            f"{label} is protected, and it held version {target.number} without an approval for it: propose a change.",
            label=label,
        )


def _require_expected(label: str, held: Label | None, expected: int | None) -> None:
    actual = held.version.number if held else None
    if actual != expected:
        where = f"points to version {actual}" if actual else "is not set"
        wanted = f"version {expected}" if expected else "no version"
        raise Conflict(f"{label} {where}, where {wanted} was expected.", actual=actual, expected=expected)


def _find_version(template: Template, number: int) -> Version:
    version = Version.objects.filter(template=template, number=number).first()
    if version is None:
        raise NotFound(f"{template.name} has no version {number}.")
    return version
