"""Presenters of the change request page: blockers, reviews and checks in words, and the permitted actions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext

from frontend.changes.rows import BlockerRow, CandidateRow, CheckRow, PermittedActions, ReviewRow
from registry.accounts.actor import Actor
from registry.changes import blockers, policy, queries, review_requests
from registry.changes.blockers import Blocker
from registry.changes.checks import Check
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Decision
from registry.changes.rollout_plans import describe_shares
from registry.freezes.queries import find_standing_freezes
from registry.freezes.windows import StandingFreeze
from registry.journal.event import from_microseconds
from registry.namespaces import permissions
from registry.namespaces.verbs import Verb
from registry.releases.models import Release

__all__ = [
    "approves_served",
    "build_review_rows",
    "check_rows",
    "describe_planned_shares",
    "describe_turn",
    "find_free_minute",
    "find_permitted_actions",
    "find_stopping_freeze",
    "is_rolling_out",
    "list_blocker_rows",
    "list_reviewers_to_ask",
    "write_title",
]

_SCORES = re.compile(r": (/runs/\d+/score)(?=\.|$)")  # in an advice, as in the API
ICONS = {
    "approvals": "circle-dashed",
    "owners": "users",
    "objection": "message-square",
    "threads": "message-square",
    "diverged": "git-branch",
    "superseded": "git-branch",
    "held": "check",
    "archived": "archive",
    "redacted": "circle-x",
    blockers.FREEZE: "clock",
    blockers.IN_RELEASE: "list",
    blockers.ROLLING_OUT: "loader",
}
CHECK_LOOKS = {"passed": ("check", "ok", "passed"), "failed": ("x", "bad", "failed"), None: ("loader", "", "running")}
UNFINISHED = ("circle-dashed", "", "not finished")


def write_title(change: ChangeRequest) -> str:
    """The first line of its message, or the move in words."""
    return change.message.partition("\n")[0] or gettext("Move {label} to v{version}").format(
        label=change.label, version=change.version.number
    )


def find_free_minute(blockers: Iterable[Blocker]) -> datetime | None:
    """The first full minute outside every freeze; None if no freeze blocks, or the whole next year is frozen."""
    slot = next((blocker.next_slot for blocker in blockers if blocker.next_slot is not None), None)
    if slot is None or slot == slot.replace(second=0, microsecond=0):
        return slot
    return slot.replace(second=0, microsecond=0) + timedelta(minutes=1)


def find_stopping_freeze(scheduled: ChangeRequest | Release, namespace: int) -> StandingFreeze | None:
    """The freeze that covers the scheduled time, set after the schedule was; at most one query."""
    if not scheduled.is_open or scheduled.goes_live_at is None:
        return None
    return find_standing_freezes([namespace], scheduled.goes_live_at).get(namespace)


def describe_planned_shares(gate: Gate) -> str:
    """The shares of the planned rollout, such as `5 %, 25 %`; empty if none is planned or it has already started."""
    change, rollout = gate.change, gate.facts.rollout
    if not change.is_open or change.planned_rollout is None or (rollout and rollout[1] == change.number):
        return ""
    return describe_shares(change.planned_rollout)


def is_rolling_out(gate: Gate) -> bool:
    """Whether the change is only waiting for its own rollout to end."""
    change, rollout = gate.change, gate.facts.rollout
    return change.is_open and len(gate.blockers) == 1 and rollout is not None and rollout[1] == change.number


def approves_served(gate: Gate) -> bool:
    """Whether the change requests, or requested, approval of the version that the label already serves."""
    if gate.change.is_open:
        return gate.facts.holds == gate.change.version.number
    move = queries.find_publishing_move(gate.change)
    return move is not None and move.before_id is not None and move.before_id == move.after_id


def find_permitted_actions(gate: Gate, actor: Actor) -> PermittedActions:
    """The buttons of the change page."""
    change, blockers = gate.change, gate.blockers
    namespace = change.template.namespace
    roles = permissions.find_roles(actor.person, namespace) if actor.person.is_active else None

    def may(verb: Verb) -> bool:
        return roles is not None and roles.allows(verb, change.template.path)

    reviewer, writer = may(Verb.APPROVE), may(Verb.PROPOSE)
    decides = change.takes_decisions and reviewer
    is_free = change.is_open and (gate.facts.rollout is None or gate.facts.rollout[1] != change.number)
    return PermittedActions(
        approve=decides and gate.may_approve,
        approve_fault=gate.refusal if decides else "",
        approved=any(approval.person == actor.person.username for approval in gate.approvals),
        take_back=_find_decision_to_take_back(gate, actor) if may(Verb.COMMENT) else "",
        acknowledge=decides and gate.may_approve and any(_is_break(blocker) for blocker in blockers),
        comment=may(Verb.COMMENT),
        publish=change.is_open and not blockers and may(Verb.PUBLISH),
        schedule=is_free and change.open_release is None and may(Verb.PUBLISH),
        withdraw=is_free and writer and (reviewer or change.opened_by_id == actor.person.pk),
        reopen=change.state == ChangeRequest.WITHDRAWN and writer,
        set_version=is_free and writer,
        emergency=change.is_open and bool(blockers) and namespace.break_glass and reviewer,
    )


def _find_decision_to_take_back(gate: Gate, actor: Actor) -> str:
    return policy.find_own_decision(gate.facts, actor.person.username) if gate.change.takes_decisions else ""


def list_blocker_rows(
    change: ChangeRequest, blockers: Sequence[Blocker], act: PermittedActions, newest: int
) -> list[BlockerRow]:
    """The blockers in the order in which they can be resolved."""
    return [_build_blocker_row(change, blocker, act, newest) for blocker in blockers]


def describe_turn(blockers: Sequence[Blocker], actor: Actor) -> str:
    """Whose turn it is: `next is reviewer`."""
    people = [person for blocker in blockers[:1] for person in blocker.waiting_for]
    if actor.person.username in people:
        return gettext("it is your turn")
    return gettext("next is {names}").format(names=gettext(" or ").join(people[:3])) if people else ""


def build_review_rows(gate: Gate) -> list[ReviewRow]:
    """Each reviewer's latest decision on this request, then the reviewers whose decision is pending."""
    change, rules, facts = gate.change, gate.rules, gate.facts
    words = (Decision.APPROVE, Decision.REQUEST_CHANGES, Decision.TAKE_BACK)
    decisions = change.decisions.filter(decision__in=words).select_related("person", "version").defer("version__bundle")
    last = {decision.person.username: decision for decision in decisions.order_by("pk")}
    last = {person: decision for person, decision in last.items() if decision.decision != Decision.TAKE_BACK}
    exempt = {it.person: it for it in gate.exemptions}
    rows = []
    for person, decision in last.items():
        why = ""
        if person in exempt:
            why = gettext("counts by the rule {rule}, though {person} {why}").format(
                rule=exempt[person].rule, person=person, why=exempt[person].why
            )
        elif against := policy.list_reasons_against(rules, facts, person):
            why = gettext("does not count: {person} {they}").format(person=person, they=against[0].they)
        elif not decision.person.is_active:
            why = gettext("does not count: the account of {person} is deactivated").format(person=person)
        rows.append(_build_review_row(gate, decision, why))
    requests = {request.person: request for request in review_requests.list_review_requests(gate)}
    rows = [replace(row, review_request=requests.get(row.person)) for row in rows]
    if gate.is_closed:
        return rows
    may = policy.list_eligible_approvers(rules, facts)
    waiting = [person for person in requests if person in may and person not in last]
    if gate.approval_status.missing:
        waiting += [person for person in may if person not in last and person not in requests][:6]
    return rows + [
        ReviewRow(person, gettext("waiting"), "circle-dashed", "", None, False, review_request=requests.get(person))
        for person in waiting
    ]


