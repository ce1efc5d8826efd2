"""The events of a release's schedule: it was set, or it ended without publishing."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.freezes.windows import format_moment
from registry.journal.event import Cache, TimelineLine, event, from_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts
from registry.releases.events import ReleaseStep

__all__ = ["ReleaseScheduled", "ReleaseUnscheduled"]


@event("release.scheduled", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ReleaseScheduled(ReleaseStep):
    """The release's publication was scheduled, on behalf of the event's author. at: microseconds since 1970 UTC."""

    at: int

    def write_sentence(self) -> str:
        return gettext("scheduled release {release} for {moment}").format(
            release=self.release, moment=format_moment(from_microseconds(self.at))
        )

    def build_timeline_line(self) -> TimelineLine:
        moment = format_moment(from_microseconds(self.at))
        return TimelineLine("clock", gettext("scheduled the release: it goes live {moment}").format(moment=moment))

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "scheduled")

    def restore(self, rows: Restorer) -> None:
        moment = rows.to_moment(self.at)
        self._update(rows, goes_live_at=moment, scheduled_by=rows.author, schedule_key_id=rows.key_id)


@event("release.unscheduled", caches=Cache.NOTHING, title="Schedule of a release ended")
@dataclass(frozen=True, kw_only=True)
class ReleaseUnscheduled(ReleaseStep):
    """The schedule was removed, or its time came and the release could not be published.

    reason, scheduled_by: in the latter case, the cause and the username of the person who scheduled it.
    """

    reason: str | None = None
    scheduled_by: str | None = None

    def write_sentence(self) -> str:
        if self.reason is None:
            return gettext("cancelled the schedule of release {release}").format(release=self.release)
        return gettext("did not publish release {release}, which {scheduled_by} had scheduled: {reason}").format(
            release=self.release, scheduled_by=self.scheduled_by, reason=self.reason
        )

    def build_timeline_line(self) -> TimelineLine:
        if self.reason is None:
            return TimelineLine("clock", gettext("cancelled the schedule"))
        words = gettext("did not publish the release, as {person} had scheduled").format(person=self.scheduled_by)
        return TimelineLine("clock", words, look="bad", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "unscheduled", self.reason or "")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, goes_live_at=None, scheduled_by_id=None, schedule_key_id=None)
