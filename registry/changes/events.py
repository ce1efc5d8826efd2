"""The events of change requests: their steps, their discussion, and the verdicts of checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from registry.journal.event import JournalEvent, event, json_name

__all__ = [
    "ChangeDecided",
    "ChangeHeaded",
    "ChangeProposed",
    "ChangeReopened",
    "ChangeStep",
    "ChangeWithdrawn",
    "CommentAdded",
    "EmergencyClosed",
    "ThreadResolved",
    "VerdictGiven",
]


@dataclass(frozen=True, kw_only=True)
class ChangeStep(JournalEvent):
    """A step of a change request. version, digest: of its head after the step."""

    change: int
    template: str
    label: str
    version: int
    digest: str


@event("change.proposed")
@dataclass(frozen=True, kw_only=True)
class ChangeProposed(ChangeStep):
    """A change request was opened."""

    message: str


@event("change.headed")
@dataclass(frozen=True, kw_only=True)
class ChangeHeaded(ChangeStep):
    """Another version was put into the request. from_version: the number of the one before."""

    round: int
    from_version: int | None = json_name("from", default=None)


@event("change.decided")
@dataclass(frozen=True, kw_only=True)
class ChangeDecided(ChangeStep):
    """A reviewer decided or commented.

    number: of the decision within the request. text: its sha256. reviewed: true where this was the last approval missing
    after an emergency; decided: what the request was decided on then.
    """

    decision: str
    number: int
    round: int
    text: str | None
    reviewed: bool | None = None
    decided: Mapping[str, Any] | None = None


@event("change.withdrawn")
@dataclass(frozen=True, kw_only=True)
class ChangeWithdrawn(ChangeStep):
    """The request was closed without publishing. decided: what it was decided on until then."""

    reason: str
    decided: Mapping[str, Any] | None = None


@event("change.reopened")
@dataclass(frozen=True, kw_only=True)
class ChangeReopened(ChangeStep):
    """A withdrawn request was opened again, in a new round."""

    round: int


@event("emergency.closed")
@dataclass(frozen=True, kw_only=True)
class EmergencyClosed(ChangeStep):
    """An emergency was closed without approving it."""

    reason: str


@event("comment.added")
@dataclass(frozen=True, kw_only=True)
class CommentAdded(JournalEvent):
    """Something was said in a thread of the request. quote, text, suggestion: their sha256."""

    change: int
    thread: int
    comment: int
    template: str
    version: int
    digest: str
    side: str
    line: int
    end_line: int
    sample: str
    part: int
    quote: str
    text: str | None
    suggestion: str | None


@event("thread.resolved")
@dataclass(frozen=True, kw_only=True)
class ThreadResolved(JournalEvent):
    """A thread was closed, or opened again."""

    change: int
    template: str
    thread: int
    resolved: bool


@event("verdict.given")
@dataclass(frozen=True, kw_only=True)
class VerdictGiven(JournalEvent):
    """A check passed or failed. key: what it looked at. details: sha256 of their canonical text."""

    is_by_person: ClassVar[bool] = False  # the worker writes it, from messages that repeat no secret
    change: int
    template: str
    version: int
    digest: str
    check: str
    key: str
    outcome: str
    summary: str
    details: str
