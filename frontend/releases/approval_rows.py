"""The approvals of a release, by user and ownership: who approved, who was asked, and what is still needed."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import policy, review_requests
from registry.changes.review_requests import ReviewRequest
from registry.releases.gate import Member, ReleaseGate

__all__ = ["ApprovalRow", "list_approval_rows", "list_counted_members"]

_MAX_WAITING = 6  # users listed for a template without owners, if nobody was asked

_APPROVED, _OBJECTS, _OUTDATED, _WAITING = "approved", "objects", "outdated", "waiting"


@dataclass(frozen=True)
class ApprovalRow:
    """One user's decisions about the templates that they own by one rule, or about all others.

    owns: the folder or template of the rule, `*` for everything, empty for none. needed: the templates that still wait
    for the user. review_request: when and by whom they were last asked. button: `ask` or `remind` if the reader may do
    that, else empty.
    """

    person: str
    owns: str
    icon: str
    look: str
    word: str
    needed: tuple[str, ...]
    review_request: ReviewRequest | None
    button: str

    @property
    def is_done(self) -> bool:
        """Whether nothing waits for the user."""
        return not self.needed


def list_counted_members(gate: ReleaseGate) -> list[Member]:
    """The templates whose approvals count: open ones, or in a closed release those that weren't removed."""
    if gate.release.is_open:
        return list(gate.open_members)
    return [member for member in gate.members if member.change.state == gate.release.state]


def list_approval_rows(gate: ReleaseGate, actor: Actor, *, may_ask: bool) -> list[ApprovalRow]:
    """Rows of the reviewers, pending ones first. may_ask: whether the reader may ask for reviews."""
    opinions: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    requests: dict[str, dict[str, ReviewRequest]] = defaultdict(dict)
    for member in list_counted_members(gate):
        path = member.change.template.path
        for person, opinion in _list_opinions(member, is_open=gate.release.is_open).items():
            opinions[person, _find_rule(member, person)][path] = opinion
        for review_request in review_requests.list_review_requests(member.gate):
            requests[review_request.person][path] = review_request
    rows: list[ApprovalRow] = []
    with_button = {actor.person.username}  # users don't ask themselves, and one button covers everything
    for (person, owns), by_path in sorted(opinions.items(), key=lambda item: _is_settled(item[1])):
        row = _build_row(person, owns, by_path, requests[person], may_ask=may_ask and person not in with_button)
        if row.button:
            with_button.add(person)
        rows.append(row)
    return rows


def _list_opinions(member: Member, *, is_open: bool) -> dict[str, str]:
    """Each user's decision about the template, and whom it waits for."""
    rules, facts, status = member.gate.rules, member.gate.facts, member.gate.approval_status
    opinions = dict.fromkeys(status.approvals, _APPROVED) | dict.fromkeys(status.objections, _OBJECTS)
    if not is_open or status.is_enough:
        return opinions
    able = policy.list_eligible_approvers(rules, facts)
    last = {it.person: it for it in facts.decisions if it.decision in ("approve", "request_changes", "take_back")}
    outdated = [person for person, it in last.items() if it.decision != "take_back" and person in able]
    speakers = frozenset[str]().union(*(facts.find_group(name).people for name in status.missing_groups))
    reviewers = [person for person in member.gate.change.asked if person in able]
    waiting = [person for person in able if person in status.missing_owners or person in speakers]
    undecided = [person for person in (*reviewers, *waiting) if person not in opinions]
    if status.missing and not undecided and not outdated:
        undecided = [person for person in able if person not in opinions][:_MAX_WAITING]
    for opinion, people in ((_OUTDATED, outdated), (_WAITING, undecided)):
        opinions = {**dict.fromkeys(people, opinion), **opinions}
    return opinions


def _find_rule(member: Member, person: str) -> str:
    """The pattern by which the user owns the template: `refunds`, a template's path, `*`; empty if they don't."""
    facts = member.gate.facts
    owner = member.gate.rules.find_owner(facts.path)
    if owner is None or person not in owner.list_people({name: group.people for name, group in facts.groups.items()}):
        return ""
    return owner.pattern.removesuffix("/*")


def _is_settled(by_path: dict[str, str]) -> bool:
    return set(by_path.values()) == {_APPROVED}


def _build_row(
    person: str, owns: str, by_path: dict[str, str], requests: dict[str, ReviewRequest], *, may_ask: bool
) -> ApprovalRow:
    opinions = set(by_path.values())
    count = sum(opinion == _APPROVED for opinion in by_path.values())
    needed = tuple(path for path, opinion in sorted(by_path.items()) if opinion != _APPROVED)
    figure = gettext("{count} of {total}").format(count=count, total=len(by_path)) if len(by_path) > 1 else ""
    if _OBJECTS in opinions:
        icon, look, word = "message-square", "bad", gettext("asks for edits")
    elif _OUTDATED in opinions:
        icon, look, word = "rotate-ccw", "warn", figure or gettext("outdated")
    elif not needed:
        icon, look, word = "check", "ok", gettext("approved")
    else:
        icon, look, word = "circle-dashed", "", figure or gettext("waiting")
    to_ask = [path for path in needed if by_path[path] != _OBJECTS]
    return ApprovalRow(
        person=person,
        owns=owns,
        icon=icon,
        look=look,
        word=word,
        needed=needed,
        review_request=max(
            (requests[path] for path in needed if path in requests), key=lambda request: request.at, default=None
        ),
        button=_find_button(to_ask, requests) if may_ask else "",
    )


def _find_button(paths: Sequence[str], requests: dict[str, ReviewRequest]) -> str:
    if any(path not in requests for path in paths):
        return "ask"
    return "remind" if any(requests[path].may_be_reminded for path in paths) else ""
