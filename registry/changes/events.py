"""The events of change requests: their steps, their discussion, and the verdicts of checks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, TimelineLine, event, json_name
from registry.journal.mirroring import CommitContent, Restorer, Texts

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

    def _commit(self, texts: Texts, step: str, note: str = "") -> CommitContent:
        files = {mirror_paths.change(texts.namespace, self.change, texts.number, step): texts.record()}
        return CommitContent(f"{self.template}: change {self.change} {step}", files, note, self.digest)

    def _update(self, rows: Restorer, **values: Any) -> None:
        rows.update("ChangeRequest", {"number": self.change}, updated_at=rows.at, **values)


@event("change.proposed", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeProposed(ChangeStep):
    """A change request was opened."""

    message: str

    def sentence(self) -> str:
        return self._describe("opened")

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("git-pull-request", f"asked to move {self.label} to v{self.version}")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "proposed", self.message)

    def restore(self, rows: Restorer) -> None:
        rows.create(
            "ChangeRequest",
            number=self.change,
            template=rows.template(self.template),
            label=self.label,
            version=rows.version(self.template, self.version),
            message=self.message,
            opened_by=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
            updated_at=rows.at,
        )


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

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "headed")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, version=rows.version(self.template, self.version), round=self.round)


@event("change.decided", caches=_APPROVALS)
@dataclass(frozen=True, kw_only=True)
class ChangeDecided(ChangeStep):
    """A reviewer decided or commented.

    number: of the decision within the request. text: its sha256. reviewed: true where this was the last approval
    missing after an emergency; decided: what the request was decided on then.
    """

    decision: str
    number: int
    round: int
    text: str | None
    reviewed: bool | None = None
    decided: Mapping[str, Any] | None = None
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "Decision", {"change": "change", "number": "number"}, {"text": "text"}
    )

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

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.stored_row()["text"]
        subject = f"{self.template}: change {self.change}, {self.decision.replace('_', ' ')}"
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        return CommitContent(subject, files, text, self.digest)

    def restore(self, rows: Restorer) -> None:
        text = rows.yaml(self._path(rows.namespace_name, rows.number))["text"]
        if text or self.text:
            rows.require_digest(text, self.text)
        rows.create(
            "Decision",
            change_id=self.change,
            number=self.number,
            decision=self.decision,
            label=self.label,
            version=rows.version(self.template, self.version),
            digest=self.digest,
            round=self.round,
            text=text,
            created_at=rows.at,
            person=rows.author,
            key_id=rows.key_id,
        )
        self._update(rows, **({"unreviewed": False} if self.reviewed else {}))

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.change(namespace, self.change, event, self.decision)


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

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "withdrawn", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="withdrawn", closed_at=rows.at)


@event("change.reopened")
@dataclass(frozen=True, kw_only=True)
class ChangeReopened(ChangeStep):
    """A withdrawn request was opened again, in a new round."""

    round: int

    def sentence(self) -> str:
        return self._describe("opened again")

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("rotate-ccw", f"opened the request again on v{self.version}")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "reopened")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="open", closed_at=None, round=self.round, decided=None)


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

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "emergency-closed", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, emergency_closed_at=rows.at)


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
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "Comment",
        {"thread__change": "change", "thread__number": "thread", "number": "comment"},
        {"text": "text", "suggestion": "suggestion", "quote": "thread__quote"},
    )

    def sentence(self) -> str:
        return f"wrote in thread {self.thread} of change {self.change}"

    def timeline_line(self) -> TimelineLine:
        lines = f"line {self.line}" if self.line == self.end_line else f"lines {self.line} to {self.end_line}"
        place = f"source {lines}" if self.side == "source" else f"{lines} of part {self.part + 1} on {self.sample}"
        verb = "suggests for" if self.suggestion is not None else "on"
        return TimelineLine("message-square", f"{verb} {place} of v{self.version}", is_remark=True)

    def commit(self, texts: Texts) -> CommitContent:
        comment = texts.stored_row()
        subject = f"{self.template}: change {self.change}, thread {self.thread}"
        files = {self._path(texts.namespace, texts.number): texts.record(**comment)}
        return CommitContent(subject, files, comment["text"], self.digest)

    def restore(self, rows: Restorer) -> None:
        facts = rows.yaml(self._path(rows.namespace_name, rows.number))
        digests = {"text": self.text, "suggestion": self.suggestion, "quote": self.quote}
        if rows.is_redacted(self.template, self.version):
            del digests["quote"]  # the lines went with the version they were quoted from
        for name, digest in digests.items():
            if facts[name] or digest is not None:
                rows.require_digest(facts[name] or "", digest)
        place = {name: getattr(self, name) for name in ("side", "line", "end_line", "sample", "part")}
        version = rows.version(self.template, self.version)
        thread = rows.update_or_create(
            "Thread",
            {"change_id": self.change, "number": self.thread},
            {"resolved_at": None, "resolved_by": None},
            {**place, "version": version, "quote": facts["quote"], "created_at": rows.at},
        )
        rows.create(
            "Comment",
            thread=thread,
            number=self.comment,
            text=facts["text"],
            suggestion=facts["suggestion"],
            created_at=rows.at,
            person=rows.author,
            key_id=rows.key_id,
        )
        rows.update("ChangeRequest", {"number": self.change}, updated_at=rows.at)

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.change(namespace, self.change, event, "thread-comment")


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

    def commit(self, texts: Texts) -> CommitContent:
        step = "thread-resolved" if self.resolved else "thread-opened"
        subject = f"{self.template}: change {self.change}, thread {self.thread} {self._verb}"
        files = {mirror_paths.change(texts.namespace, self.change, texts.number, step): texts.record()}
        return CommitContent(subject, files)

    def restore(self, rows: Restorer) -> None:
        at, person = (rows.at, rows.author) if self.resolved else (None, None)
        thread = {"change": self.change, "number": self.thread}
        rows.update("Thread", thread, resolved_at=at, resolved_by=person)


@event("verdict.given", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class VerdictGiven(JournalEvent):
    """A check passed or failed. key: what it looked at. details: sha256 of their canonical text."""

    is_by_person: ClassVar[bool] = False  # the worker writes it, from messages that repeat no secret
    stored_row: ClassVar[StoredRow | None] = StoredRow("Verdict", {"key": "key"}, {"details": "details"})
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

    def commit(self, texts: Texts) -> CommitContent:
        details = json.loads(texts.stored_row()["details"])
        files = {mirror_paths.verdict(self.template, texts.number, self.check): texts.record(details=details)}
        subject = f"{self.template} {self.version}: {self.check} {self.outcome}"
        return CommitContent(subject, files, self.summary, self.digest)

    def restore(self, rows: Restorer) -> None:
        details = rows.canonical_json(mirror_paths.verdict(self.template, rows.number, self.check), "details")
        if not rows.is_redacted(self.template, self.version):
            rows.require_digest(details, self.details)
        rows.create(
            "Verdict",
            template=rows.template(self.template),
            version=rows.version(self.template, self.version),
            check_name=self.check,
            key=self.key,
            outcome=self.outcome,
            summary=self.summary,
            details=details,
            created_at=rows.at,
        )
