"""Emergencies: changes published before their approvals, where a namespace allows it, and their follow-up."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import blockers, locking
from registry.changes import gate as change_gate
from registry.changes.events import EmergencyClosed
from registry.changes.models import ChangeRequest, Decision
from registry.changes.queries import lock_change
from registry.core.errors import Conflict, Invalid, NotAllowed
from registry.core.input_checks import check_text
from registry.journal import log
from registry.namespaces import permissions
from registry.namespaces.permissions import list_visible_namespaces
from registry.namespaces.verbs import Verb
from registry.templates import label_moves
from registry.templates.approved_versions import list_trusted_digests
from registry.templates.label_models import Label, LabelMove
from registry.templates.label_moves import IS_BACKWARD
from registry.templates.label_ways_back import find_ways_back

__all__ = [
    "Emergency",
    "close_emergency",
    "find_emergencies",
    "find_emergency",
    "list_served_emergencies",
    "list_unapproved",
    "list_waiting_changes",
    "publish_in_emergency",
]


@dataclass(frozen=True)
class Emergency:
    """A change that was published in an emergency, before it was approved or despite another blocker.

    move: who, when, why. holds: the number of the version that the label serves now, None if it is not set. is_served:
    whether that is the emergency's content and no other change has approved it since. back: the number of the version
    that the label rolls back to, as in `find_ways_back`, or None. approvers: usernames, in the order of their
    approvals. approved_at: time of the last approval, before or after the move; None until it is approved. was_left:
    whether the label had been rolled back from this content before, so that an earlier approval of it doesn't count.
    """

    change: ChangeRequest
    move: LabelMove
    holds: int | None
    is_served: bool
    back: int | None
    approvers: tuple[str, ...] = ()
    approved_at: datetime | None = None
    was_left: bool = False

    @property
    def roll_back_target(self) -> int | None:
        """The number of the version to roll back to, while the emergency is still served."""
        return self.back if self.is_served else None

    @property
    def was_approved(self) -> bool:
        """Whether it already had its approvals when it was published."""
        return self.approved_at is not None and self.approved_at <= self.move.created_at


def list_waiting_changes(actor: Actor | None = None) -> list[ChangeRequest]:
    """List emergencies that are neither approved nor closed, oldest first, without archived templates. With an actor,
    only those they may read.
    """
    waiting = ChangeRequest.objects.in_emergency().values("pk")  # few rows, so templates are looked up by index
    rows = ChangeRequest.objects.filter(pk__in=waiting, template__archived_at=None)
    if actor is not None:
        rows = rows.filter(template__namespace__in=list_visible_namespaces(actor))
    rows = rows.select_related("template", "template__namespace", "version", "version__author", "opened_by")
    return list(rows.defer("version__bundle").order_by("closed_at", "number"))


def list_unapproved(actor: Actor) -> list[Emergency]:
    """List the unapproved emergencies that the actor may read: eight queries however many, one if there are none."""
    rows = list_waiting_changes(actor)
    return list(find_emergencies(rows).values()) if rows else []


def find_emergency(change: ChangeRequest) -> Emergency | None:
    """Return the emergency that published the change, or None if it was published normally."""
    return find_emergencies([change]).get(change.pk)


def find_emergencies(rows: Iterable[ChangeRequest]) -> dict[int, Emergency]:
    """Return those of these changes that were published in an emergency, keyed by number, in the given order."""
    changes = {row.pk: row for row in rows}
    moves = LabelMove.objects.filter(how="broke_glass", change__in=list(changes)).select_related("person")
    moved = {move.change_id: move for move in moves.order_by("pk")}
    open_changes = [change for number, change in changes.items() if number in moved]
    if not open_changes:
        return {}
    templates = {change.template_id for change in open_changes}
    served_versions = _read_served_versions(templates)
    trusted, ways_back = list_trusted_digests(templates), find_ways_back(templates)
    approvals = _find_approvals([change.pk for change in open_changes])
    roll_backs = _list_roll_backs(templates)
    emergencies = {}
    for change in open_changes:
        place, move = (change.template_id, change.label), moved[change.pk]
        holds, digest = served_versions.get(place, (None, ""))
        is_served = digest == change.version.digest
        if change.unreviewed and digest in trusted[place]:
            is_served = False  # another change has approved this content since
        back = ways_back.get(place)
        approvers, at = approvals.get(change.pk, ((), None))
        is_approved = not change.unreviewed
        emergencies[change.pk] = Emergency(
            change,
            move,
            holds,
            is_served,
            back,
            approvers if is_approved else (),
            at if is_approved else None,
            any(pk < move.pk for pk in roll_backs.get((*place, change.version.digest), ())),
        )
    return emergencies


def list_served_emergencies(actor: Actor) -> dict[tuple[int, str], int]:
    """Map (template id, label) to the number of the unapproved emergency it serves, if the actor may read it."""
    unreviewed = ChangeRequest.objects.filter(unreviewed=True).values("pk")
    rows = ChangeRequest.objects.filter(pk__in=unreviewed, template__namespace__in=list_visible_namespaces(actor))
    columns = rows.values_list("template_id", "label", "version__digest", "pk")
    emergencies = {(template, label, digest): pk for template, label, digest, pk in columns}
    templates = {template for template, _, _ in emergencies}
    served_versions, trusted = (
        (_read_served_versions(templates), list_trusted_digests(templates)) if emergencies else ({}, {})
    )
    return {
        (template, label): number
        for (template, label, digest), number in emergencies.items()
        if served_versions.get((template, label), (None, ""))[1] == digest
        and digest not in trusted.get((template, label), ())
    }


def _read_served_versions(templates: set[int]) -> Mapping[tuple[int, str], tuple[int, str]]:
    """Map template and label to the number and digest of the version it serves."""
    rows = Label.objects.filter(template__in=templates)
    columns = rows.values_list("template_id", "name", "version__number", "version__digest")
    return {(template, name): (number, digest) for template, name, number, digest in columns}


def _list_roll_backs(templates: set[int]) -> Mapping[tuple[int, str, str], list[int]]:
    """Map template, label and digest to the roll backs by which the label left that content."""
    rows = LabelMove.objects.filter(IS_BACKWARD, template__in=templates)
    roll_backs: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for template, label, digest, pk in rows.values_list("template_id", "label", "before__digest", "pk"):
        roll_backs[template, label, str(digest)].append(pk)
    return roll_backs


def _find_approvals(numbers: list[int]) -> dict[int, tuple[tuple[str, ...], datetime]]:
    """Map each change to the current approvers of its head and the time of the last approval."""
    counted = (Decision.APPROVE, Decision.TAKE_BACK)
    rows = Decision.objects.filter(change__in=numbers, decision__in=counted).select_related("person", "change")
    approvals_by_change: dict[int, dict[str, datetime]] = {}
    for decision in rows.order_by("pk"):
        if decision.round != decision.change.round:
            continue
        approvals = approvals_by_change.setdefault(decision.change_id, {})
        if decision.decision == Decision.TAKE_BACK:
            approvals.pop(decision.person.username, None)
        else:
            approvals[decision.person.username] = decision.created_at
    return {change: (tuple(people), max(people.values())) for change, people in approvals_by_change.items() if people}


_BY_NO_MEANS = {"archived", "held", "superseded", blockers.IN_RELEASE, blockers.ROLLING_OUT}


def publish_in_emergency(
    *, actor: Actor, number: int, reason: str, version: int | None = None, expected: int | None = None
) -> ChangeRequest:
    """Move the label despite missing approvals or checks; for reviewers who signed in, with a reason.

    version: as in `change.require_seen_version`. expected: as in `label_moves.require_unmoved`. The request counts as
    published; it stays unreviewed until it is approved after the fact. The session must have a recent proof of identity
    even where `PROMPTUARY_STEP_UP` is off. Everyone concerned is notified. Its checks stay
    as they are now. Appends one event, as in `label_moves.record_move`, with how = broke_glass.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it can't wait: everyone concerned will read it.")})
    with transaction.atomic():
        change = lock_change(actor, Verb.ROLL_BACK, number)
        permissions.require_proof(actor, is_emergency=True)
        if not change.is_open:
            raise locking.build_closed_conflict(change)
        _require_allowed(actor, change)
        label_moves.require_unmoved(change.template, change.label, expected)
        change.require_seen_version(version)
        gate = change_gate.evaluate(change, actor)
        blockers = gate.blockers
        if not blockers:
            raise Conflict(gettext("Nothing blocks this change: publish it."), change=number)
        if stuck := [blocker for blocker in blockers if blocker.code in _BY_NO_MEANS]:
            raise Conflict(f"{stuck[0].cause} {stuck[0].action}", change=number)
        _require_effect(change)
        is_reviewed = gate.approval_status.is_enough  # still an emergency if a freeze or a check blocks it
        change.state, change.unreviewed = ChangeRequest.PUBLISHED, not is_reviewed
        change.closed_at = change.updated_at = log.now()
        change.decided = gate.to_decision_record().to_dict()
        change.save()
        move = LabelMove(template=change.template, label=change.label, after=change.version, how="broke_glass")
        move.reason, move.change = reason.strip(), change
        reason_of_freeze = gate.facts.freeze.reason if gate.facts.freeze else None
        label_moves.record_move(
            actor, move, at=change.closed_at, ignored_freeze=reason_of_freeze, is_reviewed=is_reviewed
        )
    return change


