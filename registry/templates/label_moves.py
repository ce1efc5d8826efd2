"""Moves of labels: writing one, and what protected labels held by approval.

A protected label may go back to what it held by approval, and limited keys may read that. A move counts when the label
was protected at that moment and an approved change made it, or an emergency whose change is approved by now. Rules
that became stricter since void no past move; a redaction of the version does. A roll back counts for nothing by itself.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.core.errors import Conflict
from registry.core.timestamps import format_moment
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.verbs import TABLE, Verb
from registry.templates.label_events import LabelMoved
from registry.templates.label_models import Label, LabelMove
from registry.templates.models import Template, Version

__all__ = [
    "Approval",
    "append_move",
    "approval_of_label",
    "approvals_of_labels",
    "approvals_of_refs",
    "approved_digests",
    "approved_moves",
    "by_approval",
    "by_emergency",
    "find_emergency_moves",
    "find_label",
    "find_version_to_undo",
    "is_accepted_digest",
    "is_approved_digest",
    "last_approved_version",
    "list_approved_holdings",
    "read_approval",
    "record_move",
    "require_served",
    "require_undivided",
    "require_unmoved",
]

_APPROVED = Q(how="published") | Q(how="broke_glass", change__unreviewed=False)
_EMERGENCY = Q(how="broke_glass", change__unreviewed=True, change__emergency_closed_at=None)
_SAME: dict[str, Any] = {  # moves of the label that is asked about, to the bytes that it serves
    "template": OuterRef("template"),
    "label": OuterRef("name"),
    "after__digest": OuterRef("version__digest"),
}


class Approval(StrEnum):
    """How a protected label got the version that it serves."""

    APPROVED = "approved"
    EMERGENCY = "emergency"  # published in an emergency that waits for its approval
    NEVER_APPROVED = "never_approved"  # it held this when it was protected, and no change approved it since


def record_move(
    actor: Actor,
    move: LabelMove,
    *,
    at: datetime | None = None,
    ignored_freeze: str | None = None,
    is_scheduled: bool = False,
    is_reviewed: bool = False,
) -> Label:
    """Write a move that was allowed; for services, inside their transaction, as the last thing in it.

    move: an unsaved row with template, label, after, how, and reason and change if there are any; the rest is filled
    in here. at: the moment that the caller's own rows carry, by default now, so that a restore from the event finds it.
    is_scheduled: whether the worker moves it, at a moment that was chosen before. Of an emergency: ignored_freeze, the
    reason of the freeze that it went against, and is_reviewed, whether the change was approved.
    """
    if move.after is None:
        raise ValueError("a label moves to a version; to take it away is `remove`")
    at = at or log.now()
    move.after.require_text()
    held = find_label(move.template, move.label)
    require_undivided(held)
    move.before = held.version if held else None
    label, _ = Label.objects.update_or_create(
        template=move.template, name=move.label, defaults={"version": move.after, "moved_at": at}
    )
    scheduled, reviewed = is_scheduled or None, is_reviewed or None
    append_move(actor, move, at, ignored_freeze=ignored_freeze, scheduled=scheduled, reviewed=reviewed)
    return label


def append_move(
    actor: Actor,
    move: LabelMove,
    at: datetime,
    *,
    ignored_freeze: str | None = None,
    scheduled: bool | None = None,
    reviewed: bool | None = None,
) -> None:
    """Store the move's row and append its event; for services that changed the label's own row themselves."""
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
        ignored_freeze=ignored_freeze,
        scheduled=scheduled,
        reviewed=reviewed,
    )
    log.append(actor, event, namespace=template.namespace, at=at, subject=move)


def require_undivided(label: Label | None) -> None:
    """Raise Conflict if a rollout divides the label's callers: it ends before the label moves."""
    if label is not None and label.rollout_id is not None:
        raise Conflict(
            gettext(
                "{name} is in rollout {rollout_id}: finish it, or stop it to give everybody version {number} again."
            ).format(name=label.name, rollout_id=label.rollout_id, number=label.version.number),
            rollout=label.rollout_id,
        )


def find_label(template: Template, label: str) -> Label | None:
    """The label with its version, or None if it is not set."""
    return Label.objects.select_related("version").filter(template=template, name=label).first()


def require_unmoved(template: Template, label: str, expected: int | None) -> None:
    """Raise Conflict if the label serves another version than the one that the caller saw.

    expected: its number, 0 if the label was not set, None if the caller did not look: nothing is raised then.
    """
    if expected is not None:
        require_served(template, label, find_label(template, label), expected or None)


def require_served(template: Template, label: str, held: Label | None, expected: int | None) -> None:
    """Raise Conflict if it serves another version; the facts say who moved it last, and when."""
    actual = held.version.number if held else None
    if actual == expected:
        return
    if actual and expected:
        sentence = gettext("{label} points to version {actual}, where version {expected} was expected.")
    elif actual:
        sentence = gettext("{label} points to version {actual}, where no version was expected.")
    else:
        sentence = gettext("{label} is not set, where version {expected} was expected.")
    last = template.label_moves.filter(label=label).select_related("person").order_by("pk").last()
    raise Conflict(
        sentence.format(label=label, actual=actual, expected=expected),
        actual=actual,
        expected=expected,
        moved_by=last.person.username if last else None,
        moved_at=format_moment(last.created_at) if last else None,
    )


