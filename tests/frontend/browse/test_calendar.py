"""The page of the calendar."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from frontend.browse.calendar_days import SHOWN, CalendarItem, Month, fold_items, lay_out_days, parse_month
from registry.changes import decisions, schedules
from registry.changes import services as change_services
from registry.freezes import services as freeze_services
from registry.freezes.models import Freeze
from registry.freezes.windows import Window
from registry.journal import log
from registry.releases.calendar_queries import MAX_SCHEDULED, Calendar, FreezeWindow
from registry.rollouts import services as rollout_services
from registry.rollouts.timetable import MAX_ROLLOUTS
from tests.frontend.conftest import REPLY, read_html

PAGE = "/environments/calendar"
ZURICH = ZoneInfo("Europe/Zurich")


def _freeze(reply, starts, ends):
    return freeze_services.set_freeze(
        actor=reply.actor("admin"), namespace="support", repeat="once", starts=starts, ends=ends, reason="New year"
    )


@pytest.mark.parametrize(
    ("text", "slug"), [("2026-02", "2026-02"), ("", "2026-11"), ("soon", "2026-11"), ("9999-12", "2026-11")]
)
def test_the_address_names_a_month_and_nonsense_gives_this_one(text, slug):
    assert parse_month(text, date(2026, 11, 23)).slug == slug


@pytest.mark.parametrize("number", range(1, 13))
def test_a_month_is_laid_out_in_whole_weeks_that_contain_it(number):
    month = Month(date(2026, number, 1))
    days = month.days
    assert len(days) % 7 == 0
    assert (days[0].weekday(), days[-1].weekday()) == (0, 6)
    assert days[0] <= month.first
    assert days[6].month == number
    assert days[-7].month == number
    assert month.following.previous == month


def test_a_day_of_25_hours_belongs_to_one_square():
    begins, ends = Month(date(2026, 10, 1)).span(ZURICH)
    assert begins.astimezone(UTC) == datetime(2026, 9, 27, 22, tzinfo=UTC)
    assert ends.astimezone(UTC) == datetime(2026, 11, 1, 23, tzinfo=UTC)


def test_a_freeze_names_its_hours_on_each_of_its_days(reply):
    freeze = Freeze(number=1, namespace=reply.propose(2).template.namespace, reason="Weekend")
    window = Window(datetime(2026, 11, 6, 15, tzinfo=UTC), datetime(2026, 11, 9, 7, tzinfo=UTC))
    calendar = Calendar([], [], [FreezeWindow(freeze, window)], [], [])
    days = lay_out_days(Month(date(2026, 11, 1)), calendar, date(2026, 11, 7), ZURICH)
    hours = {day.day.day: [it.hours for it in day.freezes] for day in days if day.in_month and day.freezes}
    assert hours == {6: ["from 16:00"], 7: ["all day"], 8: ["all day"], 9: ["until 08:00"]}
    assert [day.day.day for day in days if day.is_today] == [7]


def test_scheduled_publishes_freezes_and_moves_are_on_their_days(reply, browser):
    change = reply.propose(2)
    at = (datetime.now(UTC) + timedelta(days=40)).replace(hour=8, minute=30, second=0, microsecond=0)
    schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=at)
    page = " ".join(read_html(browser("reader").get(f"{PAGE}?month={at:%Y-%m}")).split())
    assert f'<a href="/changes/{change.number}">{REPLY}</a> <b>goes live</b>' in page
    assert "08:30" in page
    assert "production to v2" in page
    now = " ".join(read_html(browser("reader").get(PAGE)).split())
    assert "production to v1 published" in now
    assert 'aria-current="date"' in now


def test_a_freeze_is_there_with_its_reason_and_a_link(reply, browser):
    _freeze(reply, "2100-01-04T10:00", "2100-01-04T12:00")
    page = " ".join(read_html(browser("reader").get(f"{PAGE}?month=2100-01")).split())
    assert '<a href="/n/support/freezes">support</a> frozen 10:00 to 12:00' in page
    assert "New year" in page


def test_times_are_of_the_readers_time_zone(reply, browser):
    _freeze(reply, "2100-01-04T10:00", "2100-01-04T12:00")
    person = reply.people["reader"]
    person.time_zone = "Asia/Kolkata"
    person.save()
    page = read_html(browser("reader").get(f"{PAGE}?month=2100-01"))
    assert "frozen 15:30 to 17:30" in page
    assert "Asia/Kolkata" in page


def test_a_rollout_is_there_with_its_start_its_steps_and_its_end(reply, browser):
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    steps = [{"share": 500, "hours": 24}, {"share": 2500, "hours": 24}]
    rollout = rollout_services.start_rollout(actor=reply.actor("author"), change=change.number, steps=steps)

    def read() -> str:
        months = {f"{rollout.created_at + timedelta(days=days):%Y-%m}" for days in range(3)}
        return " ".join(" ".join(read_html(browser("reader").get(f"{PAGE}?month={month}")).split()) for month in months)

    page = read()
    assert "production to v2, rollout started with 5 % by author" in page
    assert f'<a href="/changes/{change.number}">{REPLY}</a> <b>rolls out</b>' in page
    assert "production to v2 for 25 % of the callers" in page
    assert "production to v2 for 100 % of the callers" in page
    rollout_services.stop_rollout(actor=reply.actor("reviewer"), number=rollout.number, reason="Wrong answers")
    page = read()
    assert "production to v2, rollout stopped at 5 %" in page
    assert "rolls out" not in page


def test_a_month_with_many_rollouts_says_how_many_are_shown(reply, browser):
    change = reply.propose(2)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    rollout = rollout_services.start_rollout(actor=reply.actor("author"), change=change.number)
    sentence = f"Of the rollouts only {MAX_ROLLOUTS} are shown: those with the next step soonest, then the newest."
    assert sentence not in " ".join(read_html(browser("reader").get(PAGE)).split())
    rollout.state, rollout.next_at, rollout.ended_at = "stopped", None, rollout.created_at
    for number in range(2, MAX_ROLLOUTS + 2):
        rollout.number = number
        rollout.save(force_insert=True)
    page = " ".join(read_html(browser("reader").get(PAGE)).split())
    assert sentence in page
    (address,) = re.findall('<a href="([^"]*)">All that are active</a>', page)
    assert browser("reader").get(address).context["view"] == "rolling"


def test_a_month_with_much_that_is_scheduled_says_how_much_is_shown(reply, browser):
    change = reply.propose(2)
    schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=log.now() + timedelta(days=1))
    change.refresh_from_db()
    address = f"{PAGE}?month={change.goes_live_at:%Y-%m}"
    sentence = f"Of the scheduled changes and releases only the first {MAX_SCHEDULED} are shown."
    assert sentence not in " ".join(read_html(browser("reader").get(address)).split())
    for number in range(change.number + 1, change.number + MAX_SCHEDULED + 1):
        change.number, change.label = number, f"label-{number}"
        change.save(force_insert=True)
    page = " ".join(read_html(browser("reader").get(address)).split())
    assert sentence in page
    assert page.count("<b>goes live</b>") == MAX_SCHEDULED


def test_an_empty_month_says_so_and_links_to_its_neighbours(reply, browser):
    page = read_html(browser("reader").get(f"{PAGE}?month=2100-01&namespace=support"))
    assert "Nothing is scheduled, frozen or moved in these weeks." in page
    assert "?month=2099-12&amp;namespace=support" in page
    assert "?month=2100-02&amp;namespace=support" in page


def test_a_full_day_is_folded(reply, browser):
    at = (datetime.now(UTC) + timedelta(days=40)).replace(hour=8, minute=30, second=0, microsecond=0)
    for number in range(SHOWN + 2):
        name = f"support/many-{number}"
        reply.save(name=name)
        change = change_services.propose_change(
            actor=reply.actor("author"), name=name, label="production", version=1, message=""
        )
        schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=at)
    page = read_html(browser("reader").get(f"{PAGE}?month={at:%Y-%m}"))
    assert "<summary>2 more</summary>" in page


def test_an_outsider_sees_nothing_of_the_namespace(reply, browser):
    _freeze(reply, "2100-01-04T10:00", "2100-01-04T12:00")
    page = read_html(browser("outsider").get(f"{PAGE}?month=2100-01&namespace=support"))
    assert "New year" not in page
    assert "/n/support/freezes" not in page
    assert "<option>support" not in page


def test_the_desk_links_to_it(reply, browser):
    assert f'href="{PAGE}"' in read_html(browser("reader").get("/environments/"))


def test_of_a_full_day_what_is_to_come_is_shown_and_the_last_of_what_happened():
    noon = datetime(2026, 11, 6, 12, tzinfo=UTC)
    moves = [_happened(noon + timedelta(minutes=minute)) for minute in range(SHOWN + 2)]
    coming = [CalendarItem(noon + timedelta(hours=hour), "scheduled", "", "a/b", "/", "author") for hour in (2, 3)]
    shown, folded = fold_items([*moves, *coming])
    assert shown == [*moves[4:], *coming]
    assert folded == moves[:4]
    assert fold_items([*moves, *coming[:1] * 6]) == (coming[:1] * SHOWN, [*moves, coming[0]])


def _happened(at):
    return CalendarItem(at, "moved", "", "a/b", "/", "author")
