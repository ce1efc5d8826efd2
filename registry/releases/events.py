"""The events of releases. Each member has the events of its change request and of its label."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from registry.core.sentences import quote_start
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, TimelineLine, event
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = [
    "LAST_STEPS",
    "ReleaseChanged",
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

    def _describe(self, sentence: str, **values: object) -> str:
        """The translated sentence with the release, its label and further values."""
        return sentence.format(release=self.release, label=self.label, **values)

    def _commit(self, texts: Texts, step: str, note: str = "") -> CommitContent:
        files = {mirror_paths.locate_release_step(texts.namespace, self.release, texts.number, step): texts.record()}
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

    def write_sentence(self) -> str:
        sentence = ngettext(
            "opened release {release} of {count} template for {label}: {title}",
            "opened release {release} of {count} templates for {label}: {title}",
            len(self.changes),
        )
        return self._describe(sentence, count=len(self.changes), title=quote_start(self.title))

    def build_timeline_line(self) -> TimelineLine:
        words = ngettext(
            "opened the release of {count} template", "opened the release of {count} templates", len(self.changes)
        )
        return TimelineLine("list", words.format(count=len(self.changes)), text=self.description)

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
    """Change requests were added to the release or removed from it. The fields are their numbers."""

    added: Sequence[int]
    removed: Sequence[int]

    def write_sentence(self) -> str:
        added_sentence = ngettext(
            "added change {changes} to release {release}",
            "added changes {changes} to release {release}",
            len(self.added),
        )
        removed_sentence = ngettext(
            "removed change {changes} from release {release}",
            "removed changes {changes} from release {release}",
            len(self.removed),
        )
        return self._describe_acts(added_sentence, removed_sentence)

    def build_timeline_line(self) -> TimelineLine:
        added_sentence = ngettext(
            "added change {changes} to the release", "added changes {changes} to the release", len(self.added)
        )
        removed_sentence = ngettext(
            "removed change {changes} from the release", "removed changes {changes} from the release", len(self.removed)
        )
        return TimelineLine("list", self._describe_acts(added_sentence, removed_sentence))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "changed")

    def restore(self, rows: Restorer) -> None:
        rows.update("ChangeRequest", {"number__in": self.added}, release_id=self.release)
        rows.update("ChangeRequest", {"number__in": self.removed}, release_id=None)
        self._update(rows)

    def _describe_acts(self, added_sentence: str, removed_sentence: str) -> str:
        """The translated sentences of the actions."""
        acts = [(added_sentence, self.added), (removed_sentence, self.removed)]
        return gettext(" and ").join(
            self._describe(sentence, changes=_list_numbers(numbers)) for sentence, numbers in acts if numbers
        )


@event("release.published", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleasePublished(ReleaseStep):
    """All labels of the release moved. changes: the change requests that were published with it."""

    changes: Sequence[int]

    def write_sentence(self) -> str:
        sentence = ngettext(
            "published release {release}: {label} of {count} template moved",
            "published release {release}: {label} of {count} templates moved",
            len(self.changes),
        )
        return self._describe(sentence, count=len(self.changes))

    def build_timeline_line(self) -> TimelineLine:
        words = ngettext(
            "published the release: {label} of {count} template moved",
            "published the release: {label} of {count} templates moved",
            len(self.changes),
        )
        return TimelineLine("check", self._describe(words, count=len(self.changes)), look="ok")

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "published")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="published", closed_at=rows.at)


@event("release.withdrawn", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseWithdrawn(ReleaseStep):
    """The release and its open change requests were closed without publishing."""

    reason: str

    def write_sentence(self) -> str:
        return self._describe(gettext("withdrew release {release}"))

    def build_timeline_line(self) -> TimelineLine:
        return TimelineLine("x", gettext("withdrew the release"), text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "withdrawn", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, state="withdrawn", closed_at=rows.at)


@event("release.rolled_back", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseRolledBack(ReleaseStep):
    """Labels of the release were rolled back together. changes: the change requests whose publication was undone."""

    changes: Sequence[int]
    reason: str

    def write_sentence(self) -> str:
        sentence = ngettext(
            "rolled back release {release}: {label} of {count} template",
            "rolled back release {release}: {label} of {count} templates",
            len(self.changes),
        )
        return self._describe(sentence, count=len(self.changes))

    def build_timeline_line(self) -> TimelineLine:
        words = ngettext(
            "rolled back {label} of {count} template", "rolled back {label} of {count} templates", len(self.changes)
        )
        return TimelineLine("rotate-ccw", self._describe(words, count=len(self.changes)), look="warn", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "rolled-back", self.reason)

    def restore(self, rows: Restorer) -> None:
        self._update(rows, rolled_back_at=rows.at)


def _list_numbers(numbers: Sequence[int]) -> str:
    return gettext(" and ").join(str(number) for number in numbers)


LAST_STEPS = (ReleaseOpened, ReleaseChanged, ReleasePublished, ReleaseRolledBack, ReleaseWithdrawn)
"""The events that end an act on a release: each follows those of the release's templates."""