def list_reviewers_to_ask(gate: Gate, actor: Actor) -> list[CandidateRow]:
    """The users whom the reader can ask for a review: not asked yet and without a decision; empty for a request that
    no longer takes decisions.
    """
    if not review_requests.takes_reviews(gate):
        return []
    words = {
        "owner": gettext("owner"),
        "group": gettext("of a group that has to approve"),
        "earlier": gettext("reviewed before"),
    }
    return [
        CandidateRow(candidate.person, words.get(candidate.reason, ""))
        for candidate in review_requests.list_candidates(gate)
        if candidate.person not in gate.change.asked
        and candidate.person != actor.person.username
        and not policy.find_own_decision(gate.facts, candidate.person)
    ]


def check_rows(gate: Gate) -> list[CheckRow]:
    """The current checks of the request; for a closed request, those at the time of its decision."""
    rows, is_frozen = [], not gate.change.is_open
    for state in gate.checks:
        # A check that needs user action isn't running.
        unknown = UNFINISHED if is_frozen or state.action else CHECK_LOOKS[None]
        icon, look, word = unknown if state.outcome is None else CHECK_LOOKS[state.outcome]
        rows.append(
            CheckRow(
                name=state.name,
                icon=icon,
                look=look,
                word=word,
                summary=state.summary if is_frozen else _describe_state(state),
                required=state.is_required,
                acknowledged=state.is_acknowledged,
                findings=sorted(state.findings, key=lambda finding: not finding.get("breaking")),
                at=from_microseconds(state.at) if is_frozen and state.at is not None else None,
            )
        )
    return rows


