"""Tests for scheduling on the pages of a change and of a release."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from tests.frontend.conftest import words

SOON = (datetime.now(UTC) + timedelta(days=30)).replace(second=0, microsecond=0)


@pytest.fixture
def change(reply):
    return reply.propose(2)


def typed(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def test_an_author_schedules_changes_the_date_and_cancels(browser, change):
    page, author = f"/changes/{change.number}", browser("author")
    assert "Schedule" in words(author.get(page))
    author.post(page, {"do": "schedule", "goes_live_at": typed(SOON)})
    text = words(author.get(page))
    assert f"Goes live {SOON:%a} {SOON.day} {SOON:%b %H:%M} UTC" in text
    assert "Change date" in text
    change.refresh_from_db()
    assert change.goes_live_at == SOON
    author.post(page, {"do": "unschedule"})
    assert "Change date" not in words(author.get(page))


def test_the_moment_is_of_the_readers_time_zone(reply, browser, change):
    person = reply.people["author"]
    person.time_zone = "Asia/Kolkata"
    person.save()
    browser("author").post(f"/changes/{change.number}", {"do": "schedule", "goes_live_at": typed(SOON)})
    change.refresh_from_db()
    assert change.goes_live_at == SOON.replace(tzinfo=ZoneInfo("Asia/Kolkata"))


@pytest.mark.parametrize("moment", ["", "tomorrow", "2020-01-01T00:00"])
def test_a_moment_that_makes_no_sense_comes_back_with_its_sentence(browser, change, moment):
    answer = browser("author").post(f"/changes/{change.number}", {"do": "schedule", "goes_live_at": moment})
    assert answer.status_code == 422
    assert ("in the past" if moment.startswith("2020") else "a date and a time") in words(answer)


def test_a_reader_is_offered_no_schedule(browser, change):
    assert 'value="schedule"' not in browser("reader").get(f"/changes/{change.number}").content.decode()


def test_the_panel_before_publishing_offers_it_too(browser, change):
    panel = browser("author").get(f"/changes/{change.number}/publish").content.decode()
    assert 'id="panel-goes-live-at"' in panel


def test_a_release_is_scheduled_on_its_page(reply, browser):
    name = "support/other"
    reply.save(name=name)
    release = proposals.propose_release(
        actor=reply.actor("author"),
        namespace="support",
        label="production",
        title="Both",
        selection=ReleaseSelection(versions={name: 1, "support/refunds/reply": 2}),
    ).release
    page, author = f"/releases/{release.number}", browser("author")
    author.post(page, {"do": "schedule", "goes_live_at": typed(SOON)})
    assert "Change date" in words(author.get(page))
    member = release.members.first()
    assert 'value="schedule"' not in author.get(f"/changes/{member.number}").content.decode()
    author.post(page, {"do": "unschedule"})
    release.refresh_from_db()
    assert release.goes_live_at is None
