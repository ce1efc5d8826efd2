"""The days of the calendar page: each with its freezes, what goes live, and what was moved."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Literal

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from registry.changes.rollout_plans import name_share
from registry.releases.calendar_queries import Calendar, FreezeWindow
from registry.rollouts.timetable import RolloutMoment
from registry.templates.label_models import LabelMove

__all__ = ["CalendarDay", "CalendarItem", "FreezeOnDay", "Month", "fold_items", "lay_out_days", "parse_month"]

SHOWN = 5  # items shown per day; upcoming ones are folded last
_YEARS = range(2000, 2201)


@dataclass(frozen=True)
class Month:
    """A month of the calendar, laid out in whole weeks from Monday to Sunday."""

    first: date

    @property
    def days(self) -> list[date]:
        """Every day of the weeks that the month spans."""
        begins = self.first - timedelta(days=self.first.weekday())
        last = self.following.first - timedelta(days=1)
        return [begins + timedelta(days=at) for at in range((last - begins).days + 7 - last.weekday())]

    @property
    def following(self) -> "Month":
        """The next month."""
        return Month((self.first + timedelta(days=31)).replace(day=1))

    @property
    def previous(self) -> "Month":
        """The month before."""
        return Month((self.first - timedelta(days=1)).replace(day=1))

    @property
    def slug(self) -> str:
        """`2026-11`, as in the URL."""
        return f"{self.first:%Y-%m}"

    def span(self, zone: tzinfo) -> tuple[datetime, datetime]:
        """From the start of the first day to the end (exclusive) of the last."""
        days = self.days
        return _begin(days[0], zone), _begin(days[-1] + timedelta(days=1), zone)


@dataclass(frozen=True)
class CalendarItem:
    """An event with its time in the reader's time zone. state: `scheduled` for what goes live, `due` for a step of a
    rollout, or `moved` for what happened. what: the move in words: `production to v3 published`.
    """

    at: datetime
    state: Literal["scheduled", "due", "moved"]
    what: str
    subject: str
    url: str
    person: str

    @property
    def at_text(self) -> str:
        """The time in ISO format."""
        return self.at.isoformat()

    @property
    def clock(self) -> str:
        """`16:05`"""
        return f"{self.at:%H:%M}"


@dataclass(frozen=True)
class FreezeOnDay:
    """A freeze on one day. hours: `all day`, `from 16:00`, `until 08:00` or `12:00 to 14:00`."""

    namespace: str
    reason: str
    hours: str
    url: str


@dataclass(frozen=True)
class CalendarDay:
    """One day. items: what is upcoming, and the latest of what happened; folded: the rest."""

    day: date
    in_month: bool
    is_today: bool
    freezes: list[FreezeOnDay]
    items: list[CalendarItem]
    folded: list[CalendarItem]

    @property
    def is_empty(self) -> bool:
        """Whether the day has neither freezes nor items."""
        return not (self.freezes or self.items)


def parse_month(text: str, today: date) -> Month:
    """The month of a slug such as `2026-11`; any other slug returns the month of `today`."""
    try:
        first = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007  # a month has no time
    except ValueError:
        first = today
    return Month((first if first.year in _YEARS else today).replace(day=1))


def lay_out_days(month: Month, calendar: Calendar, today: date, zone: tzinfo) -> list[CalendarDay]:
    """The days of the month's weeks, with times in the given time zone."""
    items: defaultdict[date, list[CalendarItem]] = defaultdict(list)
    listed = (
        *_list_scheduled(calendar),
        *map(_describe_move, calendar.moves),
        *map(_describe_rollout, calendar.rollouts),
    )
    for item in sorted(listed, key=lambda item: item.at):
        local = replace(item, at=item.at.astimezone(zone))
        items[local.at.date()].append(local)
    freezes = _group_freezes_by_day(month.days, calendar.windows, zone)
    return [
        CalendarDay(
            day,
            day.month == month.first.month,
            day == today,
            freezes.get(day, []),
            *fold_items(items[day]),
        )
        for day in month.days
    ]


