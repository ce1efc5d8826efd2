"""Scheduling on the pages of a change and of a release."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from registry.changes.models import ChangeRequest
from registry.freezes import services as freeze_services
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from tests.frontend.conftest import REPLY, read_html
from tests.support.seen_versions import seen_versions

SOON = (datetime.now(UTC) + timedelta(days=30)).replace(second=0, microsecond=0)


def format_moment(moment):
    return moment.strftime("%Y-%m-%dT%H:%M")


def test_an_author_schedules_changes_the_date_and_cancels(browser, change):
    page, author = f"/changes/{change.number}", browser("author")
    assert "Schedule" in read_html(author.get(page))
    author.post(page, {**seen_versions(change.number), "do": "schedule", "goes_live_at": format_moment(SOON)})
    text = read_html(author.get(page))
    assert f"Goes live {SOON:%a} {SOON.day} {SOON:%b %H:%M} UTC" in text
    assert "Change date" in text
    change.refresh_from_db()
    assert change.goes_live_at == SOON
    author.post(page, {"do": "unschedule"})
    assert "Change date" not in read_html(author.get(page))


def test_the_moment_is_of_the_readers_time_zone(reply, browser, change):
    person = reply.people["author"]
    person.time_zone = "Asia/Kolkata"
    person.save()
    browser("author").post(
        f"/changes/{change.number}",
        {**seen_versions(change.number), "do": "schedule", "goes_live_at": format_moment(SOON)},
    )
    change.refresh_from_db()
    assert change.goes_live_at == SOON.replace(tzinfo=ZoneInfo("Asia/Kolkata"))


@pytest.mark.parametrize("moment", ["", "tomorrow", "2020-01-01T00:00"])
def test_a_moment_that_makes_no_sense_comes_back_with_its_sentence(browser, change, moment):
    answer = browser("author").post(
        f"/changes/{change.number}", {**seen_versions(change.number), "do": "schedule", "goes_live_at": moment}
    )
    assert answer.status_code == 422
    assert ("in the past" if moment.startswith("2020") else "a date and a time") in read_html(answer)


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
    author.post(page, {"do": "schedule", "goes_live_at": format_moment(SOON)})
    assert "Change date" in read_html(author.get(page))
    member = release.members.first()
    assert 'value="schedule"' not in author.get(f"/changes/{member.number}").content.decode()
    author.post(page, {"do": "unschedule"})
    release.refresh_from_db()
    assert release.goes_live_at is None


def test_a_proposal_is_scheduled_with_the_change(browser, reply):
    author = browser("author")
    address = f"/t/{REPLY}/-/propose"
    assert 'name="how" value="on_date"' in read_html(author.get(f"{address}?label=production&version=2"))
    sent = {"label": "production", "version": "2", "title": "Quote it", "how": "on_date"}
    sent["goes_live_at"] = format_moment(SOON)
    answer = author.post(address, sent)
    change = ChangeRequest.objects.get(version__number=2)
    assert answer["Location"] == f"/changes/{change.number}"
    assert (change.goes_live_at, change.scheduled_by.username, change.state) == (SOON, "author", "open")


@pytest.mark.parametrize(
    ("moment", "fault"), [("", "date and a time"), ("2020-01-01T00:00", "in the past"), ("tomorrow", "date")]
)
def test_a_proposal_with_a_wrong_moment_opens_nothing_and_keeps_what_was_typed(browser, reply, moment, fault):
    sent = {"label": "production", "version": "2", "title": "Quote it", "why": "They asked", "how": "on_date"}
    answer = browser("author").post(f"/t/{REPLY}/-/propose", {**sent, "goes_live_at": moment})
    page = read_html(answer)
    assert answer.status_code == 422
    assert fault in page
    assert "They asked</textarea>" in page
    assert 'name="how" value="on_date" class="visually-hidden" checked>' in page
    assert not ChangeRequest.objects.filter(version__number=2).exists()


def test_a_proposal_into_a_freeze_is_refused_with_the_next_slot(browser, reply):
    freeze_services.set_freeze(
        actor=reply.actor("admin"),
        namespace="support",
        repeat="once",
        starts=format_moment(SOON - timedelta(hours=1)),
        ends=format_moment(SOON + timedelta(hours=1)),
        reason="Stocktaking",
    )
    sent = {"label": "production", "version": "2", "title": "Quote it", "how": "on_date"}
    sent["goes_live_at"] = format_moment(SOON)
    page = read_html(browser("author").post(f"/t/{REPLY}/-/propose", sent))
    assert "Releases can continue after the freeze" in page
    assert not ChangeRequest.objects.filter(version__number=2).exists()


def test_the_api_schedules_a_proposal_too(browser, reply):
    body = {"template": REPLY, "label": "production", "version": 2, "message": "Quote it"}
    client = browser("author")
    wrong = client.post(
        "/api/v1/changes", {**body, "goes_live_at": "2020-01-01T00:00Z"}, content_type="application/json"
    )
    assert (wrong.status_code, ChangeRequest.objects.filter(version__number=2).exists()) == (422, False)
    answer = client.post("/api/v1/changes", {**body, "goes_live_at": SOON.isoformat()}, content_type="application/json")
    assert answer.status_code == 201
    assert ChangeRequest.objects.get(version__number=2).goes_live_at == SOON
