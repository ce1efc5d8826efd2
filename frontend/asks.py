"""What a change request shows to the one who looks: the state in words, and what that person may do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from registry import access
from registry.access import Actor, Verb
from registry.models import ChangeRequest, Decision
from registry.queries import changes, namespaces, verdicts
from registry.review import policy
from registry.review.checks import State
from registry.review.policy import Blocker

__all__ = ["Act", "CheckRow", "Obstacle", "Opinion", "acts_of", "checks_of", "obstacles", "opinions", "turn_of"]

ICONS = {
    "approvals": "circle-dashed",
    "owners": "users",
    "objection": "message-square",
    "diverged": "git-branch",
    "held": "check",
    "archived": "archive",
}
CHECK_LOOKS = {"passed": ("check", "ok", "passed"), "failed": ("x", "bad", "failed"), None: ("loader", "", "running")}


@dataclass(frozen=True)
class Obstacle:
    """A blocker with the one link that is this reader's next action; no link where the action is to wait or to talk."""

    icon: str
    cause: str
    action: str
    link: str = ""
    link_word: str = ""


@dataclass(frozen=True)
class Opinion:
    """A reviewer's last word: on this digest, or voided by a newer head."""

    person: str
    word: str
    icon: str
    look: str
    decision: Decision | None
    voided: bool


@dataclass(frozen=True)
class CheckRow:
    """A check with its state in words; `findings` of the contract are its changes, breaking ones first."""

    name: str
    icon: str
    look: str
    word: str
    summary: str
    required: bool
    acknowledged: bool
    findings: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class Act:
    """What this reader may do. Each `..._fault` says why not, in a sentence, where it is not simply somebody else's."""

    approve: bool
    approve_fault: str
    comment: bool
    acknowledge: bool
    publish: bool
    withdraw: bool
    reopen: bool
    set_version: bool
    emergency: bool


def acts_of(change: ChangeRequest, actor: Actor, blockers: Sequence[Blocker]) -> Act:
    """The buttons of the change page."""
    namespace = change.template.namespace
    rules = namespaces.rules_of(namespace)
    fault = policy.fault_of_approver(
        rules, actor.person.username, change.opened_by.username, change.version.author.username
    )
    reviewer = access.can(actor, Verb.APPROVE, namespace)
    decides = change.takes_decisions and reviewer
    writer = access.can(actor, Verb.PROPOSE, namespace)
    return Act(
        approve=decides and not fault,
        approve_fault=f"{fault} Another reviewer decides on it." if decides and fault else "",
        acknowledge=decides and not fault and any(blocker.code == "check:contract" for blocker in blockers),
        comment=access.can(actor, Verb.COMMENT, namespace),
        publish=change.is_open and not blockers and access.can(actor, Verb.PUBLISH, namespace),
        withdraw=change.is_open and writer and (reviewer or change.opened_by_id == actor.person.pk),
        reopen=change.state == ChangeRequest.WITHDRAWN and writer,
        set_version=change.is_open and writer,
        emergency=change.is_open and bool(blockers) and namespace.break_glass and reviewer,
    )


def obstacles(change: ChangeRequest, blockers: Sequence[Blocker], act: Act, newest: int) -> list[Obstacle]:
    """The blockers in the order in which they can be dealt with."""
    return [_obstacle(change, blocker, act, newest) for blocker in blockers]


def turn_of(blockers: Sequence[Blocker], actor: Actor) -> str:
    """Whose turn it is: `next is reviewer`."""
    people = [person for blocker in blockers[:1] for person in blocker.waiting_for]
    if actor.person.username in people:
        return "it is your turn"
    return f"next is {' or '.join(people[:3])}" if people else ""


def opinions(change: ChangeRequest) -> list[Opinion]:
    """Each reviewer's last word on this request, then those who are still waited for."""
    words = (Decision.APPROVE, Decision.REQUEST_CHANGES)
    said = change.decisions.filter(decision__in=words).select_related("person", "version").order_by("pk")
    last = {decision.person.username: decision for decision in said}
    shown = [_opinion(change, decision) for decision in last.values()]
    if not change.takes_decisions:
        return shown
    facts = changes.facts_of(change)
    rules = namespaces.rules_of(change.template.namespace)
    standing = policy.standing(rules, facts)
    if standing.missing:
        waiting = [
            person
            for person in facts.reviewers
            if person not in last and not policy.fault_of_approver(rules, person, facts.opened_by, facts.author)
        ]
        shown += [Opinion(person, "waiting", "circle-dashed", "", None, False) for person in waiting[:6]]
    return shown


def checks_of(change: ChangeRequest) -> list[CheckRow]:
    """The checks of the request on the digests it stands on now."""
    rows = []
    for state in verdicts.states(change):
        icon, look, word = CHECK_LOOKS.get(state.outcome, CHECK_LOOKS[None])
        rows.append(
            CheckRow(
                name=state.name,
                icon=icon,
                look=look,
                word=word,
                summary=_told(state),
                required=state.is_required,
                acknowledged=state.is_acknowledged,
                findings=sorted(state.findings, key=lambda finding: not finding.get("breaking")),
            )
        )
    return rows


def _told(state: State) -> str:
    """What there is to say of a check; one that runs says nothing, but for evaluations, which take their time."""
    if state.outcome is not None:
        return state.summary
    return f"{state.summary} {state.action}".strip() if state.name == "evaluation" else ""


def _opinion(change: ChangeRequest, decision: Decision) -> Opinion:
    voided = decision.digest != change.version.digest or decision.round != change.round
    person = decision.person.username
    if voided and change.is_open:
        return Opinion(person, "voided", "rotate-ccw", "warn", decision, True)
    if decision.decision == Decision.APPROVE:
        return Opinion(person, "approved", "check", "ok", decision, voided)
    return Opinion(person, "asks for edits", "message-square", "bad", decision, voided)


def _obstacle(change: ChangeRequest, blocker: Blocker, act: Act, newest: int) -> Obstacle:
    link = link_word = ""
    if blocker.code in ("approvals", "owners") and act.approve:
        link, link_word = "#decide", "Decide"
    elif blocker.code == "check:contract" and act.acknowledge:
        link, link_word = "#decide", "Accept the break"
    elif blocker.code == "diverged" and act.set_version:
        link, link_word = reverse("merge", args=[change.number]), "Merge"
    elif (blocker.code == "objection" or "failed" in blocker.cause) and act.set_version:
        if newest > change.version.number:
            link, link_word = "#head", "Choose another version"
        else:
            link, link_word = reverse("edit", args=[change.template.name]), "Edit a draft"
    elif blocker.code == "held" and act.withdraw:
        link, link_word = "#close", "Withdraw"
    icon = "loader" if blocker.code.startswith("check:") and "not finished" in blocker.cause else "circle-x"
    return Obstacle(ICONS.get(blocker.code, icon), blocker.cause, blocker.action, link, link_word)
