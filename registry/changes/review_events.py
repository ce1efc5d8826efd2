"""The events of reviewing a change request: comments, threads, counted scores, and the verdicts of checks."""

import json
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, TimelineLine, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["CommentAdded", "ScoresCounted", "ThreadResolved", "VerdictGiven"]


@event("comment.added", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class CommentAdded(JournalEvent):
    """A comment was added to a thread of the request. quote, text, suggestion: their sha256."""

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

    def write_sentence(self) -> str:
        return gettext("wrote in thread {thread} of change {change}").format(thread=self.thread, change=self.change)

    def build_timeline_line(self) -> TimelineLine:
        if self.line == self.end_line:
            lines = gettext("line {line}").format(line=self.line)
        else:
            lines = gettext("lines {line} to {end}").format(line=self.line, end=self.end_line)
        if self.suggestion is not None:
            words = gettext("suggests for source {lines} of v{version}")
        elif self.side == "source":
            words = gettext("on source {lines} of v{version}")
        else:
            words = gettext("on {lines} of part {part} on {sample} of v{version}")
        words = words.format(lines=lines, part=self.part + 1, sample=self.sample, version=self.version)
        return TimelineLine("message-square", words, is_remark=True)

    def commit(self, texts: Texts) -> CommitContent:
        comment = texts.find_stored_row()
        subject = f"{self.template}: change {self.change}, thread {self.thread}"
        files = {self._path(texts.namespace, texts.number): texts.record(**comment)}
        return CommitContent(subject, files, comment["text"], self.digest)

    def restore(self, rows: Restorer) -> None:
        facts = rows.read_yaml(self._path(rows.namespace_name, rows.number))
        digests = {"text": self.text, "suggestion": self.suggestion, "quote": self.quote}
        if rows.is_redacted(self.template, self.version):
            del digests["quote"]  # the quoted lines are redacted with their version
        for name, digest in digests.items():
            if facts[name] or digest is not None:
                rows.require_digest(facts[name] or "", digest)
        place = {name: getattr(self, name) for name in ("side", "line", "end_line", "sample", "part")}
        version = rows.find_version(self.template, self.version)
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
        return mirror_paths.locate_change_step(namespace, self.change, event, "thread-comment")


@event("thread.resolved", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ThreadResolved(JournalEvent):
    """A thread was resolved or reopened."""

    change: int
    template: str
    thread: int
    resolved: bool

    def write_sentence(self) -> str:
        if self.resolved:
            sentence = gettext("resolved thread {thread} of change {change}")
        else:
            sentence = gettext("reopened thread {thread} of change {change}")
        return sentence.format(thread=self.thread, change=self.change)

    def build_timeline_line(self) -> TimelineLine:
        words = gettext("resolved thread {thread}") if self.resolved else gettext("reopened thread {thread}")
        return TimelineLine("check", words.format(thread=self.thread))

    @property
    def _verb(self) -> str:
        return "resolved" if self.resolved else "opened again"  # no text: for Git

    def commit(self, texts: Texts) -> CommitContent:
        step = "thread-resolved" if self.resolved else "thread-opened"
        subject = f"{self.template}: change {self.change}, thread {self.thread} {self._verb}"
        files = {mirror_paths.locate_change_step(texts.namespace, self.change, texts.number, step): texts.record()}
        return CommitContent(subject, files)

    def restore(self, rows: Restorer) -> None:
        at, person = (rows.at, rows.author) if self.resolved else (None, None)
        thread = {"change": self.change, "number": self.thread}
        rows.update("Thread", thread, resolved_at=at, resolved_by=person)


@event("verdict.given", caches=Cache.NOTHING, title="Check finished")
@dataclass(frozen=True, kw_only=True)
class VerdictGiven(JournalEvent):
    """A check passed or failed. key: identifies the inputs it checked. details: sha256 of their canonical text."""

    is_by_person: ClassVar[bool] = False  # written by the worker, from messages without secrets
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

    def write_sentence(self) -> str:
        sentence = gettext("had {template} checked: {check} {outcome}")
        return sentence.format(template=self.template, check=self.check, outcome=self.outcome)

    def commit(self, texts: Texts) -> CommitContent:
        details = json.loads(texts.find_stored_row()["details"])
        files = {mirror_paths.locate_verdict(self.template, texts.number, self.check): texts.record(details=details)}
        subject = f"{self.template} {self.version}: {self.check} {self.outcome}"
        return CommitContent(subject, files, self.summary, self.digest)

    def restore(self, rows: Restorer) -> None:
        details = rows.read_canonical_json(
            mirror_paths.locate_verdict(self.template, rows.number, self.check), "details"
        )
        if not rows.is_redacted(self.template, self.version):
            rows.require_digest(details, self.details)
        rows.create(
            "Verdict",
            template=rows.find_template(self.template),
            version=rows.find_version(self.template, self.version),
            check_name=self.check,
            key=self.key,
            outcome=self.outcome,
            summary=self.summary,
            details=details,
            created_at=rows.at,
        )


@event("scores.counted", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ScoresCounted(JournalEvent):
    """People's scores were recorded as the basis of a gate of the request. number: 1, 2, 3 … within the request and its
    evaluation. run: its number. rows, model_digest: of the run. scores: sha256 of their canonical text.
    """

    is_by_person: ClassVar[bool] = False  # written by the worker
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "CountedScores", {"change": "change", "evaluation": "evaluation", "number": "number"}, {"scores": "text"}
    )
    change: int
    template: str
    version: int
    digest: str
    evaluation: str
    number: int
    run: int
    rows: str
    model_digest: str
    count: int
    scores: str

    def write_sentence(self) -> str:
        sentence = gettext("counted {count} scores by people for {evaluation} in change {change}")
        return sentence.format(count=self.count, evaluation=self.evaluation, change=self.change)

    def commit(self, texts: Texts) -> CommitContent:
        scores = json.loads(texts.find_stored_row()["scores"])
        files = {self._path(texts.namespace, texts.number): texts.record(scores=scores)}
        subject = f"{self.template} {self.version}: {self.count} scores by people for {self.evaluation}"
        return CommitContent(subject, files, digest=self.digest)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_canonical_json(self._path(rows.namespace_name, rows.number), "scores")
        rows.require_digest(text, self.scores)
        rows.create(
            "CountedScores",
            change_id=self.change,
            evaluation=self.evaluation,
            number=self.number,
            version=rows.find_version(self.template, self.version),
            run=self.run,
            rows_digest=self.rows,
            model_digest=self.model_digest,
            digest=self.scores,
            text=text,
            created_at=rows.at,
        )

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.locate_change_step(namespace, self.change, event, "scores-counted")
