"""The events of comments on a release as a whole: added, edited and deleted."""

from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.journal import mirror_paths
from registry.journal.event import Cache, StoredRow, TimelineLine, event
from registry.journal.mirroring import CommitContent, Restorer, Texts
from registry.releases.events import ReleaseStep

__all__ = ["ReleaseCommentDeleted", "ReleaseCommentEdited", "ReleaseCommented"]


@event("release.commented", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseCommented(ReleaseStep):
    """Somebody commented on the release as a whole. number: of the comment in the release; text: its sha256."""

    number: int
    text: str
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "ReleaseComment", {"release": "release", "number": "number"}, {"text": "text"}
    )

    def write_sentence(self) -> str:
        return self._describe(gettext("commented on release {release}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("message-square", gettext("on the release"), is_remark=True)

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.find_stored_row()["text"]
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        return CommitContent(f"{texts.namespace}: release {self.release}, comment {self.number}", files, text)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_yaml(self._path(rows.namespace_name, rows.number))["text"]
        rows.require_digest(text, self.text)
        rows.create(
            "ReleaseComment",
            release_id=self.release,
            number=self.number,
            person=rows.author,
            key_id=rows.key_id,
            text=text,
            created_at=rows.at,
        )
        self._update(rows)

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.locate_release_step(namespace, self.release, event, "comment")


@dataclass(frozen=True, kw_only=True)
class _RevisionStep(ReleaseStep):
    """A comment was edited or deleted by its author. revision: 1, 2, 3 … within the comment."""

    comment: int
    revision: int

    def _create(self, rows: Restorer, text: str, *, is_deleted: bool) -> None:
        rows.create(
            "ReleaseCommentRevision",
            release_id=self.release,
            comment=self.comment,
            number=self.revision,
            text=text,
            is_deleted=is_deleted,
            created_at=rows.at,
        )


@event("release.comment_edited", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseCommentEdited(_RevisionStep):
    """A comment on a release was edited. text: sha256 of the new one."""

    text: str
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "ReleaseCommentRevision",
        {"release": "release", "comment": "comment", "number": "revision"},
        {"text": "text"},
    )

    def write_sentence(self) -> str:
        return self._describe(gettext("edited comment {comment} on release {release}"), comment=self.comment)

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.find_stored_row()["text"]
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        subject = f"{texts.namespace}: release {self.release}, comment {self.comment} edited"
        return CommitContent(subject, files, text)

    def restore(self, rows: Restorer) -> None:
        text = rows.read_yaml(self._path(rows.namespace_name, rows.number))["text"]
        rows.require_digest(text, self.text)
        self._create(rows, text, is_deleted=False)

    def _path(self, namespace: str, event: int) -> str:
        return mirror_paths.locate_release_step(namespace, self.release, event, "comment-edited")


@event("release.comment_deleted", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseCommentDeleted(_RevisionStep):
    """A comment on a release was deleted by its author; it is no longer shown."""

    def write_sentence(self) -> str:
        return self._describe(gettext("deleted comment {comment} on release {release}"), comment=self.comment)

    def commit(self, texts: Texts) -> CommitContent:
        path = mirror_paths.locate_release_step(texts.namespace, self.release, texts.number, "comment-deleted")
        subject = f"{texts.namespace}: release {self.release}, comment {self.comment} deleted"
        return CommitContent(subject, {path: texts.record()})

    def restore(self, rows: Restorer) -> None:
        self._create(rows, "", is_deleted=True)
