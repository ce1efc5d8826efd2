"""The gate of a release: the gates of its members, read together, and what is left to do before all of them go live."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from registry.accounts.actor import Actor
from registry.changes import gate as change_gate
from registry.changes import queries as change_queries
from registry.changes.blockers import FREEZE, IN_RELEASE, Blocker
from registry.changes.gate import Gate, Turn
from registry.changes.models import ChangeRequest
from registry.releases.models import Release

__all__ = ["Member", "ReleaseGate", "count_waiting", "evaluate_release", "evaluate_releases", "group_pending"]

_NOTHING_LEFT = {"held", "superseded"}


@dataclass(frozen=True)
class Member:
    """A change request of a release, with its gate."""

    gate: Gate

    @property
    def change(self) -> ChangeRequest:
        """The request itself."""
        return self.gate.change

    @property
    def blockers(self) -> tuple[Blocker, ...]:
        """What keeps it from being published with the release: all blockers except membership in a release."""
        return tuple(blocker for blocker in self.gate.blockers if blocker.code != IN_RELEASE)

    @property
    def is_superseded(self) -> bool:
        """Whether its label already holds it, or a version that contains it."""
        return any(blocker.code in _NOTHING_LEFT for blocker in self.blockers)

    @property
    def is_approved_by_viewer(self) -> bool:
        """Whether the viewer approved what is proposed now."""
        actor = self.gate.actor
        return actor is not None and actor.person.username in self.gate.approval_status.approvals

    @property
    def waits_for_viewer(self) -> bool:
        """Whether the viewer may approve it and has not."""
        return self.change.is_open and self.gate.may_approve and not self.is_approved_by_viewer


@dataclass(frozen=True)
class ReleaseGate:
    """The state of one release, as the viewer sees it.

    `members` are all its requests by template name, including withdrawn ones, which are not published. `turn` is whose
    turn it is, None once the release is closed.
    """

    release: Release
    members: tuple[Member, ...]
    turn: Turn | None

    @property
    def open_members(self) -> tuple[Member, ...]:
        """Those that are published with the release."""
        return tuple(member for member in self.members if member.change.is_open)

    @property
    def blockers(self) -> tuple[tuple[Member, Blocker], ...]:
        """Everything that keeps the release from being published, template by template; empty for a closed one."""
        if not self.release.is_open:
            return ()
        return tuple((member, blocker) for member in self.open_members for blocker in member.blockers)

    @property
    def listed_blockers(self) -> tuple[tuple[Member | None, Blocker], ...]:
        """The blockers for display: a freeze blocks every template but is listed once, first, without a template."""
        freezes = [blocker for _, blocker in self.blockers if blocker.code == FREEZE][:1]
        others = ((member, blocker) for member, blocker in self.blockers if blocker.code != FREEZE)
        return (*((None, freeze) for freeze in freezes), *others)

    @property
    def is_superseded(self) -> bool:
        """Whether it is open and everything in it went live through other changes."""
        members = self.open_members
        return self.release.is_open and bool(members) and all(member.is_superseded for member in members)

    @property
    def may_publish_now(self) -> bool:
        """Whether nothing blocks it, regardless of who asks."""
        return self.release.is_open and bool(self.open_members) and not self.blockers

    def waits_on(self, username: str) -> bool:
        """Whether it is this person's turn, or they were asked by name to review one of the changes."""
        if self.turn is not None and username in self.turn.people:
            return True
        return any(username in member.gate.awaited_reviewers for member in self.members)


def evaluate_release(release: Release, actor: Actor | None) -> ReleaseGate:
    """The current state of the release; inside a write, call it under the journal's lock."""
    return evaluate_releases([release], actor)[0]


def evaluate_releases(rows: Iterable[Release], actor: Actor | None) -> list[ReleaseGate]:
    """Evaluate each release in the order given, in a constant number of queries."""
    releases = list(rows)
    changes = change_queries.list_members([release.number for release in releases])
    gates = change_gate.evaluate_many(changes, actor)
    return [
        _join_members(release, tuple(Member(gate) for gate in gates if gate.change.release_id == release.number))
        for release in releases
    ]


def group_pending(gates: Iterable[Gate]) -> tuple[list[Gate], list[ReleaseGate]]:
    """Split pending requests into those that go live on their own and the open releases of the others; no further
    query.
    """
    alone: list[Gate] = []
    releases: dict[int, Release] = {}
    by_release: dict[int, list[Gate]] = defaultdict(list)
    for gate in gates:
        release = gate.change.release
        if release is None or not release.is_open:
            alone.append(gate)
        else:
            releases[release.number] = release
            by_release[release.number].append(gate)
    joined = [_join_members(releases[number], _sort_members(members)) for number, members in by_release.items()]
    return alone, joined


def count_waiting(gates: Iterable[Gate], username: str) -> int:
    """How many of these pending requests wait for the person, counting those of one release once."""
    alone, releases = group_pending(gates)
    return sum(gate.waits_on(username) for gate in alone) + sum(gate.waits_on(username) for gate in releases)


def _sort_members(gates: Iterable[Gate]) -> tuple[Member, ...]:
    return tuple(Member(gate) for gate in sorted(gates, key=lambda gate: gate.change.template.name))


def _join_members(release: Release, members: tuple[Member, ...]) -> ReleaseGate:
    if not release.is_open:
        return ReleaseGate(release, members, None)
    waiting = [member for member in members if member.change.is_open]
    opener = (release.opened_by.username,)
    if not waiting:
        turn = Turn(opener, gettext("No template is left in it: add one, or withdraw it."), release.updated_at)
        return ReleaseGate(release, members, turn)
    since = max(_find_waiting_time(member, release) for member in waiting)
    blocked = [member for member in waiting if member.blockers]
    if not blocked:
        return ReleaseGate(release, members, Turn(opener, gettext("Nothing blocks it: it can be published."), since))
    turns = [member.gate.turn for member in blocked if member.gate.turn is not None]
    people = tuple(dict.fromkeys(person for turn in turns for person in turn.people))
    first = next((turn for turn in turns if turn.people), turns[0])
    return ReleaseGate(release, members, Turn(people, first.reason, since))


def _find_waiting_time(member: Member, release: Release) -> datetime:
    return member.gate.turn.since if member.gate.turn is not None else release.updated_at
