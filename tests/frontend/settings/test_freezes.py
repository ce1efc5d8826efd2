"""Tests for the page of freezes, and the other places if a freeze is shown."""

from datetime import UTC, datetime, timedelta

import pytest

from registry.changes import rules
from registry.freezes import services
from registry.freezes.models import Freeze
from tests.frontend.conftest import words

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
    text = words(browser("reader").get(PAGE))
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
    assert "24 Dec 2100 12:00 CET" in words(browser("admin").get(PAGE))


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
def test_what_was_typed_wrong_comes_back_with_its_sentence(reply, browser, sent, sentence):
    answer = browser("admin").post(PAGE, sent)
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert not Freeze.objects.exists()


def test_an_admin_removes_a_freeze(reply, browser, stocktaking):
    assert "support has no releases until" in words(browser("reader").get(PAGE))
    browser("admin").post(PAGE, {"do": "remove", "freeze": str(stocktaking.number)})
    assert "No freeze is set" in words(browser("reader").get(PAGE))


def test_change_panel_and_environments_say_it(reply, browser, change, stocktaking):
    for page in (f"/changes/{change.number}", f"/changes/{change.number}/publish", "/environments/"):
        assert "no releases until" in words(browser("author").get(page)), page


def test_the_panel_of_an_emergency_says_that_it_ignores_the_freeze(reply, browser, change, stocktaking):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    text = words(browser("reviewer").get(f"/changes/{change.number}/emergency"))
    assert "An emergency ignores the freeze" in text
