"""The events of freezes: set and removed."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.core.sentences import quote_start
from registry.freezes import windows
from registry.journal import mirror_paths
from registry.journal.event import Cache, JournalEvent, Page, event, from_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["FreezeRemoved", "FreezeSet"]


@event("freeze.set", caches=Cache.NOTHING, page=Page.FREEZES)
@dataclass(frozen=True, kw_only=True)
class FreezeSet(JournalEvent):
    """No protected label moves forward in a window, or in one every week.

    starts_at, ends_at: microseconds since 1970 UTC, of a single freeze. week_start, week_end: minutes since Monday
    00:00 in the time zone, of a weekly one.
    """

    number: int
    reason: str
    starts_at: int | None = None
    ends_at: int | None = None
    week_start: int | None = None
    week_end: int | None = None
    time_zone: str | None = None

    def write_sentence(self) -> str:
        if self.starts_at is not None and self.ends_at is not None:
            times = windows.describe_window(from_microseconds(self.starts_at), from_microseconds(self.ends_at))
        else:
            times = windows.describe_weekly_window(self.week_start, self.week_end, self.time_zone or "")
        sentence = gettext("set freeze {number}, {times}: {reason}")
        return sentence.format(number=self.number, times=times, reason=quote_start(self.reason))

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_freeze(texts.namespace, self.number): texts.record()}
        return CommitContent(f"{texts.namespace}: freeze {self.number} set", files, self.reason)

    def restore(self, rows: Restorer) -> None:
        rows.create(
            "Freeze",
            number=self.number,
            namespace=rows.namespace,
            starts_at=rows.to_moment(self.starts_at) if self.starts_at is not None else None,
            ends_at=rows.to_moment(self.ends_at) if self.ends_at is not None else None,
            week_start=self.week_start,
            week_end=self.week_end,
            time_zone=self.time_zone or "",
            reason=self.reason,
            created_by=rows.author,
            created_at=rows.at,
        )


@event("freeze.removed", caches=Cache.NOTHING, page=Page.FREEZES)
@dataclass(frozen=True, kw_only=True)
class FreezeRemoved(JournalEvent):
    """A freeze was ended early, or a weekly one was removed."""

    number: int

    def write_sentence(self) -> str:
        return gettext("removed freeze {number}").format(number=self.number)

    def commit(self, texts: Texts) -> CommitContent:
        files = {mirror_paths.locate_freeze(texts.namespace, self.number): None}
        return CommitContent(f"{texts.namespace}: freeze {self.number} removed", files)

    def restore(self, rows: Restorer) -> None:
        rows.update("Freeze", {"number": self.number}, removed_at=rows.at)
