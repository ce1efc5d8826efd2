"""Who may approve, and what still stands between a request and its label. The whole gate, as a function of facts.

Nothing here reads the database: `registry.queries.changes` gathers the facts inside the caller's transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.review.rules import Rules

__all__ = ["Blocker", "Facts", "Standing", "Voice", "blockers", "fault_of_approver", "standing"]


@dataclass(frozen=True)
class Voice:
    """One decision in a request: whose, what, in which round, and whether the person is a reviewer today."""

    person: str
    decision: str
    digest: str
    round: int
    is_reviewer: bool


@dataclass(frozen=True)
class Facts:
    """What the gate looks at. Persons are usernames; numbers are version numbers."""

    label: str
    path: str
    number: int
    digest: str
    round: int
    opened_by: str
    author: str
    voices: tuple[Voice, ...]
    reviewers: tuple[str, ...]
    holds: int | None
    holds_digest: str | None
    descends: bool
    archived: bool
    closed: bool = False
    unreviewed: bool = False
    held_by_approval: bool = True  # what the label holds; asked for only where that is the head itself


@dataclass(frozen=True)
class Standing:
    """Where a request stands with its reviewers."""

    approvals: tuple[str, ...]
    objections: tuple[str, ...]
    missing: int
    missing_owners: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        """Whether the reviewers' part is done."""
        return not self.objections and self.missing == 0 and not self.missing_owners


@dataclass(frozen=True)
class Blocker:
    """One thing between the request and its label: why, what to do about it, and who is waited for."""

    code: str
    cause: str
    action: str
    waiting_for: tuple[str, ...] = ()


def fault_of_approver(rules: Rules, person: str, opened_by: str, author: str) -> str:
    """Why this person may not decide on the request, or nothing. One's own: opened or written by that person."""
    if rules.self_approval or person not in (opened_by, author):
        return ""
    return "You opened this request." if person == opened_by else "You wrote the version that it proposes."


def standing(rules: Rules, facts: Facts) -> Standing:
    """Count the voices: the last word of each reviewer in this round, on this digest, about what is not their own."""
    last: dict[str, str] = {}
    for voice in facts.voices:
        counts = voice.is_reviewer and voice.round == facts.round and voice.digest == facts.digest
        if counts and voice.decision in ("approve", "request_changes"):
            last[voice.person] = voice.decision
    approvals = tuple(
        person
        for person, decision in last.items()
        if decision == "approve" and not fault_of_approver(rules, person, facts.opened_by, facts.author)
    )
    objections = tuple(person for person, decision in last.items() if decision == "request_changes")
    owners = rules.owners_of(facts.path)
    missing_owners = owners if owners and not set(owners) & set(approvals) else ()
    return Standing(approvals, objections, max(0, rules.approvals - len(approvals)), missing_owners)


def blockers(rules: Rules, facts: Facts, viewer: str, others: Sequence[Blocker] = ()) -> list[Blocker]:
    """Everything that keeps the request from being published, with the viewer's next action; nothing when it may be.

    `others` are blockers found elsewhere, such as required checks that have not passed.
    """
    if facts.closed:
        return []
    found = [] if facts.unreviewed else [*_of_the_label(facts), *others]
    counted = standing(rules, facts)
    may_decide = viewer in facts.reviewers and not fault_of_approver(rules, viewer, facts.opened_by, facts.author)
    if counted.objections:
        found.append(_of_objections(counted, facts, viewer))
    if counted.missing:
        found.append(_of_approvals(counted, rules, facts, viewer, may_decide))
    if counted.missing_owners:
        owners = counted.missing_owners
        found.append(
            Blocker(
                "owners",
                f"An owner of {facts.path} has to approve: {', '.join(owners)}.",
                "Approve or request changes." if viewer in owners and may_decide else f"Ask {' or '.join(owners)}.",
                owners,
            )
        )
    return found


def _of_the_label(facts: Facts) -> list[Blocker]:
    if facts.archived:
        return [
            Blocker("archived", "The template is archived.", "Ask an admin to bring it back, or withdraw the request.")
        ]
    if facts.holds_digest == facts.digest and facts.held_by_approval:
        return [
            Blocker("held", f"{facts.label} already holds exactly this.", "Withdraw the request.", (facts.opened_by,))
        ]
    if not facts.descends:
        return [
            Blocker(
                "diverged",
                f"Version {facts.number} was not made from version {facts.holds}, which {facts.label} holds now.",
                f"Bring what version {facts.holds} changed into a new version, and put that into the request.",
                (facts.author,),
            )
        ]
    return []


def _of_objections(counted: Standing, facts: Facts, viewer: str) -> Blocker:
    people = ", ".join(counted.objections)
    if viewer in counted.objections:
        return Blocker("objection", "You asked for changes.", "Approve when they are made.", (facts.author,))
    return Blocker(
        "objection", f"{people} asked for changes.", "Save a version that meets them, and put it in.", (facts.author,)
    )


def _of_approvals(counted: Standing, rules: Rules, facts: Facts, viewer: str, may_decide: bool) -> Blocker:
    asked = tuple(
        person
        for person in facts.reviewers
        if person not in counted.approvals and not fault_of_approver(rules, person, facts.opened_by, facts.author)
    )
    cause = f"{counted.missing} of {rules.approvals} approval{'s are' if rules.approvals > 1 else ' is'} missing."
    if may_decide and viewer not in counted.approvals:
        action = "Read the change, then approve it or request changes."
    elif asked:
        action = f"Ask {' or '.join(asked[:3])} to review it."
    else:
        action = "Ask an admin to make another person a reviewer: nobody who may approve is left."
    return Blocker("approvals", cause, action, asked)
