"""The page of freezes, and the other places where a freeze is shown."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import decisions, rules, schedules
from registry.freezes import services
from registry.freezes.models import Freeze
from registry.notifications.models import Notification
from registry.rollouts import services as rollouts
from tests.frontend.conftest import read_html

PAGE = "/n/support/freezes"
WEEKEND = {
    "do": "weekly",
    "start_day": "fri",
    "start_time": "16:00",
    "end_day": "mon",
    "end_time": "08:00",
    "time_zone": "Europe/Zurich",
    "reason": "Nobody is there",
}


@pytest.fixture
def change(reply):
    return reply.propose(2)


@pytest.fixture
def approved_change(reply, change):
    reviewer = reply.actor("reviewer")
    decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=change.version.digest)
    return change


@pytest.fixture
def stocktaking(reply):
    now = datetime.now(UTC)
    return services.set_freeze(
        actor=reply.actor("admin"),
        namespace="support",
        repeat="once",
        starts=(now - timedelta(hours=1)).isoformat(),
        ends=(now + timedelta(hours=1)).isoformat(),
        reason="Stocktaking",
    )


def test_an_admin_sets_a_weekly_freeze_that_members_then_read(reply, browser):
    browser("admin").post(PAGE, WEEKEND)
    text = read_html(browser("reader").get(PAGE))
    assert "Fri 16:00 to Mon 08:00 every week (Europe/Zurich)" in text
    assert "Nobody is there" in text
    assert "Set weekly freeze" not in text


def test_a_moment_is_read_on_the_clock_of_whoever_typed_it(reply, browser):
    admin = reply.people["admin"]
    admin.time_zone = "Europe/Zurich"
    admin.save()
    sent = {"do": "once", "starts": "2100-12-24T12:00", "ends": "2100-12-27T08:00", "reason": "Holidays"}
    browser("admin").post(PAGE, sent)
    assert Freeze.objects.get().starts_at == datetime(2100, 12, 24, 11, tzinfo=UTC)
    assert "24 Dec 2100 12:00 CET" in read_html(browser("admin").get(PAGE))


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({**WEEKEND, "end_day": "fri", "end_time": "16:00"}, "This is when it starts"),
        ({**WEEKEND, "reason": ""}, "This field is required"),
        (
            {"do": "once", "starts": "2100-12-24T12:00", "ends": "2100-12-23T08:00", "reason": "x"},
            "not after the start",
        ),
    ],
)
def test_an_invalid_freeze_is_refused_with_a_sentence(reply, browser, sent, sentence):
    answer = browser("admin").post(PAGE, sent)
    assert answer.status_code == 422
    assert sentence in read_html(answer)
    assert not Freeze.objects.exists()


def test_an_admin_removes_a_freeze(reply, browser, stocktaking):
    assert "support has no releases until" in read_html(browser("reader").get(PAGE))
    browser("admin").post(PAGE, {"do": "remove", "freeze": str(stocktaking.number)})
    assert "No freeze is set" in read_html(browser("reader").get(PAGE))


def test_change_panel_and_environments_say_it(reply, browser, change, stocktaking):
    for page in (f"/changes/{change.number}", f"/changes/{change.number}/publish", "/environments/"):
        assert "no releases until" in read_html(browser("author").get(page)), page


def test_the_panel_of_an_emergency_says_that_it_ignores_the_freeze(reply, browser, change, stocktaking):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    text = read_html(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "An emergency ignores the freeze" in text


@pytest.fixture
def scheduled(reply, change):
    at = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(days=40)
    return schedules.schedule_change(actor=reply.actor("author"), number=change.number, at=at)


def make_span_around(moment):
    starts, ends = (f"{moment + timedelta(hours=hours):%Y-%m-%dT%H:%M}" for hours in (-1, 2))
    return {"do": "once", "starts": starts, "ends": ends, "reason": "Stocktaking"}


def test_a_freeze_that_stops_a_schedule_is_set_once_that_was_read(reply, browser, scheduled):
    admin, sent = browser("admin"), make_span_around(scheduled.goes_live_at)
    response = admin.post(PAGE, sent)
    text = read_html(response)
    assert response.status_code == 409
    assert "The freeze is not set yet." in text
    subject = f"Change {scheduled.number} (support/refunds/reply v2): "
    assert subject in text
    assert not Freeze.objects.exists()
    confirmed = f"change {scheduled.number} at {scheduled.goes_live_at.isoformat()}"
    assert f'name="confirmed" value="{confirmed}"' in text
    admin.post(PAGE, {**sent, "confirmed": confirmed})
    assert Freeze.objects.count() == 1
    assert subject in read_html(browser("reader").get(PAGE))
    page = read_html(browser("author").get(f"/changes/{scheduled.number}"))
    assert "Not published then: a freeze was set meanwhile" in page


def test_a_confirmation_of_another_moment_asks_again(reply, browser, scheduled):
    confirmed = f"change {scheduled.number} at 2020-01-01T00:00:00+00:00"
    sent = {**make_span_around(scheduled.goes_live_at), "confirmed": confirmed}
    assert browser("admin").post(PAGE, sent).status_code == 409
    assert not Freeze.objects.exists()


def test_a_freeze_that_stops_no_schedule_is_set_immediately(reply, browser, scheduled):
    browser("admin").post(PAGE, make_span_around(scheduled.goes_live_at + timedelta(days=1)))
    assert Freeze.objects.count() == 1
    assert "nothing scheduled" in read_html(browser("reader").get(PAGE))
    assert "a freeze was set meanwhile" not in read_html(browser("author").get(f"/changes/{scheduled.number}"))


def test_the_api_lists_what_a_freeze_stops(reply, browser, scheduled):
    sent = {name: value for name, value in make_span_around(scheduled.goes_live_at).items() if name != "do"}
    api = "/api/v1/namespaces/support/freezes"
    answer = browser("admin").post(api, {**sent, "repeat": "once"}, content_type="application/json")
    assert answer.status_code == 201
    (stop,) = answer.json()["stops"]
    assert (stop["kind"], stop["number"], stop["scheduled_by"]) == ("change", scheduled.number, "author")
    assert browser("reader").get(api).json()["results"][0]["stops"] == [stop]


@pytest.fixture
def rollout(reply, approved_change):
    """Version 2 gets a share of the callers; its next step is due tomorrow."""
    return rollouts.start_rollout(actor=reply.actor("author"), change=approved_change.number)


def test_a_freeze_over_the_next_step_of_a_rollout_names_it(reply, browser, rollout):
    admin, sent = browser("admin"), make_span_around(rollout.next_at)
    page = admin.post(PAGE, sent)
    text = read_html(page)
    said = f"Rollout {rollout.number} (support/refunds/reply v2): its next step is due "
    assert (page.status_code, said in text, "for author; it waits until the freeze ends." in text) == (409, True, True)
    assert f'href="/changes/{rollout.change_id}"' in text
    admin.post(PAGE, {**sent, "confirmed": f"rollout {rollout.number} at {rollout.next_at.isoformat()}"})
    assert said in read_html(browser("reader").get(PAGE))
    (stop,) = browser("reader").get("/api/v1/namespaces/support/freezes").json()["results"][0]["stops"]
    assert (stop["kind"], stop["number"], stop["change"]) == ("rollout", rollout.number, rollout.change_id)
    sentence = Notification.objects.filter(person__username="author").latest("pk").sentence
    assert sentence.startswith(said)
    assert "set the freeze (Stocktaking)." in sentence
    assert "Choose another date" not in sentence


def test_a_paused_rollout_and_one_that_goes_on_by_hand_wait_for_no_freeze(reply, browser, rollout):
    sent = make_span_around(rollout.next_at)
    rollouts.pause_rollout(actor=reply.actor("author"), number=rollout.number)
    assert browser("admin").post(PAGE, sent).status_code == 302
    assert "nothing scheduled" in read_html(browser("reader").get(PAGE))


def test_the_form_of_a_date_begins_after_the_freeze(reply, browser, change, stocktaking):
    minute = stocktaking.ends_at.replace(second=0, microsecond=0) + timedelta(minutes=1)
    for page in (f"/changes/{change.number}", f"/changes/{change.number}/publish"):
        text = browser("author").get(page).content.decode()
        assert f'value="{minute:%Y-%m-%dT%H:%M}"' in text


def test_home_says_that_a_change_waits_for_a_freeze(reply, browser, approved_change, stocktaking):
    text = read_html(browser("author").get("/"))
    assert "A freeze" in text
    assert "Releases can continue after the freeze." in text
