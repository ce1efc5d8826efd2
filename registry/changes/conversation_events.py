"""The events of the conversation about a change request: review requests, and edits and deletions of comments."""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.changes.events import ChangeStep
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, TimelineLine, event, to_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["CommentDeleted", "CommentEdited", "ReviewRequested"]


@event("review.requested", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReviewRequested(ChangeStep):
    """Somebody asked a reviewer for a review. person: the username. again: true if they were asked before."""

    person: str
    again: bool | None = None

    def write_sentence(self) -> str:
        words = gettext("asked {person} to review change {change}: version {version} of {template} for {label}")
        if self.again:
            words = gettext("reminded {person} to review change {change}: version {version} of {template} for {label}")
        return self._describe(words.replace("{person}", self.person))

    def build_timeline_line(self) -> TimelineLine:
        words = gettext("reminded {person} of the review") if self.again else gettext("asked {person} for a review")
        return TimelineLine("users", words.format(person=self.person))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "review-requested")

    def restore(self, rows: Restorer) -> None:
        reviewers = rows.find("ChangeRequest", number=self.change).asked
        by = rows.author.username
        self._update(rows, asked={**reviewers, self.person: {"by": by, "at": to_microseconds(rows.at)}})


@dataclass(frozen=True, kw_only=True)
class _RevisionStep(JournalEvent):
    """A comment was edited or deleted by its author.

    thread: its number, 0 for a decision's comment. comment: the number within the thread, or of the decision. revision:
    1, 2, 3 … within the comment.
    """

    change: int
    template: str
    thread: int
    comment: int
    revision: int

    def _describe(self, in_thread: str, of_decision: str) -> str:
        sentence = in_thread if self.thread else of_decision
        return sentence.format(comment=self.comment, thread=self.thread, change=self.change)

    def _write_subject(self, act: str) -> str:
        place = f"thread {self.thread}, comment {self.comment}" if self.thread else f"decision {self.comment}"
        return f"{self.template}: change {self.change}, {place} {act}"  # no text: for Git

    def _create(self, rows: Restorer, text: str, *, is_deleted: bool) -> None:
        rows.create(
            "CommentRevision",
            change_id=self.change,
            thread=self.thread,
            comment=self.comment,
            number=self.revision,
            text=text,
            is_deleted=is_deleted,
            created_at=rows.at,
        )


@event("comment.edited", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class CommentEdited(_RevisionStep):
    """A comment was edited. text: sha256 of the new one, null if it is empty."""

    text: str | None
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "CommentRevision",
        {"change": "change", "thread": "thread", "comment": "comment", "number": "revision"},
        {"text": "text"},
    )

    def write_sentence(self) -> str:
        return self._describe(
            gettext("edited comment {comment} in thread {thread} of change {change}"),
            gettext("edited the comment of review {comment} in change {change}"),
        )

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.find_stored_row()["text"]
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        return CommitContent(self._write_subject("edited"), files, text)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_yaml(self._path(rows.namespace_name, rows.number))["text"]
        if text or self.text:
            rows.require_digest(text, self.text)
        self._create(rows, text, is_deleted=False)

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.locate_change_step(namespace, self.change, event, "comment-edited")


@event("comment.deleted", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class CommentDeleted(_RevisionStep):
    """A comment was deleted by its author; it is no longer shown."""

    def write_sentence(self) -> str:
        return self._describe(
            gettext("deleted comment {comment} in thread {thread} of change {change}"),
            gettext("deleted the comment of review {comment} in change {change}"),
        )

    def commit(self, texts: Texts) -> CommitContent:
        path = mirror_paths.locate_change_step(texts.namespace, self.change, texts.number, "comment-deleted")
        return CommitContent(self._write_subject("deleted"), {path: texts.record()})

    def restore(self, rows: Restorer) -> None:
        self._create(rows, "", is_deleted=True)
