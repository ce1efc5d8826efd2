"""The model's rows: versions, label moves, requests, rollouts, releases and keys, without a database."""

from dataclasses import dataclass, field

__all__ = ["PEOPLE", "RANKS", "Grant", "Head", "Key", "Move", "Release", "Request", "Rollout", "Template", "Version"]

PEOPLE = ("author", "reviewer", "admin", "reader", "outsider")
RANKS = {"reader": 0, "author": 1, "reviewer": 2, "admin": 3}


@dataclass(frozen=True)
class Version:
    """One version. `mark` represents its bytes; `issuers` issued the key with which it was saved."""

    number: int
    mark: str
    author: str
    base: int | None
    issuers: tuple[str, ...]
    at: int


@dataclass(frozen=True)
class Move:
    """One move of a label, to a version's number or away. `request`: the number of the one that it published. `before`:
    the number that the label held.
    """

    label: str
    after: int | None
    how: str
    protected: bool
    request: int | None = None
    before: int | None = None


@dataclass(frozen=True)
class Head:
    """One time that a version became the head of a request. kind: proposed, headed or reopened."""

    request: int
    number: int
    kind: str
    people: tuple[str, ...]


@dataclass
class Request:
    """A change request. decisions: (round, version's mark, person, decision), oldest first."""

    number: int
    template: str
    label: str
    head: int
    opened_by: str
    state: str = "pending"
    round: int = 1
    decisions: list[tuple[int, str, str, str]] = field(default_factory=list)
    unreviewed: bool = False
    emergency_closed: bool = False
    release: int | None = None

    @property
    def needs_approval(self) -> bool:
        """Whether it was published in an emergency that was neither approved nor closed."""
        return self.unreviewed and not self.emergency_closed

    @property
    def is_pending(self) -> bool:
        """Whether it was neither published nor withdrawn."""
        return self.state == "pending"


@dataclass
class Rollout:
    """A rollout of two steps, 500 and 2500 ten-thousandths."""

    number: int
    request: int
    template: str
    label: str
    share: int = 500
    state: str = "running"

    @property
    def is_active(self) -> bool:
        """Whether it divides its label."""
        return self.state in ("running", "paused")


@dataclass
class Release:
    """A release. Its members are the requests that name it."""

    number: int
    label: str
    opened_by: str
    state: str = "open"


@dataclass
class Key:
    """A write key of a person, issued by an admin."""

    person: str
    issuer: str
    is_revoked: bool = False


@dataclass(frozen=True)
class Grant:
    """One time that somebody got a role, or a higher one."""

    giver: str
    receiver: str
    at: int


@dataclass
class Template:
    """A template: its versions by number from 1, what its labels hold, and which bytes were redacted."""

    name: str
    versions: list[Version] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    heads: list[Head] = field(default_factory=list)
    redacted: set[str] = field(default_factory=set)
    is_archived: bool = False

    def mark(self, number: int) -> str:
        """The bytes of a version."""
        return self.versions[number - 1].mark

    def held_mark(self, label: str) -> str | None:
        """The bytes that a label holds."""
        return self.mark(self.labels[label]) if label in self.labels else None

    def upward(self, number: int) -> set[int]:
        """The version and all that it was made from."""
        found: set[int] = set()
        at: int | None = number
        while at is not None:
            found.add(at)
            at = self.versions[at - 1].base
        return found

    def contains(self, number: int, other: int) -> bool:
        """Whether a version is another one, or is based on it or on one with the same bytes."""
        return any(self.mark(at) == self.mark(other) for at in self.upward(number))

    def twins(self, number: int) -> set[int]:
        """The other versions with the same bytes."""
        return {it.number for it in self.versions if it.mark == self.mark(number)} - {number}
