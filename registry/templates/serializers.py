"""What goes out: rows as the JSON that the API documents. `outputs` describes the same for the schema."""

import json
from collections.abc import Mapping
from typing import Any

from registry.accounts.actor import Actor
from registry.changes import checks, emergencies
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes.checks import Check
from registry.changes.dependant_update import UpdatedDependant
from registry.changes.emergencies import Emergency
from registry.changes.gate import Gate
from registry.changes.merge import MergePreview
from registry.changes.models import ChangeRequest, Comment, Decision
from registry.changes.queries import PlacedThread
from registry.core.names import LATEST
from registry.core.timestamps import format_moment, from_microseconds
from registry.namespaces import permissions
from registry.namespaces.permissions import Verb
from registry.templates import approvals
from registry.templates.approvals import Approval
from registry.templates.limited_key_view import Shown
from registry.templates.models import Label, LabelMove, Template, Version
from registry.templates.version_queries import Entry

__all__ = [
    "change",
    "change_item",
    "history_item",
    "label",
    "label_move",
    "merge",
    "saved",
    "template",
    "thread",
    "updated",
]


def template(row: Template, labels: Mapping[str, int], told: Shown, approval: Mapping[str, Approval]) -> dict[str, Any]:
    """A template without its document; `latest` stands beside the labels, not among them.

    approval: protected label to how it came to what it serves.
    """
    latest = {"version": told.version.number, "digest": told.version.digest} if told.version else None
    return {
        "name": row.name,
        "description": told.description,
        "tags": list(told.tags),
        "format": told.format,
        "labels": {label: number for label, number in labels.items() if label != LATEST},
        "approval": {label: found.value for label, found in approval.items()},
        "latest": latest,
        "archived_at": format_moment(row.archived_at),
    }


def history_item(entry: Entry) -> dict[str, Any]:
    """One version in a history."""
    version = entry.version
    return {
        "version": version.number,
        "digest": version.digest,
        "author": version.author.username,
        "message": version.message,
        "created_at": format_moment(version.created_at),
        "base": version.base.number if version.base else None,
        "commit": entry.commit,
        "labels": list(entry.labels),
        "redacted": _redaction(version),
    }


def _redaction(version: Version) -> dict[str, Any] | None:
    row = version.tombstone
    return {"at": format_moment(row.created_at), "by": row.person.username, "reason": row.reason} if row else None


def saved(name: str, version: Version, problems: list[dict[str, Any]]) -> dict[str, Any]:
    """A version as it was saved, with the warnings and notes about it."""
    return {
        "name": name,
        "version": version.number,
        "digest": version.digest,
        **version.unpacked(),
        "settings": json.loads(version.settings),
        "author": version.author.username,
        "message": version.message,
        "created_at": format_moment(version.created_at),
        "base": version.base.number if version.base else None,
        "problems": problems,
    }


def label(name: str, row: Label) -> dict[str, Any]:
    """Where a label stands."""
    version = row.version
    approval = approvals.of_label(row.template, row.name)
    return {
        "template": name,
        "label": row.name,
        "version": version.number,
        "digest": version.digest,
        "approval": approval.value if approval else None,
    }


def label_move(row: LabelMove) -> dict[str, Any]:
    """One move of a label, in its history."""
    return {
        "label": row.label,
        "before": row.before.number if row.before else None,
        "after": row.after.number if row.after else None,
        "how": row.how,
        "protected": row.protected,
        "reason": row.reason,
        "change": row.change.number if row.change else None,
        "person": row.person.username,
        "created_at": format_moment(row.created_at),
    }


def merge(found: MergePreview | None) -> dict[str, Any]:
    """What head and label come to together; only `needed` counts where the head comes from what the label holds."""
    if found is None:
        return dict.fromkeys(("base", "held", "head", "clean", "document")) | {"needed": False, "conflicts": []}
    return {
        "needed": True,
        "base": found.base.number if found.base else None,
        "held": found.held.number,
        "head": found.head.number,
        "clean": found.merged.is_clean,
        "document": found.merged.text,
        "conflicts": [
            {"line": one.line, "base": one.base, "ours": one.ours, "theirs": one.theirs}
            for one in found.merged.conflicts
        ],
    }


def updated(row: UpdatedDependant) -> dict[str, Any]:
    """What became of one template that includes a fragment."""
    return {
        "template": row.template.name,
        "version": row.version.number if row.version else None,
        "change": row.change.number if row.change else None,
        "refusal": row.refusal,
    }


def change_item(row: ChangeRequest, emergency: Emergency | None) -> dict[str, Any]:
    """A change request in a list, with the emergency it was published in, if it was."""
    return {
        "number": row.number,
        "template": row.template.name,
        "label": row.label,
        "version": row.version.number,
        "digest": row.version.digest,
        "state": row.state,
        "message": row.message,
        "author": row.opened_by.username,
        "emergency": emergency is not None,
        "unreviewed": row.unreviewed,
        "created_at": format_moment(row.created_at),
        "updated_at": format_moment(row.updated_at),
    }


