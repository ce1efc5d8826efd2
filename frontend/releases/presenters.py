"""Presenters of the release page: its templates as rows, its conversation, and the permitted actions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from frontend.changes import presenters as change_presenters
from frontend.changes.timeline import TimelineEntry
from registry.accounts.actor import Actor
from registry.changes.gate import Gate
from registry.changes.models import ChangeRequest, Decision
from registry.namespaces import permissions
from registry.namespaces.verbs import TABLE, Verb
from registry.releases import queries as release_queries
from registry.releases.comment_events import ReleaseCommented
from registry.releases.decision_moments import DecisionMoment, list_decision_moments
from registry.releases.gate import Member, ReleaseGate
from registry.releases.models import Release

__all__ = [
    "MemberRow",
    "PermittedReleaseActions",
    "find_permitted_release_actions",
    "list_joined_changes",
    "list_member_rows",
    "list_release_timeline",
]


@dataclass(frozen=True)
class MemberRow:
    """One template of a release. `checks` is `4 of 5`; `turn` says who is waited for; `look` is ok, warn, bad or empty;
    `expected` is its state on the page, as forms post it back.
    """

    change: ChangeRequest
    dirname: str
    basename: str
    holds: int | None
    diff_url: str
    checks: str
    checks_look: str
    approval: str
    approval_look: str
    causes: tuple[str, ...]
    turn: str
    may_remove: bool
    expected: str


@dataclass(frozen=True)
class DecidableMember:
    """A template that the reader may decide on. value: the change and its digest, as the form posts them.

    asked_for_edits: whether the reader asked for edits of this version.
    """

    change: ChangeRequest
    value: str
    asked_for_edits: bool


@dataclass(frozen=True)
class PermittedReleaseActions:
    """What this reader may do. publish_fault: why they can't publish yet, empty if they can or never may."""

    decide: tuple[DecidableMember, ...]
    publish: bool
    publish_fault: str
    schedule: bool
    comment: bool
    ask: bool
    change: bool
    withdraw: bool
    roll_back: bool

    def list_ticked(self, sent: Sequence[str] | None) -> list[str]:
        """The values that the form ticks: those that were sent, or at first all but those whose approval would end the
        reader's request for edits.
        """
        if sent is None:
            return [member.value for member in self.decide if not member.asked_for_edits]
        return [member.value for member in self.decide if member.value in sent]


def find_permitted_release_actions(gate: ReleaseGate, actor: Actor) -> PermittedReleaseActions:
    """The buttons of the release page."""
    release = gate.release
    roles = permissions.find_roles(actor.person, release.namespace) if actor.person.is_active else None
    members = gate.open_members if release.is_open else gate.members
    paths = [member.change.template.path for member in members]

    def may(verb: Verb) -> bool:
        """Whether the user may do it to every template of the release."""
        return roles is not None and roles.at_all(paths).rank >= TABLE[verb].rank

    def may_somewhere(verb: Verb) -> bool:
        return roles is not None and roles.at_any(paths).rank >= TABLE[verb].rank

    is_reviewer = may(Verb.APPROVE)
    publishes = release.is_open and may(Verb.PUBLISH)
    return PermittedReleaseActions(
        decide=tuple(_build_decidable_member(member, actor) for member in gate.open_members if member.waits_for_viewer)
        if release.is_open
        else (),
        publish=publishes and gate.may_publish_now,
        publish_fault=_publish_fault(gate) if publishes else "",
        schedule=publishes,
        comment=may_somewhere(Verb.COMMENT),
        ask=release.is_open and may_somewhere(Verb.COMMENT),
        change=release.is_open and may(Verb.PROPOSE),
        withdraw=release.is_open and (is_reviewer or (may(Verb.PROPOSE) and release.opened_by_id == actor.person.pk)),
        roll_back=release.state == Release.PUBLISHED and may_somewhere(Verb.ROLL_BACK),
    )


def list_member_rows(gate: ReleaseGate, actor: Actor, *, may_change: bool) -> list[MemberRow]:
    """The templates ordered by name."""
    return [_build_member_row(member, actor, may_change=may_change) for member in gate.members]


def list_release_timeline(release: Release, writer: str = "") -> list[TimelineEntry]:
    """All actions on the release, decisions on its templates and comments, oldest first. writer: the username of a
    reader who may comment.
    """
    moments = release_queries.list_release_moments(release)
    removed = release_queries.find_removed_changes(moments)
    entries = [_build_decision_entry(moment) for moment in list_decision_moments(release, removed)]
    for moment in moments:
        line = moment.event.build_timeline_line()
        if line is not None:
            entry = TimelineEntry(moment.at, moment.person, line.icon, line.look, line.words, line.text)
            if isinstance(moment.event, ReleaseCommented):
                is_own = moment.person == writer and not moment.comment_text.is_deleted
                own = moment.event.number if is_own else 0
                entry = replace(
                    entry, text=moment.comment_text.text, is_comment=True, comment_text=moment.comment_text, own=own
                )
            entries.append(entry)
    return sorted(entries, key=lambda entry: entry.at)