def close_emergency(*, actor: Actor, number: int, reason: str) -> ChangeRequest:
    """Close an emergency that its label no longer serves, without approving it; for another reviewer, with a reason.

    It stays `unreviewed`: nobody approved that publication, so it is no roll back target. Raises Conflict while the
    label serves it (approve it or roll back first) and if there is nothing to close. Raises NotAllowed for people who
    may not approve the change, and for the publisher unless self-approval is allowed.
    """
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it needs no approval: the audit log shows it.")})
    with transaction.atomic():
        change = lock_change(actor, Verb.APPROVE, number)
        emergency = find_emergency(change)
        if emergency is None or not change.needs_approval:
            raise Conflict(
                gettext("Change {number} is not an emergency that waits for approval.").format(number=number),
                change=number,
            )
        if emergency.is_served:
            raise Conflict(
                gettext("{label} still serves version {version}: approve it, or roll back first.").format(
                    label=change.label, version=change.version.number
                ),
                change=number,
            )
        locking.require_reviewer(change_gate.evaluate(change, actor, with_checks=False))
        if emergency.move.person_id == actor.person.pk and not change.template.namespace.self_approval:
            raise NotAllowed(gettext("You published it in an emergency. Another reviewer closes it."), change=number)
        permissions.require_proof(actor)
        change.emergency_closed_at = change.updated_at = log.now()
        change.save()
        locking.append_step(actor, change, EmergencyClosed(**locking.step_of(change), reason=reason.strip()))
    return change


def _require_effect(change: ChangeRequest) -> None:
    """Raise Conflict if the label already serves the head and only its approval is missing."""
    served = Label.objects.filter(template=change.template, name=change.label, version__digest=change.version.digest)
    if served.exists():
        raise Conflict(
            gettext("{label} serves version {version} already; what is missing is the approval of it.").format(
                label=change.label, version=change.version.number
            ),
            change=change.number,
        )


def _require_allowed(actor: Actor, change: ChangeRequest) -> None:
    namespace = change.template.namespace
    if actor.key is not None or actor.is_operator:
        raise NotAllowed(
            gettext("Publishing without approval is done by a person who signed in."), change=change.number
        )
    if not namespace.break_glass:
        raise NotAllowed(
            gettext(
                "{namespace} does not allow publishing without approval; an admin can with the rule break_glass."
            ).format(namespace=namespace.name),
            change=change.number,
        )
