"""The check of label moves during a restore: a protected label moves only as the rules of its day allow.

Whoever edits a clone can make the hashes fit again, but not what the events say together: an approval by somebody who
was no reviewer then, or a move that nobody approved, stops the restore.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from registry.changes import gate as change_gate
from registry.changes import policy
from registry.changes.contributor_reasons import Reason
from registry.changes.facts import Facts
from registry.changes.models import ChangeRequest
from registry.journal.models import Event
from registry.mirror.errors import MirrorError
from registry.namespaces.models import Namespace
from registry.templates.label_models import LabelMove

__all__ = ["require_allowed"]


def require_allowed(event: Event, body: Mapping[str, Any], *, is_strict: bool) -> None:
    """Raise MirrorError if the label of a `label.moved` was protected and the move is none that the rules allow.

    is_strict: whether some publication up to this one was decided with every contributor counted.
    """
    namespace = Namespace.objects.get(name=event.namespace)
    if body["label"] not in namespace.protected_labels:
        return
    if fault := _FAULTS.get(body["how"], _fault_of_others)(namespace, event, body, is_strict):
        raise MirrorError(
            f"Event {event.number} moves {body['label']}, which is protected in {namespace.name}, to version "
            f"{body['to']} of "
            f"{event.template}: {fault}"
        )


def _fault_of_publishing(namespace: Namespace, event: Event, body: Mapping[str, Any], is_strict: bool) -> str:
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
    facts = gate.facts if is_strict else replace(gate.facts, contributors=_of_old(gate.facts))
    approvals = policy.count_approvals(gate.rules, facts)
    # Objections don't count here: whether a person was active then, no event says.
    if approvals.missing:
        return f"{approvals.missing} of {gate.needed} approvals were missing."
    if approvals.missing_owners:
        return f"none of its owners ({', '.join(approvals.missing_owners)}) approved."
    return f"nobody of the group {approvals.missing_groups[0]} approved." if approvals.missing_groups else ""


def _of_old(facts: Facts) -> dict[str, tuple[Reason, ...]]:
    """Whose approval did not count before every contributor was: who opened the request, and who wrote its head."""
    return {person: (Reason("own", "", ""),) for person in (facts.opened_by, facts.author)}


def _fault_of_rolling_back(_namespace: Namespace, event: Event, body: Mapping[str, Any], _is_strict: bool) -> str:
    """Any version that the label held will do: that was the rule once, and such events are restored like all others.

    It gives a forger nothing lasting: a roll back is no approval, so limited keys and later roll backs don't count it.
    """
    moves = LabelMove.objects.filter(
        template__name=event.template, label=body["label"], after__digest=body["digest"]
    ).exists()
    return "" if moves else "it never held that."


def _fault_of_others(_namespace: Namespace, _event: Event, body: Mapping[str, Any], _is_strict: bool) -> str:
    return f"it was {body['how'].replace('_', ' ')} without a request."


_FAULTS = {
    "published": _fault_of_publishing,
    "broke_glass": _fault_of_publishing,
    "rolled_back": _fault_of_rolling_back,
}
