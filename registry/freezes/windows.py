"""Time windows without releases: a single one, or the same hours of every week in a time zone. No database.

A week's minutes count from Monday 00:00 in the time zone's local time. Around clock changes a window includes all of
its local times: it starts at the earlier and ends at the later of the times that a local time can mean.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext

__all__ = [
    "DAYS",
    "WEEK",
    "ComingFreeze",
    "OneWindow",
    "StandingFreeze",
    "WeeklyWindow",
    "Window",
    "Windows",
    "describe_weekly_window",
    "describe_window",
    "find_slot",
    "find_window",
    "format_moment",
    "format_week_minute",
]

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
WEEK = 7 * 24 * 60
_LOOKAHEAD = timedelta(days=366)
_MAX_STEPS = 5_000


@dataclass(frozen=True)
class Window:
    """From one time (inclusive) to another (exclusive), both in UTC."""

    begins: datetime
    ends: datetime

    def contains(self, moment: datetime) -> bool:
        """Whether the time is in it."""
        return self.begins <= moment < self.ends


class Windows(Protocol):
    """The windows of one freeze."""

    def between(self, begins: datetime, ends: datetime) -> Iterator[Window]:
        """The windows that overlap this span, in order."""


@dataclass(frozen=True)
class OneWindow:
    """A freeze that happens once."""

    window: Window

    def between(self, begins: datetime, ends: datetime) -> Iterator[Window]:
        """The window, if it overlaps this span."""
        if self.window.begins < ends and begins < self.window.ends:
            yield self.window


@dataclass(frozen=True)
class WeeklyWindow:
    """A freeze every week. start, end: minutes of the week; an end before the start is in the next week."""

    start: int
    end: int
    zone: ZoneInfo

    def between(self, begins: datetime, ends: datetime) -> Iterator[Window]:
        """The windows that overlap this span, in order."""
        length = (self.end - self.start) % WEEK
        first = begins.astimezone(self.zone).date()
        monday = datetime.combine(first - timedelta(days=first.weekday() + 14), time())
        while True:
            starts = monday + timedelta(minutes=self.start)
            window = Window(
                min(self._compute_moments(starts)), max(self._compute_moments(starts + timedelta(minutes=length)))
            )
            if window.begins >= ends:
                return
            if begins < window.ends:
                yield window
            monday += timedelta(days=7)

    def _compute_moments(self, wall: datetime) -> tuple[datetime, datetime]:
        """The two times that a local time can mean: equal except around clock changes."""
        first, second = (wall.replace(tzinfo=self.zone, fold=fold).astimezone(UTC) for fold in (0, 1))
        return first, second


@dataclass(frozen=True)
class StandingFreeze:
    """The freeze in effect at a time. until: its end. slot: the next time without a freeze; None if there isn't one
    within a year.
    """

    namespace: str
    reason: str
    until: datetime
    slot: datetime | None

    @property
    def sentence(self) -> str:
        """`billing has no releases until Mon 23 Nov 08:00 CET (stocktaking).`"""
        return gettext("{namespace} has no releases until {moment} ({reason}).").format(
            namespace=self.namespace, moment=format_moment(self.until), reason=self.reason
        )

    @property
    def notice(self) -> str:
        """`no releases until Mon 23 Nov 08:00 CET`"""
        return gettext("no releases until {moment}").format(moment=format_moment(self.until))

    @property
    def short_notice(self) -> str:
        """`no releases until Mon 08:00`"""
        return gettext("no releases until {moment}").format(moment=_format_near_moment(self.until))

    @property
    def advice(self) -> str:
        """When releases are possible again."""
        if self.slot is None:
            return gettext("The next year has no free slot.")
        if self.slot == self.until:
            return gettext("Releases can continue after the freeze.")
        return gettext("Next slot: {moment}.").format(moment=format_moment(self.slot))


@dataclass(frozen=True)
class ComingFreeze:
    """A freeze that begins soon, with its window."""

    window: Window

    @property
    def notice(self) -> str:
        """`no releases from Fri 20 Nov 16:00 CET until Mon 23 Nov 08:00 CET`"""
        return gettext("no releases from {start} until {end}").format(
            start=format_moment(self.window.begins), end=format_moment(self.window.ends)
        )

    @property
    def short_notice(self) -> str:
        """`no releases Fri 16:00 to Mon 08:00`"""
        return gettext("no releases {start} to {end}").format(
            start=_format_near_moment(self.window.begins), end=_format_near_moment(self.window.ends)
        )


def find_window(freeze: Windows, moment: datetime) -> Window | None:
    """The window of the freeze that contains the time, or None."""
    around = freeze.between(moment, moment + timedelta(microseconds=1))
    return next((window for window in around if window.contains(moment)), None)


def find_slot(freezes: Collection[Windows], moment: datetime) -> datetime | None:
    """The first time from this one on that is in none of the windows; None if there isn't one within a year."""
    slot, latest = moment, moment + _LOOKAHEAD
    for _ in range(_MAX_STEPS):
        windows = [window for freeze in freezes if (window := find_window(freeze, slot)) is not None]
        if not windows:
            return slot
        slot = max(window.ends for window in windows)
        if slot > latest:
            return None
    return None


def format_moment(moment: datetime) -> str:
    """`Mon 23 Nov 08:00 CET`, in the reader's time zone; in UTC outside of pages."""
    local = timezone.localtime(moment)
    year = "" if abs(local - timezone.now()) < timedelta(days=300) else " Y"
    return date_format(local, f"D j M{year} H:i T")


def _format_near_moment(moment: datetime) -> str:
    """`Mon 08:00` if the weekday is unambiguous, else with the date: `Mon 23 Nov 08:00`."""
    local = timezone.localtime(moment)
    is_near = abs(local.date() - timezone.localdate()) < timedelta(days=7)
    return date_format(local, "D H:i" if is_near else "D j M H:i")


def format_week_minute(minute: int | None) -> str:
    """`fri 16:00`; empty for None."""
    if minute is None:
        return ""
    day, rest = divmod(minute, 24 * 60)
    return f"{DAYS[day]} {rest // 60:02}:{rest % 60:02}"


def describe_window(begins: datetime, ends: datetime) -> str:
    """The time of a single freeze: `Mon 23 Nov 08:00 CET to Mon 23 Nov 18:00 CET`."""
    return gettext("{start} to {end}").format(start=format_moment(begins), end=format_moment(ends))


def describe_weekly_window(week_start: int | None, week_end: int | None, time_zone: str) -> str:
    """The time of a weekly freeze: `Fri 16:00 to Mon 08:00 every week (Europe/Berlin)`."""
    return gettext("{start} to {end} every week ({zone})").format(
        start=format_week_minute(week_start).title(), end=format_week_minute(week_end).title(), zone=time_zone
    )
