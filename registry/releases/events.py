"""The events of releases. What happens to each member is an event of its change request or of its label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, StoredRow, TimelineLine, event, quote_start
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "ReleaseChanged",
    "ReleaseCommented",
    "ReleaseOpened",
    "ReleasePublished",
    "ReleaseRolledBack",
    "ReleaseStep",
    "ReleaseWithdrawn",
]


@dataclass(frozen=True, kw_only=True)
class ReleaseStep(JournalEvent):
    """A step of a release: its number, and the label that it moves."""

    release: int
    label: str

    def _commit(self, texts: Texts, step: str, note: str = "") -> CommitContent:
        files = {mirror_paths.release(texts.namespace, self.release, texts.number, step): texts.record()}
        return CommitContent(f"{texts.namespace}: release {self.release} {step}", files, note)

    def _update(self, rows: Restorer, **values: object) -> None:
        rows.update("Release", {"number": self.release}, updated_at=rows.at, **values)


@event("release.opened", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseOpened(ReleaseStep):
    """A release was opened. changes: the numbers of its change requests, which were opened before this event."""

    title: str
    description: str
    changes: Sequence[int]

    def sentence(self) -> str:
        return f"opened release {self.release} of {_count(self.changes)} for {self.label}: {quote_start(self.title)}"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("list", f"opened the release of {_count(self.changes)}", text=self.description)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "opened", f"{self.title}\n\n{self.description}".strip())

    def restore(self, rows: Restorer) -> None:
        rows.create(
            "Release",
            number=self.release,
            namespace=rows.namespace,
            label=self.label,
            title=self.title,
            description=self.description,
            opened_by=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
            updated_at=rows.at,
        )
        rows.update("ChangeRequest", {"number__in": self.changes}, release_id=self.release)


@event("release.changed", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseChanged(ReleaseStep):
    """Change requests were added to the release or removed from it: their numbers."""

    added: Sequence[int]
    removed: Sequence[int]

    def sentence(self) -> str:
        return f"{self._describe()} release {self.release}"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("list", f"{self._describe()} the release")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "changed")

    def restore(self, rows: Restorer) -> None:
        rows.update("ChangeRequest", {"number__in": self.added}, release_id=self.release)
        rows.update("ChangeRequest", {"number__in": self.removed}, release_id=None)
        self._update(rows)

    def _describe(self) -> str:
        """`added change 4 to`, as it goes on with the release."""
        acts = [("added", self.added, "to"), ("removed", self.removed, "from")]
        return " and ".join(f"{verb} {_name_changes(numbers)} {where}" for verb, numbers, where in acts if numbers)


@event("release.published", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleasePublished(ReleaseStep):
    """All labels of the release moved. changes: the change requests that were published with it."""

    changes: Sequence[int]

    def sentence(self) -> str:
        return f"published release {self.release}: {self.label} of {_count(self.changes)} moved"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("check", f"published the release: {self.label} of {_count(self.changes)} moved", look="ok")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "published")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="published", closed_at=rows.at)


@event("release.withdrawn", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseWithdrawn(ReleaseStep):
    """The release was closed without publishing, and its open change requests with it."""

    reason: str

    def sentence(self) -> str:
        return f"withdrew release {self.release}"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("x", "withdrew the release", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "withdrawn", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="withdrawn", closed_at=rows.at)


@event("release.rolled_back", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseRolledBack(ReleaseStep):
    """Labels of the release were rolled back together. changes: the change requests whose publication that undid."""

    changes: Sequence[int]
    reason: str

    def sentence(self) -> str:
        return f"rolled back release {self.release}: {self.label} of {_count(self.changes)}"

    def timeline_line(self) -> TimelineLine:
        words = f"rolled back {self.label} of {_count(self.changes)}"
        return TimelineLine("rotate-ccw", words, look="warn", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "rolled-back", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, rolled_back_at=rows.at)


@event("release.commented", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseCommented(ReleaseStep):
    """Something was said about the release as a whole. number: of the comment in the release; text: its sha256."""

    number: int
    text: str
    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "ReleaseComment", {"release": "release", "number": "number"}, {"text": "text"}
    )

    def sentence(self) -> str:
        return f"commented on release {self.release}"

    def timeline_line(self) -> TimelineLine:
        return TimelineLine("message-square", "on the release", is_remark=True)

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.stored_row()["text"]
        files = {self._path(texts.namespace, texts.number): texts.record(text=text)}
        return CommitContent(f"{texts.namespace}: release {self.release}, comment {self.number}", files, text)

    def restore(self, rows: Restorer) -> None:
        text = rows.yaml(self._path(rows.namespace_name, rows.number))["text"]
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
        return mirror_paths.release(namespace, self.release, event, "comment")


def _count(changes: Sequence[int]) -> str:
    return f"{len(changes)} template{'' if len(changes) == 1 else 's'}"


def _name_changes(numbers: Sequence[int]) -> str:
    listed = " and ".join(str(number) for number in numbers)
    return f"change{'' if len(numbers) == 1 else 's'} {listed}"