def _describe_state(state: Check) -> str:
    """The summary of a check; empty while it is running, except for evaluations, which take longer."""
    if state.outcome is not None:
        return state.summary
    return f"{state.summary} {state.action}".strip() if state.name == "evaluation" else ""


def _build_review_row(gate: Gate, decision: Decision, why: str) -> ReviewRow:
    change = gate.change
    voided = decision.digest != change.version.digest or decision.round != change.round
    person = decision.person.username
    if voided and change.is_open:
        return ReviewRow(person, gettext("outdated"), "rotate-ccw", "warn", decision, True)
    if decision.decision != Decision.APPROVE:
        return ReviewRow(person, gettext("asks for edits"), "message-square", "bad", decision, voided)
    if change.takes_decisions and person not in gate.approval_status.approvals:
        return ReviewRow(person, gettext("does not count"), "circle-x", "warn", decision, voided, why)
    return ReviewRow(person, gettext("approved"), "check", "ok", decision, voided, why)


def _find_url_of_open_thread(change: ChangeRequest) -> str:
    """The view that shows the request's first unresolved thread at its lines."""
    thread = change.threads.filter(resolved_at=None).order_by("number").first()
    if thread is None:  # resolved since the blocker was found
        return ""
    sample = {"sample": thread.sample} if thread.sample else {}
    return f"?{urlencode({'view': thread.side, **sample})}#thread-{thread.number}"


def _is_failed_check(blocker: Blocker) -> bool:
    """Whether a check failed, as opposed to not having finished."""
    return blocker.code.startswith("check:") and bool(blocker.waiting_for)


def _is_break(blocker: Blocker) -> bool:
    """Whether this is a breaking change of the contract, which a reviewer may accept."""
    return blocker.code == "check:contract" and _is_failed_check(blocker)


def _build_blocker_row(change: ChangeRequest, blocker: Blocker, act: PermittedActions, newest: int) -> BlockerRow:
    link = link_word = ""
    if blocker.asks_for_approval and act.approve:
        link, link_word = "#decide", gettext("Decide")
    elif _is_break(blocker) and act.acknowledge:
        link, link_word = "#decide", gettext("Accept the break")
    elif blocker.code == "threads":
        link, link_word = _find_url_of_open_thread(change), gettext("See the first")
    elif blocker.code == "diverged" and act.set_version:
        link, link_word = reverse("merge", args=[change.number]), gettext("Merge")
    elif (blocker.code == "objection" or _is_failed_check(blocker)) and act.set_version:
        if newest > change.version.number:
            link, link_word = "#head", gettext("Choose another version")
        else:
            link, link_word = reverse("edit", args=[change.template.name]), gettext("Edit a draft")
    elif blocker.code == blockers.IN_RELEASE and change.open_release is not None:
        link, link_word = reverse("release", args=[change.open_release]), gettext("Open release")
    elif blocker.code in ("held", "superseded", "redacted") and act.withdraw:
        link, link_word = "#close", gettext("Withdraw")
    elif scores := _SCORES.search(blocker.action):
        link, link_word = scores[1], gettext("Rows to score")
    return BlockerRow(_find_icon(blocker), blocker.cause, _SCORES.sub("", blocker.action), link, link_word)


def _find_icon(blocker: Blocker) -> str:
    if blocker.code.startswith("check:"):
        return "circle-x" if blocker.waiting_for else "loader"
    return "users" if blocker.code.startswith(blockers.GROUP) else ICONS.get(blocker.code, "circle-dashed")