def list_joined_changes(gate: ReleaseGate) -> list[ChangeRequest]:
    """The open changes of the release that were open before it, or are another person's; withdrawing ends them too."""
    release = gate.release
    changes = [member.change for member in gate.open_members]
    return [it for it in changes if it.created_at < release.created_at or it.opened_by_id != release.opened_by_id]


def _build_decision_entry(moment: DecisionMoment) -> TimelineEntry:
    icon, look, words = "check", "ok", gettext("approved {templates}")
    if moment.decision == Decision.REQUEST_CHANGES:
        icon, look, words = "message-square", "warn", gettext("asked for edits of {templates}")
    words = words.format(templates=", ".join(moment.templates))
    text = moment.comment_text if moment.comment_text.text or moment.comment_text.is_deleted else None
    return TimelineEntry(
        moment.at,
        moment.person,
        icon,
        look,
        words,
        moment.comment_text.text,
        is_comment=text is not None,
        comment_text=text,
    )


def _build_decidable_member(member: Member, actor: Actor) -> DecidableMember:
    change = member.change
    return DecidableMember(
        change=change,
        value=f"{change.number}:{change.version.digest}",
        asked_for_edits=actor.person.username in member.gate.approval_status.objections,
    )


def _publish_fault(gate: ReleaseGate) -> str:
    if gate.may_publish_now:
        return ""
    if not gate.open_members:
        return gettext("No template is left in the release.")
    names = list(dict.fromkeys(member.change.template.path for member, _ in gate.blockers))
    more = gettext(" and {count} more").format(count=len(names) - 2) if len(names) > 2 else ""
    return gettext("Waits for {names}{more}.").format(names=", ".join(names[:2]), more=more)


def _build_member_row(member: Member, actor: Actor, *, may_change: bool) -> MemberRow:
    change, gate = member.change, member.gate
    dirname, slash, basename = change.template.path.rpartition("/")
    holds = gate.facts.holds if change.is_open else None
    query = {"from": holds, "to": change.version.number} if holds else {"to": change.version.number}
    checks, checks_look = _describe_checks(gate)
    approval, approval_look = _describe_approval(member)
    return MemberRow(
        change=change,
        dirname=dirname + slash,
        basename=basename,
        holds=holds,
        diff_url=f"{reverse('diff', args=[change.template.name])}?{urlencode(query)}",
        checks=checks,
        checks_look=checks_look,
        approval=approval,
        approval_look=approval_look,
        causes=tuple(blocker.cause for blocker in member.blockers) if change.is_open else (),
        turn=change_presenters.describe_turn(member.blockers, actor) if change.is_open else "",
        may_remove=may_change and change.is_open,
        expected=f"{change.template.name} {change.version.number} {holds or 0}",
    )


def _describe_checks(gate: Gate) -> tuple[str, str]:
    passed = sum(check.outcome == "passed" for check in gate.checks)
    if not gate.checks:
        return "none", ""
    if any(check.outcome == "failed" for check in gate.checks):
        return gettext("{passed} of {count}").format(passed=passed, count=len(gate.checks)), "bad"
    return gettext("{passed} of {count}").format(passed=passed, count=len(gate.checks)), "ok" if passed == len(
        gate.checks
    ) else ""


def _describe_approval(member: Member) -> tuple[str, str]:
    change, status = member.change, member.gate.approval_status
    if change.state == ChangeRequest.WITHDRAWN:
        return "withdrawn", ""
    people = _list_people(status.approvals)
    if status.objections:
        return gettext("{people} asked for edits").format(people=_list_people(status.objections)), "bad"
    if not change.is_open or status.is_enough:
        return (gettext("approved by {people}").format(people=people) if people else gettext("none needed")), "ok"
    missing = max(status.missing, 1)
    if not status.missing and status.missing_groups:
        title = member.gate.facts.find_group(status.missing_groups[0]).title
        needs = gettext("needs an approval from {group}").format(group=title)
        return (f"{people}, {needs}" if people else needs), "warn"
    needs = ngettext("needs {count} approval", "needs {count} approvals", missing).format(count=missing)
    return (f"{people}, {needs}" if people else needs), "warn"


def _list_people(people: Sequence[str]) -> str:
    return gettext(" and ").join(people)
