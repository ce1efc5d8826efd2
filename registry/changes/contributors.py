"""Contributors to a change: the people whose approval of it does not count, with the reasons.

Nothing here reads the database: `registry.changes.history_queries` gathers the facts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from django.utils.translation import gettext

from registry.changes import contributor_reasons as reasons
from registry.changes.contributor_facts import Head, KeyFacts, RoleGrant
from registry.changes.contributor_reasons import Reason, Wording

__all__ = [
    "ChangeFacts",
    "History",
    "VersionNode",
    "find_contributors",
]


class VersionNode(NamedTuple):
    """One version. `merged` are the ids of the versions that it merged or was copied from; `suggested` are the (person,
    key) of each applied suggestion. A named tuple, because a list of requests creates hundreds.

    author, key, at, suggested, is_redacted: unset if only the graph of versions was read.
    """

    pk: int
    template: str
    number: int
    digest: str
    base: int | None
    author: str = ""
    key: str | None = None
    at: datetime = datetime.min.replace(tzinfo=UTC)
    merged: tuple[int, ...] = ()
    suggested: tuple[tuple[str, str | None], ...] = ()
    is_redacted: bool = False

    @property
    def sources(self) -> tuple[int, ...]:
        """The ids of the versions that it was derived from."""
        return self.merged if self.base is None else (self.base, *self.merged)


@dataclass(frozen=True)
class ChangeFacts:
    """The request in question, its head, and the version that its label serves, None if it serves nothing."""

    number: int
    template: str
    namespace: str
    head: int
    opened_by: str
    key: str | None
    serves: int | None


@dataclass
class History:
    """Versions by id, keys by id, heads of requests, role grants by namespace (oldest first), and the ids of other
    templates' versions that an approved request published; contributions before those don't carry over to a copy.
    `labels` are the ids of what each template's labels serve, `rollouts` the numbers of each label's rollout and its
    request.
    """

    steps: dict[int, VersionNode] = field(default_factory=dict)
    keys: Mapping[str, KeyFacts] = field(default_factory=dict)
    heads: Mapping[str, list[Head]] = field(default_factory=dict)
    grants: Mapping[str, list[RoleGrant]] = field(default_factory=dict)
    approved: Collection[int] = frozenset()
    labels: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rollouts: Mapping[str, Mapping[str, tuple[int, int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_digest: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_number: dict[tuple[str, int], int] = {}
        for step in self.steps.values():
            self._by_digest[step.template, step.digest].append(step.pk)
            self._by_number[step.template, step.number] = step.pk
        self._above: dict[int, frozenset[int]] = {}

    def walk_ancestors(self, pk: int) -> Iterator[VersionNode]:
        """The version and its ancestors, nearest first."""
        waiting, visited = [pk], {pk}
        for at in waiting:
            step = self.steps.get(at)
            if step is None:
                continue
            yield step
            fresh = [source for source in step.sources if source not in visited]
            visited.update(fresh)
            waiting += fresh

    def find_ancestors(self, pk: int | None) -> frozenset[int]:
        """The ids of the version and its ancestors; empty for None."""
        if pk is None:
            return frozenset()
        if pk not in self._above:
            self._above[pk] = frozenset(step.pk for step in self.walk_ancestors(pk))
        return self._above[pk]

    def contains(self, pk: int, other: int) -> bool:
        """Whether a version is or descends from another one, or from one with the same content."""
        digest = self.steps[other].digest
        return any(
            step.digest == digest and step.template == self.steps[other].template for step in self.walk_ancestors(pk)
        )

    def is_superseded(self, pk: int, serves: int) -> bool:
        """Whether a label that serves one version has nothing to gain from the other: it contains that already."""
        return not self.contains(pk, serves) and self.contains(serves, pk)

    def find_common_ancestor(self, one: int, other: int) -> int | None:
        """The id of the nearest common ancestor, or None if there isn't one."""
        above = self.find_ancestors(one)
        return next((step.pk for step in self.walk_ancestors(other) if step.pk in above), None)

    def list_versions_between(self, head: int, serves: int | None) -> list[int]:
        """The numbers of the versions that would go live along with the head, without those that the label already
        serves.
        """
        if serves is None:
            return []
        template, digest = self.steps[head].template, self.steps[serves].digest
        live = self.find_ancestors(serves)
        return sorted(
            step.number
            for step in self.walk_ancestors(head)
            if step.pk not in live and step.pk != head and step.template == template and step.digest != digest
        )

    def list_copies(self, step: VersionNode) -> list[VersionNode]:
        """The other versions of the template with the same digest."""
        return [self.steps[pk] for pk in self._by_digest[step.template, step.digest] if pk != step.pk]

    def find_by_number(self, template: str, number: int) -> int | None:
        """The id of a version, by its number."""
        return self._by_number.get((template, number))

    def list_issuers(self, key: str | None) -> list[str]:
        """The people who issued or rotated the key, or a key that it replaced."""
        reasons: list[str] = []
        visited: set[str] = set()
        while key and key in self.keys and key not in visited:
            visited.add(key)
            reasons.append(self.keys[key].issuer)
            key = self.keys[key].replaces
        return reasons


