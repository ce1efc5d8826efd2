"""Moves of labels: recording one, and whether protected labels hold what they serve by approval.

A move gives a protected label a version by approval if it was protected then and the move was made by an approved
change, or by an emergency whose change has been approved since. Stricter rules don't void past moves; a redaction of
the version does. A roll back to an older version withdraws the trust in the one that the label leaves, and an emergency
without approval gives none. A later move gives it back: an approved one, or a roll back of the protected label to a
version that it held by approval. What a label ever held by approval is read in `registry.templates.approved_versions`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet
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
from registry.templates.models import Template

__all__ = [
    "IS_BACKWARD",
    "Approval",
    "append_move",
    "by_approval",
    "by_emergency",
    "find_approval_of_label",
    "find_approvals_of_labels",
    "find_emergency_moves",
    "find_label",
    "find_version_to_undo",
    "is_approved_digest",
    "list_trusted_holdings",
    "read_approval",
    "record_move",
    "require_served",
    "require_undivided",
    "require_unmoved",
    "select_approved_moves",
    "select_trusted_moves",
]

_APPROVED = Q(how="published") | Q(how="broke_glass", change__unreviewed=False)
IS_BACKWARD = Q(how="rolled_back", before__number__gt=F("after__number"))  # not a return to a newer version
_UNAPPROVED = Q(how="broke_glass", change__unreviewed=True, protected=True)
_EMERGENCY = Q(how="broke_glass", change__unreviewed=True, change__emergency_closed_at=None)
_SAME: dict[str, Any] = {  # moves of the outer query's label to the bytes that it serves
    "template": OuterRef("template"),
    "label": OuterRef("name"),
    "after__digest": OuterRef("version__digest"),
}


class Approval(StrEnum):
    """How a protected label got the version that it serves."""

    APPROVED = "approved"
    EMERGENCY = "emergency"  # published in an emergency that still waits for approval
    NEVER_APPROVED = "never_approved"  # already served when it became protected, and not approved by a change since


def record_move(
    actor: Actor,
    move: LabelMove,
    *,
    at: datetime | None = None,
    ignored_freeze: str | None = None,
    is_scheduled: bool = False,
    is_reviewed: bool = False,
) -> Label:
    """Record a permitted move. Services call it inside their transaction, as its last step.

    move: an unsaved row with template, label, after, how, and reason and change if any; the rest is filled in here. at:
    the time in the caller's own rows, so that a restore from the event writes the same; now by default. is_scheduled:
    whether the worker moves it at a time chosen before. For an emergency: ignored_freeze, the reason of the freeze that
    it overrode, and is_reviewed, whether the change was approved.
    """
    if move.after is None:
        raise ValueError("a label moves to a version; to take it away is `remove`")
    at = at or log.now()
    move.after.require_text()
    label_row = find_label(move.template, move.label)
    require_undivided(label_row)
    move.before = label_row.version if label_row else None
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
    """Store the move's row and append its event; for services that changed the label's row themselves."""
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
    """Raise Conflict if a rollout divides the label's callers: it has to end before the label moves."""
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
    """Raise Conflict if the label no longer serves the version that the caller saw.

    expected: its number, 0 if the label was not set, None to skip the check.
    """
    if expected is not None:
        require_served(template, label, find_label(template, label), expected or None)


def require_served(template: Template, label: str, label_row: Label | None, expected: int | None) -> None:
    """Raise Conflict if it serves another version; the error's facts say who moved it last, and when."""
    actual = label_row.version.number if label_row else None
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


def select_approved_moves() -> QuerySet[LabelMove]:
    """All moves, of any template, by which a label got a version by approval."""
    return LabelMove.objects.filter(_APPROVED, protected=True, after__isnull=False, after__redaction=None)


def find_emergency_moves(change_ids: Collection[int]) -> dict[int, int]:
    """Map change id to the move by which it was published in an emergency."""
    if not change_ids:
        return {}
    rows = LabelMove.objects.filter(change__in=change_ids, how="broke_glass").order_by("-pk")
    return {int(change or 0): move for change, move in rows.values_list("change_id", "pk")}


