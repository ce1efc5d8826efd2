"""What labels held by approval: where a protected label may go back to, and what limited keys may read.

A move counts when the label was protected at that moment and an approved change made it, or an emergency whose change
was approved afterwards. Rules that became stricter since void no past move; a redaction of the version does. A roll
back counts for nothing by itself: a protected label only goes back to what it held by approval before.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.templates.models import Label, LabelMove, Template, Version

__all__ = [
    "Approval",
    "approval_of_label",
    "approvals_of_labels",
    "approvals_of_refs",
    "approved_digests",
    "approved_moves",
    "by_approval",
    "by_emergency",
    "is_accepted_digest",
    "is_approved_digest",
    "last_approved_version",
]

_APPROVED = Q(how="published") | Q(how="broke_glass", change__unreviewed=False)
_EMERGENCY = Q(how="broke_glass", change__unreviewed=True, change__emergency_closed_at=None)
_SAME: dict[str, Any] = {  # moves of the label that is asked about, to the bytes that it serves
    "template": OuterRef("template"),
    "label": OuterRef("name"),
    "after__digest": OuterRef("version__digest"),
}


class Approval(StrEnum):
    """How a protected label came to what it serves."""

    APPROVED = "approved"
    EMERGENCY = "emergency"  # published in an emergency that waits for its approval
    NEVER_APPROVED = "never_approved"  # it held this when it was protected, and no change approved it since


def approved_moves() -> QuerySet[LabelMove]:
    """Every move by which a label came to hold a version by approval, of any template."""
    return LabelMove.objects.filter(_APPROVED, protected=True, after__isnull=False, after__redaction=None)


def approved_digests(template_ids: Collection[int]) -> defaultdict[tuple[int, str], set[str]]:
    """Template id and label to the digests that the label held by approval: one query for all of them."""
    found: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    rows = approved_moves().filter(template__in=template_ids).order_by()
    for template, label, digest in rows.values_list("template_id", "label", "after__digest").distinct():
        found[template, label].add(digest)
    return found


def is_approved_digest(template: Template, label: str, digest: str) -> bool:
    """Whether this label of the template ever held these bytes by approval."""
    return approved_moves().filter(template=template, label=label, after__digest=digest).exists()


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
    """How the label came to what it serves; None where it is not protected or not set."""
    return approvals_of_labels([template]).get(template.pk, {}).get(label)


def approvals_of_labels(rows: Iterable[Template]) -> dict[int, dict[str, Approval]]:
    """The same for all protected labels of many templates, by template id: one query. Templates with their
    namespaces.
    """
    protected = {row.pk: row.namespace.protected_labels for row in rows}
    found: dict[int, dict[str, Approval]] = {pk: {} for pk in protected}
    labels = Label.objects.filter(template__in=list(protected))
    labels = labels.annotate(approved=by_approval(), emergency=by_emergency())
    for pk, name, *facts in labels.order_by("name").values_list("template_id", "name", "approved", "emergency"):
        if name in protected[pk]:
            found[pk][name] = _approval(*facts)
    return found


def approvals_of_refs(names: Iterable[str], label: str) -> dict[str, Approval]:
    """The same for one label of many templates, by the templates' names: one query. Absent where it is not
    protected.
    """
    rows = Label.objects.filter(template__name__in=list(names), name=label)
    rows = rows.annotate(approved=by_approval(), emergency=by_emergency())
    columns = ("template__name", "template__namespace__protected_labels", "approved", "emergency")
    return {
        name: _approval(approved, emergency)
        for name, protected, approved, emergency in rows.values_list(*columns)
        if label in protected
    }


def by_approval() -> Exists:
    """For a query of labels: whether the label ever held what it serves by approval."""
    return Exists(approved_moves().filter(**_SAME))


def by_emergency() -> Exists:
    """For a query of labels: whether an emergency that nobody approved yet put there what it serves."""
    return Exists(LabelMove.objects.filter(_EMERGENCY, **_SAME, protected=True))


def _approval(approved: bool, emergency: bool) -> Approval:
    if approved:
        return Approval.APPROVED
    return Approval.EMERGENCY if emergency else Approval.NEVER_APPROVED