def find_contributors(history: History, request: ChangeFacts) -> dict[str, tuple[Reason, ...]]:
    """Map usernames to the reasons why that person's approval of the request does not count."""
    collector = _ReasonCollector(history, request)
    collector.add_people_of_request()
    contained, through = collector.list_contained()
    for step in contained:
        collector.add_people_of_version(step)
    collector.add_people_of_copies(contained, through)
    collector.add_people_of_other_requests(contained)
    if contained:
        collector.add_people_of_grants(min(step.at for step in contained))
    return {person: tuple(reasons_against) for person, reasons_against in collector.by_person.items()}


class _ReasonCollector:
    """Collects the reasons by username."""

    def __init__(self, history: History, request: ChangeFacts) -> None:
        self._history = history
        self._request = request
        self._own = history.heads.get(request.template, [])
        self.by_person: defaultdict[str, list[Reason]] = defaultdict(list)

    def _add(self, person: str, wording: Wording, **facts: object) -> None:
        you, they = gettext(wording.you).format(**facts), gettext(wording.they).format(**facts)
        if all(reason.you != you for reason in self.by_person[person]):
            self.by_person[person].append(Reason(wording.code, you, they))

    def _add_issuers(self, key: str | None, wording: Wording, **facts: object) -> None:
        for issuer in self._history.list_issuers(key):
            self._add(issuer, wording, **facts)

    def add_people_of_request(self) -> None:
        """The people who proposed the request, set a head or reopened it, and who issued the keys for that."""
        request = self._request
        self._add(request.opened_by, reasons.OPENED)
        self._add_issuers(request.key, reasons.KEY_OPENED)
        for head in self._own:
            if head.change != request.number:
                continue
            if head.kind == "headed":
                self._add(head.person, reasons.HEADED, number=head.number)
                self._add_issuers(head.key, reasons.KEY_HEADED, number=head.number)
            elif head.kind == "reopened":
                self._add(head.person, reasons.REOPENED)
                self._add_issuers(head.key, reasons.KEY_REOPENED)

    def list_contained(self) -> tuple[list[VersionNode], set[int]]:
        """The versions that the change adds (nearest first), and the ids of all versions visited."""
        history, request = self._history, self._request
        live = history.find_ancestors(request.serves)
        served = history.steps[request.serves].digest if request.serves is not None else None
        numbers = [head.number for head in self._own if head.change == request.number]
        heads = [history.find_by_number(request.template, number) for number in reversed(numbers)]
        waiting = list(dict.fromkeys([request.head, *(pk for pk in heads if pk is not None)]))
        visited, contained = set(waiting), []
        for at in waiting:
            step = history.steps.get(at)
            if step is None or at in live or at in history.approved:
                continue
            if not (step.template == request.template and step.digest == served):
                contained.append(step)
            twins = [twin.pk for twin in history.list_copies(step)] if step.digest != served else []
            fresh = [pk for pk in (*step.sources, *twins) if pk not in visited]
            visited.update(fresh)
            waiting += fresh
        return contained, visited

    def add_people_of_version(self, step: VersionNode) -> None:
        """The version's author, the authors of its applied suggestions, and who issued their keys."""
        name = self._describe_version(step)
        self._add(step.author, reasons.WROTE, version=name)
        self._add_issuers(step.key, reasons.KEY_WROTE, version=name)
        for person, key in step.suggested:
            self._add(person, reasons.SUGGESTED, version=name)
            self._add_issuers(key, reasons.KEY_SUGGESTED, version=name)

    def add_people_of_copies(self, contained: Iterable[VersionNode], through: Collection[int]) -> None:
        """The authors of identical earlier content, if that version is in the head's history."""
        for step in contained:
            for twin in self._history.list_copies(step):
                if twin.pk in through:
                    numbers = {"twin": twin.number, "number": step.number}
                    self._add(twin.author, reasons.SAME, **numbers)
                    self._add_issuers(twin.key, reasons.KEY_SAME, **numbers)

    def add_people_of_other_requests(self, contained: Iterable[VersionNode]) -> None:
        """The people who proposed one of these versions in an earlier request."""
        numbers = {step.number for step in contained if step.template == self._request.template}
        earlier = {head.change for head in self._own if head.change < self._request.number and head.number in numbers}
        for head in self._own:
            if head.change in earlier and (head.kind == "proposed" or head.number in numbers):
                self._add(head.person, reasons.PROPOSED, change=head.change)
                self._add_issuers(head.key, reasons.KEY_PROPOSED, change=head.change)

    def add_people_of_grants(self, since: datetime) -> None:
        """Accounts that got a role, a group or a sign-in reset from a contributor after the first version, directly or
        through another such account.
        """
        for grant in self._history.grants.get(self._request.namespace, []):
            is_given = grant.giver in self.by_person and grant.giver != grant.receiver
            if is_given and grant.at > since and grant.concerns(self._request.template):
                self._add_contributors_of_grant(grant)

    def _add_contributors_of_grant(self, grant: RoleGrant) -> None:
        place = f"{self._request.namespace}/{grant.folder}".rstrip("/")
        if grant.group:
            wording = reasons.JOINED
        elif grant.role is None:
            wording = reasons.RESET
        elif grant.template:
            wording = reasons.RENAMED
        else:
            wording = reasons.GRANTED
        self._add(
            grant.receiver,
            wording,
            giver=grant.giver,
            role=grant.role,
            namespace=place,
            group=grant.group,
            template=grant.template,
        )

    def _describe_version(self, step: VersionNode) -> str:
        if step.template == self._request.template:
            return gettext("version {number}").format(number=step.number)
        return gettext("version {number} of {template}").format(number=step.number, template=step.template)
