"""Whether protected labels hold what they serve by approval.

This is stricter than having held it by approval once, as in `registry.templates.label_moves`. A roll back to an older
version withdraws the trust in the one that the label leaves, and an emergency without approval gives none. A later move
gives it back: an approved one, or a roll back of the protected label to a version that it held by approval.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import APPROVED, approved_moves
from registry.templates.models import Template, Version

__all__ = [
    "IS_BACKWARD",
    "Approval",
    "by_approval",
    "by_emergency",
    "find_approval_of_label",
    "find_approvals_of_labels",
    "find_approvals_of_refs",
    "find_last_approved_version",
    "list_trusted_digests",
    "list_trusted_holdings",
    "read_approval",
    "trusted_moves",
]

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


def trusted_moves() -> QuerySet[LabelMove]:
    """Those moves, of any template, that gave the label what it held by approval and whose trust was not withdrawn."""
    same_label = {"template": OuterRef("template"), "label": OuterRef("label")}
    same_bytes = {**same_label, "after__digest": OuterRef("after__digest")}
    withdrawn = IS_BACKWARD & Q(before__digest=OuterRef("after__digest"))
    unapproved = _UNAPPROVED & Q(after__digest=OuterRef("after__digest"))
    later = LabelMove.objects.filter(withdrawn | unapproved, **same_label, pk__gt=OuterRef("pk"))
    returned = Q(how="rolled_back") & Exists(approved_moves().filter(**same_bytes))
    moves = LabelMove.objects.filter(APPROVED | returned, protected=True, after__isnull=False, after__redaction=None)
    return moves.filter(~Exists(later))


def list_trusted_holdings(
    template_ids: Collection[int],
) -> Mapping[tuple[int, str], list[tuple[int, int, str]]]:
    """Map template and label to the `trusted_moves`: (move, version, digest), oldest first; one query."""
    holdings: defaultdict[tuple[int, str], list[tuple[int, int, str]]] = defaultdict(list)
    rows = trusted_moves().filter(template__in=template_ids).order_by("pk")
    columns = ("template_id", "label", "pk", "after_id", "after__digest")
    for template, label, move, version, digest in rows.values_list(*columns):
        if version is not None:
            holdings[template, label].append((move, version, str(digest)))
    return holdings


def list_trusted_digests(template_ids: Collection[int]) -> Mapping[tuple[int, str], set[str]]:
    """Map template and label to the digests of the `trusted_moves`; one query."""
    holdings = list_trusted_holdings(template_ids)
    return defaultdict(set, {place: {digest for _, _, digest in moves} for place, moves in holdings.items()})


def find_last_approved_version(template: Template, label: str, before: LabelMove | None = None) -> Version | None:
    """The last version that the label held by approval, or None; with `before` only earlier moves count. A version
    that the label was rolled back from doesn't count.
    """
    rows = trusted_moves().filter(template=template, label=label)
    if before is not None:
        rows = rows.filter(pk__lt=before.pk)
    move = rows.select_related("after").order_by("-pk").first()
    return move.after if move else None


def find_approval_of_label(template: Template, label: str) -> Approval | None:
    """How the label got the version that it serves; None if it is not protected or not set."""
    return find_approvals_of_labels([template]).get(template.pk, {}).get(label)


def find_approvals_of_labels(rows: Iterable[Template]) -> dict[int, dict[str, Approval]]:
    """The same for all protected labels of many templates, by id; one query. Their namespaces must be loaded."""
    protected = {row.pk: row.namespace.protected_labels for row in rows}
    approvals: dict[int, dict[str, Approval]] = {pk: {} for pk in protected}
    labels = Label.objects.filter(template__in=list(protected))
    labels = labels.annotate(approved=by_approval(), emergency=by_emergency())
    for pk, name, *facts in labels.order_by("name").values_list("template_id", "name", "approved", "emergency"):
        if name in protected[pk]:
            approvals[pk][name] = read_approval(*facts)
    return approvals


def find_approvals_of_refs(names: Iterable[str], label: str) -> dict[str, Approval]:
    """The same for one label of many templates, by template name; one query. Absent where the label is unprotected."""
    rows = Label.objects.filter(template__name__in=list(names), name=label)
    rows = rows.annotate(approved=by_approval(), emergency=by_emergency())
    columns = ("template__name", "template__namespace__protected_labels", "approved", "emergency")
    return {
        name: read_approval(approved, emergency)
        for name, protected, approved, emergency in rows.values_list(*columns)
        if label in protected
    }


def by_approval() -> Exists:
    """Query expression for labels: whether the label holds what it serves by approval."""
    return Exists(trusted_moves().filter(**_SAME))


def by_emergency() -> Exists:
    """Query expression for labels: whether what it serves came by an emergency that is not approved yet."""
    return Exists(LabelMove.objects.filter(_EMERGENCY, **_SAME, protected=True))


def read_approval(approved: bool, emergency: bool) -> Approval:
    """The Approval of a protected label from the results of `by_approval` and `by_emergency`."""
    if approved:
        return Approval.APPROVED
    return Approval.EMERGENCY if emergency else Approval.NEVER_APPROVED
