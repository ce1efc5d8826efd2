"""The events of templates: their versions, samples and names."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from django.utils.translation import gettext

from registry.core.sentences import quote_start
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, StoredRow, event, format_canonical_json
from registry.journal.mirroring import CommitContent, Move, Restorer, Texts

__all__ = [
    "SamplesSaved",
    "TemplateArchived",
    "TemplateRenamed",
    "TemplateUnarchived",
    "VersionRedacted",
    "VersionSaved",
]


@event("version.saved", version="number", caches=Cache.TEMPLATE_LABELS, page=Page.DIFF)
@dataclass(frozen=True, kw_only=True)
class VersionSaved(JournalEvent):
    """A version was saved.

    document: its sha256. fragments: the sha256 of each text by its ref. profile: sha256 of its canonical text. base:
    the number of the version that this one is based on. copied_from: of a first version only, name@ref or empty.
    merged_from: the number of the version that was merged. suggestions: [change, thread, comment] of each applied one.
    """

    template: str
    number: int
    digest: str
    document: str
    fragments: Mapping[str, str]
    profile: str | None
    base: int | None
    message: str
    copied_from: str | None = None
    merged_from: int | None = None
    suggestions: Sequence[Sequence[int]] | None = None

    def write_sentence(self) -> str:
        message = quote_start(self.message.strip().partition("\n")[0])
        sentence = gettext("saved version {number} of {template}").format(number=self.number, template=self.template)
        return f"{sentence}: {message}" if message else sentence

    def commit(self, texts: Texts) -> CommitContent:
        version = texts.find_version()
        first, _, note = version.message.strip().partition("\n")
        subject = f"{self.template} {version.number}: {first}" if first else f"{self.template} {version.number}"
        document: bytes | None = None
        if version.is_redacted:
            facts = texts.record(redacted=True, message=version.message)
        else:
            bundle = version.unpacked()
            document = bundle.pop("document").encode()
            facts = texts.record(
                **bundle,
                settings=json.loads(version.settings),
                problems=json.loads(version.problems),
                message=version.message,
            )
        files = {
            mirror_paths.locate_document(self.template): document,
            mirror_paths.locate_bundle(self.template): facts,
        }
        return CommitContent(subject, files, note, version.digest)

    def restore(self, rows: Restorer) -> None:
        is_redacted = rows.is_redacted(self.template, self.number)
        rows.add_version(
            document=None if is_redacted else rows.read_file(mirror_paths.locate_document(self.template)).decode(),
            facts={} if is_redacted else rows.read_yaml(mirror_paths.locate_bundle(self.template)),
            copied_from=self.copied_from,
            number=self.number,
            digest=self.digest,
            base=rows.find_version(self.template, self.base) if self.base else None,
            message=self.message,
        )


@event("version.redacted", caches=Cache.ALL_OF_FETCHES | Cache.TEXTS)
@dataclass(frozen=True, kw_only=True)
class VersionRedacted(JournalEvent):
    """The text of a version was permanently removed."""

    template: str
    version: int
    digest: str
    reason: str

    def write_sentence(self) -> str:
        return gettext("redacted version {version} of {template}: {reason}").format(
            version=self.version, template=self.template, reason=self.reason
        )

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_redaction(self.template, self.version): texts.record()}
        return CommitContent(f"{self.template} {self.version}: redacted", files, self.reason, self.digest)

    def restore(self, rows: Restorer) -> None:
        rows.redact(self.template, self.version, self.reason)


@event("samples.saved", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class SamplesSaved(JournalEvent):
    """Samples were saved. digest: sha256 of their text."""

    stored_row: ClassVar[StoredRow | None] = StoredRow(
        "SampleSet", {"template__name": "template", "digest": "digest"}, {"text": "text"}
    )
    template: str
    number: int
    digest: str

    def write_sentence(self) -> str:
        return gettext("saved the samples of {template}").format(template=self.template)

    def commit(self, texts: Texts) -> CommitContent:
        text = texts.find_stored_row()["text"]
        samples = json.loads(text)
        # Names stored in canonical order have a sorted file, as every set had before samples were ordered.
        file = texts.write_yaml(samples, sort_keys=format_canonical_json(samples) == text)
        return CommitContent(f"{self.template}: samples", {mirror_paths.locate_samples(self.template): file})

    def restore(self, rows: Restorer) -> None:
        text = rows.read_samples_json(mirror_paths.locate_samples(self.template), self.digest)
        rows.require_digest(text, self.digest)
        rows.create(
            "SampleSet",
            template=rows.find_template(self.template),
            number=self.number,
            digest=self.digest,
            text=text,
            author=rows.author,
            key_id=rows.key_id,
            created_at=rows.at,
        )


@event("template.archived")
@dataclass(frozen=True, kw_only=True)
class TemplateArchived(JournalEvent):
    """A template was archived."""

    template: str
    reason: str

    def write_sentence(self) -> str:
        return gettext("archived {template}").format(template=self.template)

    def commit(self, texts: Texts) -> CommitContent:
        return CommitContent(
            f"{self.template}: archived", {mirror_paths.locate_archive_mark(self.template): texts.record()}
        )

    def restore(self, rows: Restorer) -> None:
        rows.archive(self.template, rows.at)


@event("template.unarchived", title="Template restored")
@dataclass(frozen=True, kw_only=True)
class TemplateUnarchived(JournalEvent):
    """A template was unarchived."""

    template: str

    def write_sentence(self) -> str:
        return gettext("restored {template}").format(template=self.template)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_archive_mark(self.template): None}
        return CommitContent(f"{self.template}: taken out of the archive", files)

    def restore(self, rows: Restorer) -> None:
        rows.archive(self.template, None)


@event("template.renamed", caches=Cache.ALL_OF_FETCHES)
@dataclass(frozen=True, kw_only=True)
class TemplateRenamed(JournalEvent):
    """A template was renamed in its namespace; its former name redirects to it.

    template: the new name. former: the previous one. version: the number of its newest version. labels: each with the
    number of its version. has_samples, is_archived: whether the mirror has these files.
    """

    template: str
    former: str
    version: int
    labels: Mapping[str, int]
    has_samples: bool
    is_archived: bool
    reason: str

    def write_sentence(self) -> str:
        sentence = gettext("renamed {former} to {name}").format(former=self.former, name=self.template)
        return f"{sentence}: {quote_start(self.reason)}" if self.reason.strip() else sentence

    def commit(self, texts: Texts) -> CommitContent:
        files = {
            mirror_paths.locate_former_name(self.former): texts.record(),
            mirror_paths.locate_former_name(self.template): None,
        }
        return CommitContent(
            f"{self.former}: renamed to {self.template}",
            files,
            self.reason,
            renames=self._list_renames(texts),
            moves=tuple(
                Move(mirror_paths.name_branch(label), {}, self._rename_document(texts, number))
                for label, number in sorted(self.labels.items())
            ),
        )

    def _list_renames(self, texts: Texts) -> dict[str, str]:
        """The template's files, old path to new. Results of checks and records of redactions keep their paths."""
        places = [mirror_paths.locate_bundle]
        places += [mirror_paths.locate_samples] if self.has_samples else []
        places += [mirror_paths.locate_archive_mark] if self.is_archived else []
        renames = {place(self.former): place(self.template) for place in places}
        for label in self.labels:
            renames[mirror_paths.locate_label(self.former, label)] = mirror_paths.locate_label(self.template, label)
        return renames | self._rename_document(texts, self.version)

    def _rename_document(self, texts: Texts, number: int) -> dict[str, str]:
        """The document's file on a branch with this version; a redacted version has no file."""
        if texts.find_version(number).is_redacted:
            return {}
        return {mirror_paths.locate_document(self.former): mirror_paths.locate_document(self.template)}

    def restore(self, rows: Restorer) -> None:
        rows.rename_template(self.former, self.template)