def approved_moves() -> QuerySet[LabelMove]:
    """Every move by which a label came to hold a version by approval, of any template."""
    return LabelMove.objects.filter(_APPROVED, protected=True, after__isnull=False, after__redaction=None)


def approved_digests(template_ids: Collection[int]) -> defaultdict[tuple[int, str], set[str]]:
    """Template id and label to the digests that the label held by approval: one query for all of them."""
    digests: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    rows = approved_moves().filter(template__in=template_ids).order_by()
    for template, label, digest in rows.values_list("template_id", "label", "after__digest").distinct():
        digests[template, label].add(digest)
    return digests


def list_approved_holdings(template_ids: Collection[int]) -> Mapping[tuple[int, str], list[tuple[int, int, str]]]:
    """By template and label the moves to what the label held by approval: (move, version, digest), oldest first."""
    found: defaultdict[tuple[int, str], list[tuple[int, int, str]]] = defaultdict(list)
    rows = approved_moves().filter(template__in=template_ids).order_by("pk")
    columns = ("template_id", "label", "pk", "after_id", "after__digest")
    for template, label, move, version, digest in rows.values_list(*columns):
        if version is not None:
            found[template, label].append((move, version, str(digest)))
    return found


def find_emergency_moves(change_ids: Collection[int]) -> dict[int, int]:
    """The move by which each of these requests was published in an emergency."""
    if not change_ids:
        return {}
    rows = LabelMove.objects.filter(change__in=change_ids, how="broke_glass").order_by("-pk")
    return {int(change or 0): move for change, move in rows.values_list("change_id", "pk")}


def is_approved_digest(template: Template, label: str, digest: str) -> bool:
    """Whether this label of the template ever held these bytes by approval."""
    return approved_moves().filter(template=template, label=label, after__digest=digest).exists()


def find_version_to_undo(person: User, template: Template, label: str) -> int | None:
    """The version that takes the label's last move back, if this person may move it there, else None.

    A protected label goes back by a roll back, so only to what it held by approval.
    """
    last = template.label_moves.filter(label=label).select_related("before").order_by("pk").last()
    if last is None or last.before is None:
        return None
    is_protected = label in template.namespace.protected_labels
    roles, verb = permissions.roles_of(person, template.namespace), Verb.ROLL_BACK if is_protected else Verb.MOVE
    if roles is None or roles.at(template.path).rank < TABLE[verb].rank:
        return None
    if is_protected and not is_approved_digest(template, label, last.before.digest):
        return None
    return last.before.number


def is_accepted_digest(template: Template, labels: Collection[str], digest: str) -> bool:
    """Whether one of these labels held the bytes by approval, or the head of an open, approved change has them.

    labels: those that are protected now. What one of them merely serves is not enough.
    """
    agreed = template.changes.approved().filter(label__in=labels, version__digest=digest)
    return (
        approved_moves().filter(template=template, label__in=labels, after__digest=digest).exists() or agreed.exists()
    )


def last_approved_version(template: Template, label: str, before: LabelMove | None = None) -> Version | None:
    """The version that the label held last by approval, or None; with `before` only moves earlier than that one
    count.
    """
    rows = approved_moves().filter(template=template, label=label)
    if before is not None:
        rows = rows.filter(pk__lt=before.pk)
    move = rows.select_related("after").order_by("-pk").first()
    return move.after if move else None


def approval_of_label(template: Template, label: str) -> Approval | None:
    """How the label got the version that it serves; None if it is not protected or not set."""
    return approvals_of_labels([template]).get(template.pk, {}).get(label)


def approvals_of_labels(rows: Iterable[Template]) -> dict[int, dict[str, Approval]]:
    """The same for all protected labels of many templates, by template id: one query. Templates with their
    namespaces.
    """
    protected = {row.pk: row.namespace.protected_labels for row in rows}
    approvals: dict[int, dict[str, Approval]] = {pk: {} for pk in protected}
    labels = Label.objects.filter(template__in=list(protected))
    labels = labels.annotate(approved=by_approval(), emergency=by_emergency())
    for pk, name, *facts in labels.order_by("name").values_list("template_id", "name", "approved", "emergency"):
        if name in protected[pk]:
            approvals[pk][name] = read_approval(*facts)
    return approvals


def approvals_of_refs(names: Iterable[str], label: str) -> dict[str, Approval]:
    """The same for one label of many templates, by the templates' names: one query. Absent if it is unprotected."""
    rows = Label.objects.filter(template__name__in=list(names), name=label)
    rows = rows.annotate(approved=by_approval(), emergency=by_emergency())
    columns = ("template__name", "template__namespace__protected_labels", "approved", "emergency")
    return {
        name: read_approval(approved, emergency)
        for name, protected, approved, emergency in rows.values_list(*columns)
        if label in protected
    }


def by_approval() -> Exists:
    """For a query of labels: whether the label ever held what it serves by approval."""
    return Exists(approved_moves().filter(**_SAME))


def by_emergency() -> Exists:
    """For a query of labels: whether an emergency that nobody approved yet put there what it serves."""
    return Exists(LabelMove.objects.filter(_EMERGENCY, **_SAME, protected=True))


def read_approval(approved: bool, emergency: bool) -> Approval:
    """What `by_approval` and `by_emergency` found of a protected label."""
    if approved:
        return Approval.APPROVED
    return Approval.EMERGENCY if emergency else Approval.NEVER_APPROVED
