"""The versions that labels held by approval: what may be rolled back to, and what limited keys may read.

A protected label may be rolled back to what it ever held by approval, and limited keys may read that, also after a roll
back of it. `registry.templates.label_moves` says which moves count.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import (
    Approval,
    by_approval,
    by_emergency,
    list_trusted_holdings,
    read_approval,
    select_approved_moves,
    select_trusted_moves,
)
from registry.templates.models import Template, Version

__all__ = [
    "find_approvals_of_refs",
    "find_last_approved_version",
    "is_accepted_digest",
    "list_approved_digests",
    "list_trusted_digests",
]


def list_approved_digests(template_ids: Collection[int]) -> defaultdict[tuple[int, str], set[str]]:
    """Map template id and label to the digests that the label held by approval; one query."""
    digests: defaultdict[tuple[int, str], set[str]] = defaultdict(set)
    rows = select_approved_moves().filter(template__in=template_ids).order_by()
    for template, label, digest in rows.values_list("template_id", "label", "after__digest").distinct():
        digests[template, label].add(digest)
    return digests


def list_trusted_digests(template_ids: Collection[int]) -> Mapping[tuple[int, str], set[str]]:
    """Map template and label to the digests of the `select_trusted_moves`; one query."""
    holdings = list_trusted_holdings(template_ids)
    return defaultdict(set, {place: {digest for _, _, digest in moves} for place, moves in holdings.items()})


def is_accepted_digest(template: Template, labels: Collection[str], digest: str) -> bool:
    """Whether one of these labels held the bytes by approval, or the head of an open, approved change has them.

    labels: those that are protected now. Being served by one of them is not enough.
    """
    agreed = template.changes.approved().filter(label__in=labels, version__digest=digest)
    return (
        select_approved_moves().filter(template=template, label__in=labels, after__digest=digest).exists()
        or agreed.exists()
    )


def find_last_approved_version(template: Template, label: str, before: LabelMove | None = None) -> Version | None:
    """The last version that the label held by approval, or None; with `before` only earlier moves count. A version
    that the label was rolled back from doesn't count.
    """
    rows = select_trusted_moves().filter(template=template, label=label)
    if before is not None:
        rows = rows.filter(pk__lt=before.pk)
    move = rows.select_related("after").order_by("-pk").first()
    return move.after if move else None


def find_approvals_of_refs(names: Iterable[str], label: str) -> dict[str, Approval]:
    """Map template name to how its label got the version that it serves; one query. Absent where it is unprotected."""
    rows = Label.objects.filter(template__name__in=list(names), name=label)
    rows = rows.annotate(approved=by_approval(), emergency=by_emergency())
    columns = ("template__name", "template__namespace__protected_labels", "approved", "emergency")
    return {
        name: read_approval(approved, emergency)
        for name, protected, approved, emergency in rows.values_list(*columns)
        if label in protected
    }