def fold_items(items: list[CalendarItem]) -> tuple[list[CalendarItem], list[CalendarItem]]:
    """Split a day's items into those shown and the rest. Upcoming ones come first, then the latest past ones."""
    coming = [item for item in items if item.state != "moved"]
    happened = [item for item in items if item.state == "moved"]
    first = max(0, len(happened) - max(0, SHOWN - len(coming)))
    visible_items = sorted(happened[first:] + coming[:SHOWN], key=lambda item: item.at)
    return visible_items, happened[:first] + coming[SHOWN:]


def _list_scheduled(calendar: Calendar) -> Iterator[CalendarItem]:
    for change in calendar.changes:
        if change.goes_live_at is not None:
            description = gettext("{label} to v{number}").format(label=change.label, number=change.version.number)
            url, person = reverse("change", args=[change.number]), change.scheduled_by
            name = person.display_name if person else ""
            yield CalendarItem(change.goes_live_at, "scheduled", description, change.template.name, url, name)
    for release in calendar.releases:
        if release.goes_live_at is not None:
            url, person = reverse("release", args=[release.number]), release.scheduled_by
            subject = f"{release.title} ({release.namespace.name})"
            name = person.display_name if person else ""
            description = gettext("{label}, release").format(label=release.label)
            yield CalendarItem(release.goes_live_at, "scheduled", description, subject, url, name)


_MOVES: Mapping[str, str | Promise] = {
    "published": gettext_lazy("{target} published"),
    "rolled_back": gettext_lazy("{target} rolled back"),
    "broke_glass": gettext_lazy("{target} published in an emergency"),
    "moved": gettext_lazy("{target} moved"),
    "removed": gettext_lazy("{target} removed"),
}


def _describe_move(move: LabelMove) -> CalendarItem:
    target = move.label
    if move.after:
        target = gettext("{label} to v{number}").format(label=move.label, number=move.after.number)
    what = str(_MOVES[move.how]).format(target=target)
    page = (
        reverse("change", args=[move.change.number]) if move.change else reverse("template", args=[move.template.name])
    )
    return CalendarItem(move.created_at, "moved", what, move.template.name, page, move.person.display_name)


_ROLLOUTS: Mapping[str, str | Promise] = {
    "started": gettext_lazy("{label} to v{number}, rollout started with {share}"),
    "step": gettext_lazy("{label} to v{number} for {share} of the callers"),
    "stopped": gettext_lazy("{label} to v{number}, rollout stopped at {share}"),
}


def _describe_rollout(moment: RolloutMoment) -> CalendarItem:
    rollout = moment.rollout
    share, number = name_share(moment.share), rollout.candidate.number
    what = str(_ROLLOUTS[moment.kind]).format(label=rollout.label, number=number, share=share)
    is_due, url = moment.kind == "step", reverse("change", args=[rollout.change_id])
    person = rollout.started_by.display_name if moment.kind == "started" else ""
    return CalendarItem(moment.at, "due" if is_due else "moved", what, rollout.template.name, url, person)


def _group_freezes_by_day(
    days: Sequence[date], windows: Sequence[FreezeWindow], zone: tzinfo
) -> dict[date, list[FreezeOnDay]]:
    freezes: defaultdict[date, list[FreezeOnDay]] = defaultdict(list)
    for day in days:
        begins, ends = _begin(day, zone), _begin(day + timedelta(days=1), zone)
        for it in windows:
            if it.window.begins < ends and begins < it.window.ends:
                space = it.freeze.namespace.name
                hours = _format_hours(it, begins, ends, zone)
                freezes[day].append(FreezeOnDay(space, it.freeze.reason, hours, reverse("freezes", args=[space])))
    return freezes


def _format_hours(it: FreezeWindow, begins: datetime, ends: datetime, zone: tzinfo) -> str:
    start = "" if it.window.begins <= begins else f"{it.window.begins.astimezone(zone):%H:%M}"
    end = "" if it.window.ends >= ends else f"{it.window.ends.astimezone(zone):%H:%M}"
    if start and end:
        return gettext("{start} to {end}").format(start=start, end=end)
    if start:
        return gettext("from {time}").format(time=start)
    return gettext("until {time}").format(time=end) if end else gettext("all day")


def _begin(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(), zone)