def _published_early(row: ChangeRequest, found: Emergency | None) -> dict[str, Any] | None:
    """How the change was published in an emergency, and what became of it; None where it was not."""
    if found is None:
        return None
    return {
        "person": found.move.person.username,
        "reason": found.move.reason,
        "at": format_moment(found.move.created_at),
        "served": found.is_served,
        "roll_back_to": found.back if found.is_served else None,
        "approved_by": list(found.approvers),
        "approved_at": format_moment(found.approved_at) if found.approved_at else None,
        "closed_at": format_moment(row.emergency_closed_at) if row.emergency_closed_at else None,
    }


def change(row: ChangeRequest, actor: Actor) -> dict[str, Any]:
    """A change request with what was said and what it waits for; of a closed one, what it was decided on."""
    gate = change_gate.evaluate(row, actor)
    turn = gate.turn
    approval = approvals.of_label(row.template, row.label)
    decisions = row.decisions.select_related("person", "version").defer("version__bundle").order_by("number")
    emergency = emergencies.find_emergency(row)
    told = {
        **change_item(row, emergency),
        "published_in_emergency": _published_early(row, emergency),
        "round": row.round,
        "holds": gate.facts.holds,
        "approval": approval.value if approval else None,
        "closed_at": format_moment(row.closed_at),
        "turn": {"people": list(turn.people), "reason": turn.reason, "since": format_moment(turn.since)}
        if turn
        else None,
        "riding_along": list(gate.riding),
        "overlapping": [other.number for other in change_queries.list_overlapping(row)] if row.is_open else [],
        "checks": [_check(gate, state) for state in gate.checks],
        "approvals": [{"person": one.person, "at": _of_microseconds(one.at)} for one in gate.approvals],
        "approvals_needed": gate.needed,
        "may_approve": gate.may_approve,
        "why": gate.why or None,
        "contributors": [
            {"person": person, "why": reason.they}
            for person, reasons in gate.facts.contributors.items()
            for reason in reasons
        ],
        "exemptions": [{"person": it.person, "rule": it.rule, "why": it.why} for it in gate.exemptions],
        "decisions": [_decision(said) for said in decisions],
        "blockers": [
            {"code": blocker.code, "cause": blocker.cause, "action": blocker.action} for blocker in gate.blockers
        ],
    }
    return told if permissions.can(actor, Verb.READ, row.template.namespace) else _without_text(told)


def _without_text(told: dict[str, Any]) -> dict[str, Any]:
    """The same for a key that may propose or publish, but not read: what people wrote and checks found is left out."""
    checks_told = [{**one, "summary": "", "findings": []} for one in told["checks"]]
    decisions = [{**one, "text": ""} for one in told["decisions"]]
    return {**told, "message": "", "checks": checks_told, "decisions": decisions}


def _check(gate: Gate, state: Check) -> dict[str, Any]:
    is_frozen = gate.looked is None
    return {
        "name": state.name,
        "state": state.outcome or ("unfinished" if is_frozen else "waiting"),
        "required": state.is_required,
        "blocking": state.is_blocking and not is_frozen,
        "acknowledged": state.is_acknowledged,
        "summary": state.summary,
        "at": _of_microseconds(state.at),
        "findings": list(state.findings),
        "digests": checks.digests_of(state.name, gate.looked) if gate.looked else {},
    }


def _of_microseconds(at: int | None) -> str | None:
    return format_moment(from_microseconds(at)) if at is not None else None


def _decision(said: Decision) -> dict[str, Any]:
    return {
        "number": said.number,
        "person": said.person.username,
        "decision": said.decision,
        "version": said.version.number,
        "digest": said.digest,
        "round": said.round,
        "text": said.text,
        "created_at": format_moment(said.created_at),
    }


def thread(placed: PlacedThread) -> dict[str, Any]:
    """A thread of a request: the lines it was opened on, and where those stand in the head."""
    row = placed.thread
    return {
        "number": row.number,
        "side": row.side,
        "version": row.version.number,
        "digest": row.version.digest,
        "line": row.line,
        "end_line": row.end_line,
        "sample": row.sample,
        "part": row.part,
        "quote": row.quote,
        "head_line": placed.line,
        "head_end_line": placed.end_line,
        "outdated": placed.is_outdated,
        "resolved": placed.is_resolved,
        "resolved_by": row.resolved_by.username if row.resolved_by else None,
        "created_at": format_moment(row.created_at),
        "comments": [_comment(said) for said in placed.comments],
    }


def _comment(said: Comment) -> dict[str, Any]:
    return {
        "number": said.number,
        "person": said.person.username,
        "text": said.text,
        "suggestion": said.suggestion,
        "created_at": format_moment(said.created_at),
    }
