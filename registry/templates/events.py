"""The events of templates: their versions, samples and labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.journal.event import Cache, JournalEvent, Page, TimelineLine, event, json_name, quote_start

__all__ = [
    "LabelMoved",
    "SamplesSaved",
    "TemplateArchived",
    "TemplateUnarchived",
    "VersionRedacted",
    "VersionSaved",
]


@event("version.saved", version="number", caches=Cache.TEMPLATE_LABELS, page=Page.DIFF)
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

    def sentence(self) -> str:
        message = quote_start(self.message.strip().partition("\n")[0])
        return f"saved version {self.number} of {self.template}" + (f": {message}" if message else "")


@event("version.redacted", caches=Cache.ALL_OF_FETCHES | Cache.TEXTS)
@dataclass(frozen=True, kw_only=True)
class VersionRedacted(JournalEvent):
    """The text of a version was taken away for good."""

    template: str
    version: int
    digest: str
    reason: str

    def sentence(self) -> str:
        return f"redacted version {self.version} of {self.template}: {self.reason}"


@event("samples.saved", version="", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class SamplesSaved(JournalEvent):
    """Samples were saved. digest: sha256 of their canonical text."""

    template: str
    number: int
    digest: str

    def sentence(self) -> str:
        return f"saved the samples of {self.template}"


@event("template.archived")
@dataclass(frozen=True, kw_only=True)
class TemplateArchived(JournalEvent):
    """A template was put away."""

    template: str
    reason: str

    def sentence(self) -> str:
        return f"archived {self.template}"


@event("template.unarchived")
@dataclass(frozen=True, kw_only=True)
class TemplateUnarchived(JournalEvent):
    """An archived template was brought back."""

    template: str

    def sentence(self) -> str:
        return f"took {self.template} out of the archive"


# A request may have lost its approval: others are contributors now.
@event("label.moved", version="to", caches=Cache.TEMPLATE_LABELS | Cache.APPROVALS)
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

    def sentence(self) -> str:
        label, name, to, origin = self.label, self.template, self.to, self.from_version
        place = f"from version {origin} to {to}" if origin else f"to version {to}"
        if self.how == "published" and origin == to:
            return f"published {name}: {label} stays on version {to}, approved now"
        reason = f": {quote_start(self.reason)}" if self.reason.strip() else ""
        return {
            "moved": f"moved {label} of {name} {place}",
            "published": f"published {name}: {label} moved {place}",
            "rolled_back": f"rolled {label} of {name} back {place}{reason}",
            "removed": f"took {label} away from {name}, which stood on version {origin}",
            "broke_glass": f"broke the glass: {label} of {name} moved {place} without approval{reason}",
        }[self.how]

    def timeline_line(self) -> TimelineLine:
        words = {
            "published": f"published it: {self.label} is on v{self.to}",
            "broke_glass": f"published it in an emergency, before it was approved: {self.label} is on v{self.to}",
            "rolled_back": f"rolled {self.label} back to v{self.to}",
        }.get(self.how, f"moved {self.label}")
        if self.from_version == self.to:
            words = f"published it: {self.label} stays on v{self.to}, approved now"
        return TimelineLine("check", words, look="ok", text=self.reason)
