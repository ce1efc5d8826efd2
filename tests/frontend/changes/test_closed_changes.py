"""A closed request keeps the state of its decision: nothing on its page runs, changes, or can be restarted."""

import pytest

from registry.changes import check_results, decisions, emergencies, rules
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.core.errors import Conflict
from registry.templates import labels, samples
from tests.api.conftest import problem
from tests.frontend.conftest import OTHER, REPLY, read_html


@pytest.fixture
def required(reply):
    rules.set_rules(
        actor=reply.actor("admin"),
        namespace="support",
        required_checks=["problems", "samples", "budget", "contract"],
        break_glass=True,
    )
    return reply


def approve(desk, change, role="reviewer"):
    digest = ChangeRequest.objects.get(number=change.number).version.digest
    decisions.decide_on_change(actor=desk.actor(role), number=change.number, decision="approve", digest=digest)


def close(desk, how):
    """Change 2, closed in this way."""
    change = desk.propose(2)
    if how == "emergency":
        check_results.run_checks(number=change.number)
        emergencies.publish_in_emergency(actor=desk.actor("admin"), number=change.number, reason="It burns")
        approve(desk, change)
        return change.number
    check_results.run_checks(number=change.number)
    approve(desk, change)
    if how == "withdrawn":
        change_services.withdraw_change(actor=desk.actor("author"), number=change.number, reason="Not needed")
    else:
        change_services.publish_change(actor=desk.actor("author"), number=change.number)
    return change.number


def read_change(client, number):
    body = client.get(f"/api/v1/changes/{number}").json()
    return body["checks"], body["approvals"], body["approvals_needed"]


@pytest.mark.parametrize("how", ["published", "withdrawn", "emergency"])
def test_a_closed_change_keeps_its_checks_and_approvals(required, browser, how):
    number, client = close(required, how), browser("author")
    checks, approvals, needed = read_change(client, number)
    assert {check["name"]: check["state"] for check in checks} == dict.fromkeys(
        ("problems", "samples", "budget", "contract"), "passed"
    )
    assert all(check["at"] for check in checks)
    assert ([one["person"] for one in approvals], needed) == (["reviewer"], 1)
    samples.save_samples(actor=required.actor("author"), name=REPLY, samples={"other": {"question": "Why?"}})
    rules.set_rules(actor=required.actor("admin"), namespace="support", approvals=3, required_checks=["problems"])
    assert read_change(client, number) == (checks, approvals, needed)


@pytest.mark.parametrize("how", ["published", "withdrawn", "emergency"])
def test_its_page_runs_nothing_and_offers_nothing_to_run(required, browser, how):
    number = close(required, how)
    samples.save_samples(actor=required.actor("author"), name=REPLY, samples={"other": {"question": "Why?"}})
    answer = browser("author").get(f"/changes/{number}")
    html = answer.content.decode()
    for sign in ("every 3s", "spins", 'value="rerun"', ">running<"):
        assert sign not in html
    assert "1 of 1 on this digest" in read_html(answer)
    assert "as they were when it was" in read_html(answer)


@pytest.mark.parametrize("how", ["published", "withdrawn", "emergency"])
def test_its_checks_are_not_run_again_at_any_door(required, browser, how):
    number = close(required, how)
    state = "withdrawn" if how == "withdrawn" else "published"
    with pytest.raises(Conflict, match=f"Change {number} is {state}"):
        check_results.rerun_checks(actor=required.actor("author"), number=number)
    client = browser("author")
    client.cookies["promptuary-csrf"] = "c" * 32
    answer = client.post(
        f"/api/v1/changes/{number}/checks", "{}", "application/json", headers={"X-CSRFToken": "c" * 32}
    )
    assert f"is {state}" in problem(answer, 409, "conflict")["detail"]
    assert client.post(f"/changes/{number}", {"do": "rerun"}).status_code == 409


def test_a_check_that_was_never_given_is_reported_as_not_finished(required, browser):
    change = required.propose(2)
    change_services.withdraw_change(actor=required.actor("author"), number=change.number, reason="Not needed")
    checks, _, _ = read_change(browser("author"), change.number)
    assert {check["state"] for check in checks} == {"unfinished"}
    assert not any(check["blocking"] for check in checks)
    answer = browser("author").get(f"/changes/{change.number}")
    assert "It was not finished when the change was closed." in read_html(answer)
    assert "spins" not in answer.content.decode()


def test_reopened_it_is_checked_again(required, browser):
    number = close(required, "withdrawn")
    change_services.reopen_change(actor=required.actor("author"), number=number)
    _, approvals, _ = read_change(browser("author"), number)
    assert approvals == []
    assert ChangeRequest.objects.get(number=number).decided is None


def test_an_earlier_publisher_is_named_with_the_time(required, browser):
    number = close(required, "published")
    with pytest.raises(Conflict, match=rf"Change {number} is published: author published it on \d{{4}}-"):
        change_services.publish_change(actor=required.actor("reviewer"), number=number)


def test_a_superseded_request_can_only_be_withdrawn(required, browser):
    """Version 3 was made from 2 and is live: it contains 2, so there is nothing to merge."""
    rules.set_rules(actor=required.actor("admin"), namespace="support", required_checks=[])
    first = required.propose(2)
    required.save(OTHER + "\n", message="More")
    required.publish(3)
    client = browser("author")
    page = read_html(client.get(f"/changes/{first.number}"))
    assert "serves version 3 now, which already contains version 2." in page
    assert "Withdraw the change." in page
    assert f"/changes/{first.number}/merge" not in client.get(f"/changes/{first.number}").content.decode()
    assert client.get(f"/api/v1/changes/{first.number}/merge").json()["needed"] is False
    assert "already contains version 2" in read_html(client.get(f"/changes/{first.number}/merge"))
    client.cookies["promptuary-csrf"] = "c" * 32
    answer = client.post(
        f"/api/v1/changes/{first.number}/merge", "{}", "application/json", headers={"X-CSRFToken": "c" * 32}
    )
    assert "already contains version 2" in problem(answer, 409, "conflict")["detail"]


def test_a_voided_approval_is_named_among_the_blockers(required, browser):
    rules.set_rules(actor=required.actor("admin"), namespace="support", required_checks=[])
    change = required.propose(2)
    approve(required, change)
    required.save(OTHER + "\n")
    change_services.set_head(actor=required.actor("author"), number=change.number, version=3)
    assert "Your approval was for version 2; version 3 is proposed now." in read_html(
        browser("reviewer").get(f"/changes/{change.number}")
    )
    blockers = browser("author").get(f"/api/v1/changes/{change.number}").json()["blockers"]
    assert "The approval by reviewer was for version 2" in blockers[0]["cause"]


def test_a_published_change_says_what_its_label_serves_since(required, browser):
    number = close(required, "published")
    page = read_html(browser("author").get(f"/changes/{number}"))
    assert "production was moved to v2 by this change." in page
    assert "serves v1 now" not in page
    labels.roll_back_label(
        actor=required.actor("reviewer"), name=REPLY, label="production", version=1, reason="Wrong answers"
    )
    page = read_html(browser("author").get(f"/changes/{number}"))
    assert "production serves v1 now." in page
    assert f'href="/t/{REPLY}/-/labels?label=production"' in page
