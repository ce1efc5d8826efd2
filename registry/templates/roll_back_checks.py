"""Checks before a label is rolled back to a version, for the roll back itself and for previews of it."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext

from registry.core.errors import ApprovalRequired, Conflict
from registry.core.timestamps import format_moment
from registry.freezes.queries import find_standing_freezes
from registry.freezes.windows import StandingFreeze
from registry.templates.approved_versions import list_approved_digests
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import require_undivided
from registry.templates.models import Template, Version

__all__ = ["LabelPast", "find_freeze_before", "read_label_pasts", "require_roll_back"]


@dataclass(frozen=True)
class LabelPast:
    """What decides where a label may be rolled back to: the digests that it held, those it held by approval, and the
    namespace's current freeze.
    """

    held_digests: Collection[str]
    approved_digests: Collection[str]
    freeze: StandingFreeze | None


def read_label_pasts(label: str, templates: Collection[Template]) -> Mapping[int, LabelPast]:
    """Map template id to the label's past, in three queries. The templates' namespaces must be loaded."""
    ids = [template.pk for template in templates]
    moves = LabelMove.objects.filter(template__in=ids, label=label, after__isnull=False).order_by()
    held_digests: defaultdict[int, set[str]] = defaultdict(set)
    for pk, digest in moves.values_list("template_id", "after__digest").distinct():
        held_digests[pk].add(str(digest))
    approved = list_approved_digests(ids)
    freezes = find_standing_freezes({template.namespace_id for template in templates})
    return {
        template.pk: LabelPast(
            held_digests[template.pk], approved[template.pk, label], freezes.get(template.namespace_id)
        )
        for template in templates
    }


def require_roll_back(template: Template, label_row: Label, target: Version, past: LabelPast) -> None:
    """Raise the error that prevents rolling back to this version, if any; rights are not checked.

    Conflict if the template is archived, a rollout divides the label's callers, the label already serves the version,
    or a freeze prevents moving forward; Gone if the version was redacted; ApprovalRequired if the label never held it,
    or a protected one never by approval.
    """
    if template.archived_at is not None:
        raise Conflict(gettext("{name} is archived.").format(name=template.name))
    require_undivided(label_row)
    if label_row.version.digest == target.digest:
        raise Conflict(
            gettext("{label} already serves version {number}.").format(
                label=label_row.name, number=label_row.version.number
            ),
            actual=label_row.version.number,
        )
    target.require_text()
    _require_held(template, label_row.name, target, past)
    if freeze := _find_freeze(template, label_row, target.number, past.freeze):
        raise Conflict(
            f"{freeze.sentence} {freeze.advice}",
            next_slot=format_moment(freeze.slot) if freeze.slot else None,
        )


def find_freeze_before(template: Template, label: str, number: int) -> StandingFreeze | None:
    """The freeze that prevents rolling the label back to this version now, or None. A freeze only prevents a protected
    label from moving to a newer version than it serves.
    """
    label_row = template.labels.filter(name=label).select_related("version").first()
    if label_row is None:
        return None
    return _find_freeze(
        template, label_row, number, find_standing_freezes([template.namespace_id]).get(template.namespace_id)
    )


def _require_held(template: Template, label: str, target: Version, past: LabelPast) -> None:
    if target.digest not in past.held_digests:
        raise ApprovalRequired(
            gettext("{label} never held version {number}, so it can't go back to it: propose a change.").format(
                label=label, number=target.number
            ),
            label=label,
        )
    if label in template.namespace.protected_labels and target.digest not in past.approved_digests:
        raise ApprovalRequired(
            gettext(
                "{label} is protected, and it held version {number} without an approval for it: propose a change."
            ).format(label=label, number=target.number),
            label=label,
        )


def _find_freeze(
    template: Template, label_row: Label, number: int, freeze: StandingFreeze | None
) -> StandingFreeze | None:
    is_forward = number >= label_row.version.number
    return freeze if is_forward and label_row.name in template.namespace.protected_labels else None