def select_trusted_moves() -> QuerySet[LabelMove]:
    """Those moves, of any template, that gave the label what it held by approval and whose trust was not withdrawn."""
    return _build_trusted_moves().all()


@cache
def _build_trusted_moves() -> QuerySet[LabelMove]:
    """Built once, never evaluated: it takes longer to build this query than to run it for a page of templates."""
    same_label = {"template": OuterRef("template"), "label": OuterRef("label")}
    same_bytes = {**same_label, "after__digest": OuterRef("after__digest")}
    withdrawn = IS_BACKWARD & Q(before__digest=OuterRef("after__digest"))
    unapproved = _UNAPPROVED & Q(after__digest=OuterRef("after__digest"))
    later = LabelMove.objects.filter(withdrawn | unapproved, **same_label, pk__gt=OuterRef("pk"))
    returned = Q(how="rolled_back") & Exists(select_approved_moves().filter(**same_bytes))
    moves = LabelMove.objects.filter(_APPROVED | returned, protected=True, after__isnull=False, after__redaction=None)
    return moves.filter(~Exists(later))


def list_trusted_holdings(
    template_ids: Collection[int],
) -> Mapping[tuple[int, str], list[tuple[int, int, str]]]:
    """Map template and label to the `select_trusted_moves`: (move, version, digest), oldest first; one query."""
    holdings: defaultdict[tuple[int, str], list[tuple[int, int, str]]] = defaultdict(list)
    rows = select_trusted_moves().filter(template__in=template_ids).order_by("pk")
    columns = ("template_id", "label", "pk", "after_id", "after__digest")
    for template, label, move, version, digest in rows.values_list(*columns):
        if version is not None:
            holdings[template, label].append((move, version, str(digest)))
    return holdings


def find_approval_of_label(template: Template, label: str) -> Approval | None:
    """How the label got the version that it serves; None if it is not protected or not set."""
    return find_approvals_of_labels([template]).get(template.pk, {}).get(label)


def find_approvals_of_labels(rows: Iterable[Template]) -> dict[int, dict[str, Approval]]:
    """Map template id and protected label to how the label got the version that it serves; one query.

    The namespaces of the templates must be loaded.
    """
    protected = {row.pk: row.namespace.protected_labels for row in rows}
    approvals: dict[int, dict[str, Approval]] = {pk: {} for pk in protected}
    labels = Label.objects.filter(template__in=list(protected))
    labels = labels.annotate(approved=by_approval(), emergency=by_emergency())
    for pk, name, *facts in labels.order_by("name").values_list("template_id", "name", "approved", "emergency"):
        if name in protected[pk]:
            approvals[pk][name] = read_approval(*facts)
    return approvals


def by_approval() -> Exists:
    """Query expression for labels: whether the label holds what it serves by approval."""
    return Exists(select_trusted_moves().filter(**_SAME))


def by_emergency() -> Exists:
    """Query expression for labels: whether what it serves came by an emergency that is not approved yet."""
    return Exists(LabelMove.objects.filter(_EMERGENCY, **_SAME, protected=True))


def read_approval(approved: bool, emergency: bool) -> Approval:
    """The Approval of a protected label from the results of `by_approval` and `by_emergency`."""
    if approved:
        return Approval.APPROVED
    return Approval.EMERGENCY if emergency else Approval.NEVER_APPROVED


def is_approved_digest(template: Template, label: str, digest: str) -> bool:
    """Whether this label of the template ever held these bytes by approval."""
    return select_approved_moves().filter(template=template, label=label, after__digest=digest).exists()


def find_version_to_undo(person: User, template: Template, label: str) -> int | None:
    """The version that undoes the label's last move, if this person may move it there, else None.

    A protected label is rolled back, so only to what it held by approval.
    """
    last = template.label_moves.filter(label=label).select_related("before").order_by("pk").last()
    if last is None or last.before is None:
        return None
    is_protected = label in template.namespace.protected_labels
    roles, verb = permissions.find_roles(person, template.namespace), Verb.ROLL_BACK if is_protected else Verb.MOVE
    if roles is None or roles.at(template.path).rank < TABLE[verb].rank:
        return None
    if is_protected and not is_approved_digest(template, label, last.before.digest):
        return None
    return last.before.number
