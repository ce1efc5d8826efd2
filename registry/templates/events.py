"""The events of templates: their versions, samples and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.journal.event import JournalEvent, event, json_name

__all__ = [
    "LabelMoved",
    "SamplesSaved",
    "TemplateArchived",
    "TemplateUnarchived",
    "VersionRedacted",
    "VersionSaved",
]


@event("version.saved", version="number")
@dataclass(frozen=True, kw_only=True)
class VersionSaved(JournalEvent):
    """A version was saved.

    document: its sha256. fragments: the sha256 of each text by its ref. profile: sha256 of its canonical text. base: the
    number of the version that this one was made from. copied_from: of a first version only, name@ref or empty. merged_from:
    the number of the version that was merged. suggestions: [change, thread, comment] of each that was applied.
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


@event("version.redacted")
@dataclass(frozen=True, kw_only=True)
class VersionRedacted(JournalEvent):
    """The text of a version was taken away for good."""

    template: str
    version: int
    digest: str
    reason: str


@event("samples.saved", version="")
@dataclass(frozen=True, kw_only=True)
class SamplesSaved(JournalEvent):
    """Samples were saved. digest: sha256 of their canonical text."""

    template: str
    number: int
    digest: str


@event("template.archived")
@dataclass(frozen=True, kw_only=True)
class TemplateArchived(JournalEvent):
    """A template was put away."""

    template: str
    reason: str


@event("template.unarchived")
@dataclass(frozen=True, kw_only=True)
class TemplateUnarchived(JournalEvent):
    """An archived template was brought back."""

    template: str


@event("label.moved", version="to")
@dataclass(frozen=True, kw_only=True)
class LabelMoved(JournalEvent):
    """A label stands on another version, or is approved where it stood, or was removed.

    from_version, to: numbers, None where the label was not set or is not any more. digest: of `to`. how: one of
    `LabelMove.HOW`. change: the number of the request that moved it. decided: what that request was decided on.
    """

    template: str
    label: str
    from_version: int | None = json_name("from")
    to: int | None
    digest: str | None
    how: str
    reason: str
    change: int | None
    decided: Mapping[str, Any] | None = None
