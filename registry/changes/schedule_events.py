"""The events of a change request's schedule: it was set, or it ended without publishing."""

from dataclasses import dataclass

from django.utils.translation import gettext

from registry.changes.events import ChangeStep
from registry.freezes.windows import format_moment
from registry.journal.event import Cache, TimelineLine, event, from_microseconds
from registry.journal.mirroring import CommitContent, Restorer, Texts

__all__ = ["ChangeScheduled", "ChangeUnscheduled"]


@event("change.scheduled", caches=Cache.NOTHING)
@dataclass(frozen=True, kw_only=True)
class ChangeScheduled(ChangeStep):
    """The request's publication was scheduled, on behalf of the event's author. at: microseconds since 1970 UTC."""

    at: int

    def write_sentence(self) -> str:
        moment = format_moment(from_microseconds(self.at))
        sentence = gettext("scheduled change {change}: {label} of {template} to version {version}, for {moment}")
        return sentence.format(
            change=self.change, label=self.label, template=self.template, version=self.version, moment=moment
        )

    def build_timeline_line(self) -> TimelineLine:
        moment = format_moment(from_microseconds(self.at))
        return TimelineLine(
            "clock",
            gettext("scheduled v{version} for {label}: it goes live {moment}").format(
                version=self.version, label=self.label, moment=moment
            ),
        )

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "scheduled")

    def restore(self, rows: Restorer) -> None:
        moment = rows.to_moment(self.at)
        scheduled = {"goes_live_at": moment, "scheduled_by": rows.author, "schedule_key_id": rows.key_id}
        self._update(rows, **scheduled, planned_rollout=None)


@event("change.unscheduled", caches=Cache.NOTHING, title="Schedule of a change ended")
@dataclass(frozen=True, kw_only=True)
class ChangeUnscheduled(ChangeStep):
    """The schedule was removed, or its time came and the request could not be published.

    reason, scheduled_by: in the latter case, the cause and the username of the person who scheduled it.
    """

    reason: str | None = None
    scheduled_by: str | None = None

    def write_sentence(self) -> str:
        if self.reason is None:
            return gettext("cancelled the schedule of change {change}: {label} of {template}").format(
                change=self.change, label=self.label, template=self.template
            )
        return gettext("did not publish change {change}, which {scheduled_by} had scheduled: {reason}").format(
            change=self.change, scheduled_by=self.scheduled_by, reason=self.reason
        )

    def build_timeline_line(self) -> TimelineLine:
        if self.reason is None:
            return TimelineLine("clock", gettext("cancelled the schedule"))
        words = gettext("did not publish it, as {person} had scheduled").format(person=self.scheduled_by)
        return TimelineLine("clock", words, look="bad", text=self.reason)

    def commit(self, texts: Texts) -> CommitContent:
        return self._commit(texts, "unscheduled", self.reason or "")

    def restore(self, rows: Restorer) -> None:
        self._update(rows, goes_live_at=None, scheduled_by_id=None, schedule_key_id=None)
