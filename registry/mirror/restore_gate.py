"""The check of label moves during a restore: a protected label moves only as the rules of that time allow.

An attacker who edits a clone can recompute the hashes, but events must also be consistent: an approval by someone who
wasn't a reviewer then, or an unapproved move, aborts the restore.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from registry.changes import gate as change_gate
from registry.changes import policy
from registry.changes.contributor_reasons import Reason
from registry.changes.facts import GateFacts
from registry.changes.models import ChangeRequest
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.namespaces.models import Namespace
from registry.templates.label_models import LabelMove

__all__ = ["require_allowed"]


def require_allowed(event: Event, body: Mapping[str, Any], *, is_strict: bool) -> None:
    """Raise MirrorError if the label of a `label.moved` was protected and the rules don't allow the move.

    is_strict: whether a publication up to this one was decided with every contributor counted.
    """
    namespace = Namespace.objects.get(name=event.namespace)
    if body["label"] not in namespace.protected_labels:
        return
    if fault := _FAULTS.get(body["how"], _find_fault_of_other_move)(namespace, event, body, is_strict):
        raise MirrorError(
            f"Event {event.number} moves {body['label']}, which is protected in {namespace.name}, to version "
            f"{body['to']} of "
            f"{event.template}: {fault}"
        )


def _find_fault_of_publishing(namespace: Namespace, event: Event, body: Mapping[str, Any], is_strict: bool) -> str:
    change = (
        ChangeRequest.objects.select_related("template__namespace", "version__author", "opened_by")
        .filter(number=body["change"], template__name=event.template, label=body["label"])
        .first()
    )
    if change is None or change.version.number != body["to"] or not change.is_open:
        return "no request for it was open."
    if body["how"] == "broke_glass" and not namespace.break_glass:
        return "no emergencies are allowed there."
    if body["how"] == "broke_glass" and not body.get("reviewed"):
        return ""
    gate = change_gate.evaluate(change, None, with_checks=False)
    facts = gate.facts if is_strict else replace(gate.facts, contributors=_exclude_authors(gate.facts))
    approvals = policy.count_approvals(gate.rules, facts)
    # Objections are ignored here: no event records whether a person was active then.
    if approvals.missing:
        return f"{approvals.missing} of {gate.needed} approvals were missing."
    if approvals.missing_owners:
        return f"none of its owners ({', '.join(approvals.missing_owners)}) approved."
    return f"nobody of the group {approvals.missing_groups[0]} approved." if approvals.missing_groups else ""


def _exclude_authors(facts: GateFacts) -> dict[str, tuple[Reason, ...]]:
    """The contributors under the earlier rule: only the person who opened the request and the author of its head."""
    return {person: (Reason("own", "", ""),) for person in (facts.opened_by, facts.author)}


def _find_fault_of_roll_back(_namespace: Namespace, event: Event, body: Mapping[str, Any], _is_strict: bool) -> str:
    """Accept any version that the label held: this was an earlier rule, and its events must be restorable.

    A forger gains nothing lasting: a roll back isn't an approval, so limited keys and later roll backs ignore it.
    """
    was_held = LabelMove.objects.filter(
        template__name=event.template, label=body["label"], after__digest=body["digest"]
    ).exists()
    return "" if was_held else "it never held that."


def _find_fault_of_other_move(_namespace: Namespace, _event: Event, body: Mapping[str, Any], _is_strict: bool) -> str:
    return f"it was {body['how'].replace('_', ' ')} without a request."


_FAULTS = {
    "published": _find_fault_of_publishing,
    "broke_glass": _find_fault_of_publishing,
    "rolled_back": _find_fault_of_roll_back,
}
