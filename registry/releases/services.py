"""Releases: several change requests that move one label in one transaction, or not at all.

Each member keeps its own approvals, checks and gate. A release only adds that its members are published together.
"""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import decisions, locking, queries
from registry.changes import services as change_services
from registry.changes.blockers import FREEZE, Blocker
from registry.changes.models import ChangeRequest, Decision
from registry.core.errors import ApprovalRequired, Conflict, Invalid, NotFound
from registry.core.input_checks import check_text
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases import gate as release_gate
from registry.releases.events import (
    ReleasePublished,
    ReleaseWithdrawn,
)
from registry.releases.gate import Member, ReleaseGate
from registry.releases.models import Release
from registry.releases.moved_members import MemberVersions, read_open_members, require_unmoved
from registry.releases.queries import lock_release
from registry.releases.steps import close_release, require_open_release, step_fields

__all__ = [
    "approve_release",
    "ask_for_release_edits",
    "publish_locked_release",
    "publish_release",
    "withdraw_release",
]


def approve_release(*, actor: Actor, number: int, digests: Mapping[int, str], text: str = "") -> list[Decision]:
    """Approve several members together, each bound to the digest that the person looked at: all or none.

    digests: by the number of the change request. Raises like `decide_on_change` for each of them.
    """
    return _decide_on_members(actor, number, Decision.APPROVE, digests, text)


def ask_for_release_edits(*, actor: Actor, number: int, digests: Mapping[int, str], text: str) -> list[Decision]:
    """Ask for edits of several members together, each bound to the digest that the person looked at: all or none.

    text: what to edit; it is said in each of them. digests, errors: as in `approve_release`.
    """
    return _decide_on_members(actor, number, Decision.REQUEST_CHANGES, digests, text)


def publish_release(*, actor: Actor, number: int, expected: MemberVersions | None = None) -> Release:
    """Move the label of every open member if nothing blocks any of them: all or none, in one transaction.

    expected: for every member, the version and what its label serves, as the caller saw them; Conflict if any has
    changed, or one was added. Raises ApprovalRequired if reviews are missing, and Conflict for every other blocker;
    facts["blockers"] lists them with their templates.
    """
    with transaction.atomic():
        release = lock_release(actor, Verb.PUBLISH, number)
        permissions.require_proof(actor)
        require_open_release(release)
        if expected is not None:
            require_unmoved(release.label, expected, read_open_members(release), is_whole=True)
        publish_locked_release(actor, release)
    return release


def publish_locked_release(actor: Actor, release: Release, *, is_scheduled: bool = False) -> None:
    """Publish a release that was locked after the permission check; for services. Raises like `publish_release`."""
    require_open_release(release)
    gate = release_gate.evaluate_release(release, actor)
    members = gate.open_members
    for member in members:
        member.change.version.require_text()
    _require_unblocked(gate)
    for member in members:
        change_services.publish_unblocked(actor, member.gate, is_scheduled=is_scheduled)
    release.state = Release.PUBLISHED
    numbers = [member.change.number for member in members]
    close_release(actor, release, ReleasePublished(**step_fields(release), changes=numbers))


def withdraw_release(*, actor: Actor, number: int, reason: str) -> Release:
    """Close the release and its open members without publishing; for the person who opened it, or a reviewer."""
    if not check_text("reason", reason).strip():
        raise Invalid(fields={"reason": gettext("say why it is withdrawn: everyone who reviewed it will read it.")})
    with transaction.atomic():
        release = lock_release(actor, Verb.PROPOSE, number)
        require_open_release(release)
        gate = release_gate.evaluate_release(release, actor)
        paths = [member.change.template.path for member in gate.open_members]
        locking.require_opener(actor, release.namespace, paths, release.opened_by, "release")
        for member in gate.open_members:
            _require_may_withdraw(actor, release, member.change)
        for member in gate.open_members:
            change_services.withdraw_open(actor, member.gate, reason)
        release.state = Release.WITHDRAWN
        close_release(actor, release, ReleaseWithdrawn(**step_fields(release), reason=reason.strip()))
    return release


def _decide_on_members(
    actor: Actor, number: int, decision: str, digests: Mapping[int, str], text: str
) -> list[Decision]:
    if not digests:
        raise Invalid(fields={"digests": gettext("name at least one change, with the digest that you looked at.")})
    decisions.check_decision(decision, text)
    with transaction.atomic():
        release = lock_release(actor, Verb.APPROVE, number)
        require_open_release(release)
        members = {member.number: member for member in queries.list_members([number])}
        if strangers := [change for change in digests if change not in members]:
            raise NotFound(
                gettext("Release {number} has no change {strangers}.").format(number=number, strangers=strangers[0])
            )
        decision_rows: list[Decision] = []
        for place, (change, digest) in enumerate(sorted(digests.items()), 1):
            row = decisions.record_decision(
                actor,
                members[change],
                decision=decision,
                digest=digest,
                text=text,
                earlier=tuple(decision_rows),
                is_last=place == len(digests),
            )
            decision_rows.append(row)
        return decision_rows


def _require_unblocked(gate: ReleaseGate) -> None:
    number = gate.release.number
    if not gate.open_members:
        raise Conflict(gettext("No template is left in the release: add one, or withdraw it."), release=number)
    if not gate.blockers:
        return
    error = ApprovalRequired if any(blocker.is_by_reviewers for _, blocker in gate.blockers) else Conflict
    listed = [
        {
            "template": member.change.template.name,
            "change": member.change.number,
            **blocker.to_dict(),
        }
        for member, blocker in gate.blockers
    ]
    sentences = [_describe(member, blocker) for member, blocker in gate.blockers]
    raise error(" ".join(dict.fromkeys(sentences)), blockers=listed, release=number)


def _require_may_withdraw(actor: Actor, release: Release, change: ChangeRequest) -> None:
    """Members that joined as existing requests may be another person's: these have to be removed first, or a reviewer
    withdraws the release.
    """
    template = change.template
    locking.require_opener(actor, release.namespace, [template.path], change.opened_by, f"change of {template.name}")


def _describe(member: Member, blocker: Blocker) -> str:
    """The blocker as a sentence, with the template except for a freeze, which affects the whole namespace."""
    sentence = change_services.describe_blocker(blocker)
    return sentence if blocker.code == FREEZE else f"{member.change.template.name}: {sentence}"
