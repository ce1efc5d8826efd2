"""The events of change requests: their steps, their discussion, and the verdicts of checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from registry.journal.event import Cache, JournalEvent, TimelineLine, event, json_name

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

# The labels too: an emergency may have been approved, and answers say so.
_APPROVALS = Cache.APPROVALS | Cache.TEMPLATE_LABELS


@dataclass(frozen=True, kw_only=True)
class ChangeStep(JournalEvent):
    """A step of a change request. version, digest: of its head after the step."""

    change: int
    template: str
    label: str
    version: int
    digest: str

    def _describe(self, verb: str) -> str:
        return f"{verb} change {self.change}: {self.label} of {self.template} to version {self.version}"


@event("change.proposed", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeProposed(ChangeStep):
    """A change request was opened."""

    message: str

    def sentence(self) -> str:
        return self._describe("opened")

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("git-pull-request", f"asked to move {self.label} to v{self.version}")


@event("change.headed", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeHeaded(ChangeStep):
    """Another version was put into the request. from_version: the number of the one before."""

    round: int
    from_version: int | None = json_name("from", default=None)

    def sentence(self) -> str:
        return self._describe("updated")

    def timeline_line(self) -> TimelineLine:
        words = f"put v{self.version} into the request; approvals given before are void"
        return TimelineLine("git-commit-horizontal", words)


@event("change.decided", caches=_APPROVALS)
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

    def sentence(self) -> str:
        verb = {
            "approve": "approved",
            "request_changes": "asked for changes of",
            "comment": "commented on",
            "acknowledge": "accepted a break of the contract in",
        }[self.decision]
        return f"{verb} change {self.change}: version {self.version} of {self.template} for {self.label}"

    def timeline_line(self) -> TimelineLine:
        icon, look, words = {
            "approve": ("check", "ok", f"approved v{self.version} for {self.label}"),
            "request_changes": ("message-square", "bad", f"asks for edits of v{self.version}"),
            "acknowledge": ("triangle-alert", "warn", f"accepts the break of the contract by v{self.version}"),
            "comment": ("message-square", "", f"on v{self.version}"),
        }[self.decision]
        return TimelineLine(icon, words, look=look, is_remark=True)


@event("change.withdrawn", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeWithdrawn(ChangeStep):
    """The request was closed without publishing. decided: what it was decided on until then."""

    reason: str
    decided: Mapping[str, Any] | None = None

    def sentence(self) -> str:
        return self._describe("withdrew")

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("x", "withdrew the request", text=self.reason)


@event("change.reopened")
@dataclass(frozen=True, kw_only=True)
class ChangeReopened(ChangeStep):
    """A withdrawn request was opened again, in a new round."""

    round: int

    def sentence(self) -> str:
        return self._describe("opened again")

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("rotate-ccw", f"opened the request again on v{self.version}")


@event("emergency.closed")
@dataclass(frozen=True, kw_only=True)
class EmergencyClosed(ChangeStep):
    """An emergency was closed without approving it."""

    reason: str

    def sentence(self) -> str:
        return f"closed the emergency of change {self.change} without approving it"

    def timeline_line(self) -> TimelineLine:
        words = f"closed the emergency without approving v{self.version}"
        return TimelineLine("x", words, text=self.reason)


@event("comment.added", caches=Cache.NOTHING)
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

    def sentence(self) -> str:
        return f"wrote in thread {self.thread} of change {self.change}"

    def timeline_line(self) -> TimelineLine:
        lines = f"line {self.line}" if self.line == self.end_line else f"lines {self.line} to {self.end_line}"
        place = f"source {lines}" if self.side == "source" else f"{lines} of part {self.part + 1} on {self.sample}"
        verb = "suggests for" if self.suggestion is not None else "on"
        return TimelineLine("message-square", f"{verb} {place} of v{self.version}", is_remark=True)


@event("thread.resolved", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ThreadResolved(JournalEvent):
    """A thread was closed, or opened again."""

    change: int
    template: str
    thread: int
    resolved: bool

    def sentence(self) -> str:
        return f"{self._verb} thread {self.thread} of change {self.change}"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("check", f"{self._verb} thread {self.thread}")

    @property
    def _verb(self) -> str:
        return "resolved" if self.resolved else "opened again"


@event("verdict.given", caches=Cache.NOTHING)
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

    def sentence(self) -> str:
        return f"had {self.template} checked: {self.check} {self.outcome}"
