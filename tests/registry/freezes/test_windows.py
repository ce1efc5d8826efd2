"""The windows of freezes: the next slot, time zones, and days with a clock change."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.freezes.windows import WEEK, OneWindow, WeeklyWindow, Window, find_slot, find_window

BERLIN = ZoneInfo("Europe/Berlin")
DAY = 24 * 60
FRIDAY, MONDAY = 4 * DAY + 16 * 60, 8 * 60
ZONES = [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata")]

minutes = st.integers(0, WEEK - 1)
weekly = st.builds(WeeklyWindow, start=minutes, end=minutes, zone=st.sampled_from(ZONES)).filter(
    lambda freeze: freeze.start != freeze.end
)
moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
once = st.builds(
    lambda begins, hours: OneWindow(Window(begins, begins + timedelta(hours=hours))), moments, st.integers(1, 500)
)


def at(text):
    return datetime.fromisoformat(text).astimezone(UTC)


@given(st.lists(weekly | once, max_size=4), moments)
def test_the_next_slot_is_in_no_window_and_everything_before_it_is_in_one(freezes, moment):
    slot = find_slot(freezes, moment)
    if slot is None:
        return
    assert slot >= moment
    assert all(find_window(freeze, slot) is None for freeze in freezes)
    step = moment
    while step < slot:
        window = max((w for f in freezes if (w := find_window(f, step)) is not None), key=lambda w: w.ends)
        assert window.contains(step)
        step = window.ends


@given(weekly, moments)
def test_a_weekly_window_keeps_its_wall_clock_times(freeze, moment):
    windows = list(freeze.between(moment, moment + timedelta(days=21)))
    assert 3 <= len(windows) <= 5
    assert [window.begins for window in windows] == sorted(window.begins for window in windows)
    for window in windows:
        length = timedelta(minutes=(freeze.end - freeze.start) % WEEK)
        assert abs(window.ends - window.begins - length) <= timedelta(hours=2)


@pytest.mark.parametrize(
    ("moment", "until"),
    [
        ("2026-11-27T16:00+01:00", "2026-11-30T08:00+01:00"),
        ("2026-11-30T07:59+01:00", "2026-11-30T08:00+01:00"),
        ("2026-10-24T12:00+02:00", "2026-10-26T08:00+01:00"),  # the clock is set back on the Sunday in between
        ("2026-03-28T12:00+01:00", "2026-03-30T08:00+02:00"),  # and forward
    ],
)
def test_a_weekend_ends_on_monday_morning_whatever_the_clock_does(moment, until):
    freeze = WeeklyWindow(FRIDAY, MONDAY, BERLIN)
    assert find_window(freeze, at(moment)).ends == at(until)
    assert find_slot([freeze], at(moment)) == at(until)


@pytest.mark.parametrize("moment", ["2026-11-27T15:59+01:00", "2026-11-30T08:00+01:00", "2026-11-25T12:00+01:00"])
def test_outside_of_its_hours_a_weekly_freeze_is_none(moment):
    freeze = WeeklyWindow(FRIDAY, MONDAY, BERLIN)
    assert find_window(freeze, at(moment)) is None
    assert find_slot([freeze], at(moment)) == at(moment)


def test_an_hour_that_comes_twice_is_frozen_twice():
    sunday = 6 * DAY
    freeze = WeeklyWindow(sunday + 2 * 60, sunday + 3 * 60 - 1, BERLIN)
    window = find_window(freeze, at("2026-10-25T02:30+01:00"))
    assert (window.begins, window.ends) == (at("2026-10-25T02:00+02:00"), at("2026-10-25T02:59+01:00"))


def test_windows_that_follow_one_another_are_left_together():
    weekend = WeeklyWindow(FRIDAY, MONDAY, BERLIN)
    monday = OneWindow(Window(at("2026-11-30T07:00+01:00"), at("2026-12-01T12:00+01:00")))
    assert find_slot([weekend, monday], at("2026-11-28T12:00+01:00")) == at("2026-12-01T12:00+01:00")


def test_a_week_without_a_gap_has_no_slot():
    halves = [WeeklyWindow(0, FRIDAY, BERLIN), WeeklyWindow(FRIDAY, 0, BERLIN)]
    assert find_slot(halves, at("2026-11-28T12:00+01:00")) is None
