"""Actions whose label moved after the panel was shown are refused with the move, and keep what was typed."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.changes import decisions, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.templates import labels
from registry.templates.label_models import Label
from tests.frontend.conftest import OTHER, REPLY, read_html
from tests.support.recent_proof import prove_identity
from tests.support.seen_versions import seen_versions

MOVED = "production moved while this panel was open, so nothing was done."
SEEN = '<input type="hidden" name="expected" value="{}">'


def read_served(label: str = "production") -> int:
    return Label.objects.get(name=label, template__name=REPLY).version.number


@pytest.fixture
def third(reply):
    """The approved request for version 3, which is made from version 2."""
    reply.save(OTHER + "\n")
    change = reply.propose(3)
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    return change


@pytest.mark.parametrize(
    "address",
    ["/t/{name}/-/propose?label=production&version=2", "/t/{name}/-/labels?label=staging&version=2"],
)
def test_the_form_says_what_it_was_drawn_for(reply, browser, address):
    page = read_html(browser("author").get(address.format(name=REPLY)))
    assert SEEN.format(1 if "propose" in address else 0) in page
    assert "moved while" not in page


def test_a_proposal_is_refused_and_its_words_are_kept(reply, browser):
    client = browser("author")
    reply.save(OTHER + "\n")
    reply.publish(2)
    sent = {"label": "production", "version": 3, "title": "Quote", "why": "Typed for minutes", "expected": 1}
    answer = client.post(f"/t/{REPLY}/-/propose", sent)
    page = read_html(answer)
    assert answer.status_code == 409
    assert MOVED in page
    assert "author moved it from v1 to v2 <time" in page
    assert f"/t/{REPLY}/-/diff?from=1&amp;to=2" in page
    assert "What differs between v1 and v2" in page
    assert "Typed for minutes" in page
    assert SEEN.format(2) in page
    assert not ChangeRequest.objects.pending().exists()
    assert client.post(f"/t/{REPLY}/-/propose", {**sent, "expected": 2}).status_code == 302


def test_a_second_publish_is_not_asked_to_press_a_missing_button(reply, third, browser):
    assert SEEN.format(1) in read_html(browser("reviewer").get(f"/changes/{third.number}/publish"))
    sent = {"do": "publish", "how": "at_once", "seen_version": 3, "expected": 1}
    assert browser("author").post(f"/changes/{third.number}", sent).status_code == 302
    answer = browser("reviewer").post(f"/changes/{third.number}", sent)
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 3)
    assert MOVED in page
    assert "author moved it from v1 to v3 <time" in page
    assert f"Change {third.number} is published: nothing is left to publish." in page
    assert "press the button again" not in page


def test_publishing_is_refused_and_the_panel_shown_afresh(reply, third, browser):
    client = browser("author")
    assert SEEN.format(1) in read_html(client.get(f"/changes/{third.number}/publish"))
    reply.publish(2)
    answer = client.post(f"/changes/{third.number}", {"do": "publish", "seen_version": 3, "expected": 1})
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 2)
    assert MOVED in page
    assert "Publish v3 to production" in page
    assert SEEN.format(2) in page
    sent = {"do": "publish", **seen_versions(third.number)}
    assert client.post(f"/changes/{third.number}", sent).status_code == 302
    assert read_served() == 3


def test_rolling_back_is_refused_and_its_reason_is_kept(reply, third, browser):
    reply.publish(2)
    change_services.publish_change(actor=reply.actor("author"), number=third.number)
    sent = {"do": "roll_back", "label": "production", "version": 1, "reason": "Wrong answers", "expected": 2}
    answer = browser("reviewer").post(f"/t/{REPLY}/-/labels", sent)
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 3)
    assert MOVED in page
    assert "Wrong answers" in page
    assert browser("reviewer").post(f"/t/{REPLY}/-/labels", {**sent, "expected": 3}).status_code == 302
    assert read_served() == 1


def test_an_emergency_is_refused_and_its_reason_is_kept(reply, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    reply.save(OTHER + "\n")
    number = reply.propose(3).number
    reply.publish(2)
    sent = {"reason": "Nobody gets an answer", "expected": 1, "seen_version": 3}
    client = browser("reviewer")
    prove_identity(client, reply.people["reviewer"])
    answer = client.post(f"/changes/{number}/emergency", sent)
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 2)
    assert MOVED in page
    assert "Nobody gets an answer" in page
    assert client.post(f"/changes/{number}/emergency", {**sent, "expected": 2}).status_code == 302
    assert read_served() == 3


def test_an_unprotected_label_that_was_removed_is_reported(reply, browser):
    author = reply.actor("author")
    labels.move_label(actor=author, name=REPLY, label="staging", version=1, expected=None)
    labels.remove_label(actor=author, name=REPLY, label="staging", expected=1)
    sent = {"do": "move", "label": "staging", "version": "2", "expected": "1"}
    answer = browser("author").post(f"/t/{REPLY}/-/labels", sent)
    assert answer.status_code == 409
    assert "author took it off v1 <time" in read_html(answer)


def test_the_same_holds_over_the_api(reply, third, browser):
    reply.publish(2)
    client = browser("author")
    answer = client.post(f"/api/v1/changes/{third.number}/publish", {"expected": 1}, content_type="application/json")
    told = answer.json()
    assert (answer.status_code, told["actual"], told["expected"], read_served()) == (409, 2, 1, 2)
    assert told["moved_by"] == "author"
    body = {"template": REPLY, "label": "production", "version": 2, "message": "", "expected": 0}
    assert client.post("/api/v1/changes", body, content_type="application/json").status_code == 409
    answer = client.post(f"/api/v1/changes/{third.number}/publish", {"expected": 2}, content_type="application/json")
    assert (answer.status_code, read_served()) == (200, 3)


def test_a_release_is_refused_where_a_version_of_it_moved(reply, browser):
    author, client = reply.actor("author"), browser("author")
    labels.move_label(actor=author, name=REPLY, label="staging", version=2, expected=None)
    page = read_html(client.get("/releases/new/support/?from=staging&to=production"))
    seen = f"{REPLY} 2 1"
    assert f'value="{seen}"' in page
    reply.save(OTHER + "\n")
    labels.move_label(actor=author, name=REPLY, label="staging", version=3, expected=2)
    sent = {"from_label": "staging", "label": "production", "title": "Typed", "template": REPLY, "expected": seen}
    answer = client.post("/releases/new/support/", sent)
    page = read_html(answer)
    assert answer.status_code == 409
    assert f"{REPLY}: version 3 would be proposed, where you looked at version 2." in page
    assert 'value="Typed"' in page
    assert not ChangeRequest.objects.pending().exists()
    assert client.post("/releases/new/support/", {**sent, "expected": f"{REPLY} 3 1"}).status_code == 302


@pytest.mark.parametrize(
    ("how", "typed"),
    [
        ({"how": "gradually", "shares": "7, 40", "hours": "", "metric": "helpful", "below": "0.9"}, 'value="7, 40"'),
        ({"how": "on_date", "goes_live_at": "2026-11-30T09:15"}, 'value="2026-11-30T09:15"'),
    ],
    ids=["gradually", "on a date"],
)
def test_a_refused_schedule_or_rollout_keeps_the_form(reply, third, browser, how, typed):
    client = browser("author")
    reply.publish(2)
    answer = client.post(f"/changes/{third.number}", {"do": "publish", "seen_version": 3, "expected": 1, **how})
    page = read_html(answer)
    assert answer.status_code == 409
    assert MOVED in page
    assert typed in page
    assert f'value="{how["how"]}" class="visually-hidden" checked' in page
    third.refresh_from_db()
    assert third.goes_live_at is None
    assert not third.rollouts.exists()


def test_a_rollout_and_a_schedule_start_where_the_label_is_as_it_was_shown(reply, third, browser):
    client = browser("author")
    sent = {"do": "publish", "how": "gradually", "shares": "5", "hours": "", "seen_version": 3, "expected": 1}
    assert client.post(f"/changes/{third.number}", sent).status_code == 302
    assert third.rollouts.get().share == 500


def test_a_field_of_the_panel_that_is_refused_is_named_in_the_panel(reply, third, browser):
    sent = {"do": "publish", "how": "gradually", "shares": "many", "hours": "12", "seen_version": 3, "expected": 1}
    answer = browser("author").post(f"/changes/{third.number}", sent)
    page = read_html(answer)
    assert answer.status_code == 422
    assert "Publish v3 to production" in page
    assert "Numbers separated by commas, such as 5, 25." in page
    assert 'value="many"' in page
    assert MOVED not in page


def test_a_schedule_over_the_api_says_what_it_saw(reply, third, browser):
    reply.publish(2)
    client, address = browser("author"), f"/api/v1/changes/{third.number}/schedule"
    at = f"{timezone.now() + timedelta(days=1):%Y-%m-%dT%H:%M}"
    answer = client.put(address, {"goes_live_at": at, "expected": 1}, content_type="application/json")
    assert (answer.status_code, answer.json()["actual"]) == (409, 2)
    assert client.put(address, {"goes_live_at": at}, content_type="application/json").status_code == 200
    body = {"change": third.number, "steps": [{"share": 500}], "expected": 1}
    assert client.delete(address).status_code == 200
    assert client.post("/api/v1/rollouts", body, content_type="application/json").status_code == 409
    body["expected"] = 2
    assert client.post("/api/v1/rollouts", body, content_type="application/json").status_code == 201


SEEN_VERSION = '<input type="hidden" name="seen_version" value="{}">'
REPLACED = "The change proposes version 4 now, which is not what you looked at."


@pytest.fixture
def replaced(reply, third):
    """The request for version 3, which proposes version 4 by now."""
    reply.save(OTHER + "\n\n")
    change_services.set_head(actor=reply.actor("author"), number=third.number, version=4)
    third.refresh_from_db()
    return third


@pytest.mark.parametrize("is_approved", [True, False])
@pytest.mark.parametrize("how", [{}, {"how": "at_once"}, {"how": "gradually", "shares": "5", "hours": "24"}])
def test_publishing_another_version_than_the_panel_showed_is_refused(reply, replaced, browser, how, is_approved):
    client, digest = browser("author"), replaced.version.digest
    if is_approved:
        decisions.decide_on_change(
            actor=reply.actor("reviewer"), number=replaced.number, decision="approve", digest=digest
        )
    answer = client.post(f"/changes/{replaced.number}", {"do": "publish", "expected": 1, "seen_version": 3, **how})
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 1)
    assert page.count(REPLACED) == 1
    assert SEEN_VERSION.format(4) in page
    assert ('id="panel-form"' in page) == is_approved


def test_scheduling_another_version_than_the_page_showed_is_refused(reply, replaced, browser):
    client, address = browser("author"), f"/changes/{replaced.number}"
    assert SEEN_VERSION.format(4) in read_html(client.get(address))
    moment = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    sent = {"do": "schedule", "goes_live_at": moment, "expected": 1, "seen_version": 3}
    answer = client.post(address, sent)
    assert (answer.status_code, REPLACED in read_html(answer)) == (409, True)
    assert client.post(address, {**sent, "seen_version": 4}).status_code == 302


def test_an_emergency_with_another_version_than_the_panel_showed_is_refused(reply, replaced, browser):
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    client, address = browser("reviewer"), f"/changes/{replaced.number}/emergency"
    prove_identity(client, reply.people["reviewer"])
    assert SEEN_VERSION.format(4) in read_html(client.get(address))
    sent = {"reason": "Insults", "expected": 1, "seen_version": 3}
    answer = client.post(address, sent)
    page = read_html(answer)
    assert (answer.status_code, read_served()) == (409, 1)
    assert REPLACED in page
    assert "Insults" in page
    assert client.post(address, {**sent, "seen_version": 4}).status_code == 302
    assert read_served() == 4


def test_the_api_refuses_a_version_that_was_replaced(replaced, browser):
    client = browser("author")
    for method, path, more in (
        ("post", f"/api/v1/changes/{replaced.number}/publish", {}),
        ("post", f"/api/v1/changes/{replaced.number}/publish", {"at_once": True}),
        ("put", f"/api/v1/changes/{replaced.number}/schedule", {"goes_live_at": "2999-01-01T00:00:00"}),
        ("post", "/api/v1/rollouts", {"change": replaced.number, "steps": [{"share": 500, "hours": None}]}),
    ):
        answer = getattr(client, method)(path, {"version": 3, **more}, content_type="application/json")
        assert (answer.status_code, answer.json()["detail"], answer.json()["version"]) == (409, REPLACED, 4), path
    assert read_served() == 1


@pytest.mark.parametrize("left_out", ["seen_version", "expected"])
@pytest.mark.parametrize("do", [{"do": "publish"}, {"do": "publish", "how": "gradually", "shares": "5", "hours": ""}])
def test_a_form_that_does_not_say_what_it_showed_publishes_nothing(third, browser, left_out, do):
    sent = {**do, "seen_version": 3, "expected": 1}
    del sent[left_out]
    answer = browser("author").post(f"/changes/{third.number}", sent)
    assert (answer.status_code, read_served()) == (428, 1)
    assert "The form did not say which version the change proposed" in read_html(answer)


def test_a_schedule_and_an_emergency_need_what_the_form_showed_too(reply, third, browser):
    moment = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    answer = browser("author").post(f"/changes/{third.number}", {"do": "schedule", "goes_live_at": moment})
    third.refresh_from_db()
    assert (answer.status_code, third.goes_live_at) == (428, None)
    rules.set_rules(actor=reply.actor("admin"), namespace="support", break_glass=True)
    reason = {"reason": "It answers nobody"}
    assert browser("reviewer").post(f"/changes/{third.number}/emergency", reason).status_code == 428
    assert read_served() == 1


@pytest.mark.parametrize("value", ["", "-1", "v3", "9" * 5000])
def test_a_seen_version_that_is_not_a_number_is_refused(third, browser, value):
    sent = {"do": "publish", "seen_version": value, "expected": 1}
    assert browser("author").post(f"/changes/{third.number}", sent).status_code == 428
    assert read_served() == 1
