"""Publishing in an emergency in the API: only by a person, with a reason, if the namespace allows it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from registry.changes import rules
from registry.templates import labels
from tests.api.conftest import OTHER, REPLY, problem

WHY = {"reason": "It insults people"}


@pytest.fixture
def change(cast):
    cast.save()
    return cast.propose(1)


@pytest.fixture
def allowed(cast):
    rules.set_rules(actor=cast.actor("admin"), namespace="support", break_glass=True)


def test_the_label_moves_immediately_and_the_request_stays_unreviewed(caller, change, allowed):
    reviewer = caller("reviewer", session=True)
    body = reviewer.post("changes/1/emergency", WHY).json()
    assert (body["state"], body["unreviewed"], body["holds"]) == ("published", True, 1)
    assert reviewer.get(f"templates/{REPLY}@production").json()["version"] == 1
    assert [row["number"] for row in reviewer.get("changes?state=pending").json()["results"]] == [1]


def test_the_change_says_that_it_was_an_emergency_and_who_approved_it_afterwards(caller, cast, change, allowed):
    reviewer = caller("reviewer", session=True)
    assert (reviewer.get("changes/1").json()["emergency"], reviewer.get("changes/1").json()["unreviewed"]) == (
        False,
        False,
    )
    body = reviewer.post("changes/1/emergency", WHY).json()
    assert (body["emergency"], body["unreviewed"]) == (True, True)
    emergency = body["published_in_emergency"]
    assert (emergency["person"], emergency["reason"], emergency["served"]) == ("reviewer", WHY["reason"], True)
    assert (emergency["approved_by"], emergency["approved_at"], emergency["closed_at"]) == ([], None, None)
    for state in ("pending", "published"):
        [listed] = caller("reader").get(f"changes?state={state}").json()["results"]
        assert (listed["emergency"], listed["unreviewed"]) == (True, True)
    sent = {"decision": "approve", "digest": change.version.digest}
    body = caller("admin", session=True).post("changes/1/decisions", sent).json()
    assert (body["emergency"], body["unreviewed"]) == (True, False)
    assert body["published_in_emergency"]["approved_by"] == ["admin"]
    assert caller("reader").get("changes?state=pending").json()["results"] == []


def test_an_emergency_ends_the_schedule_of_its_change(caller, change, allowed):
    at = {"goes_live_at": (timezone.now() + timedelta(days=1)).isoformat()}
    assert caller("author", session=True).put("changes/1/schedule", at).json()["goes_live_at"] is not None
    body = caller("reviewer", session=True).post("changes/1/emergency", WHY).json()
    assert (body["state"], body["goes_live_at"]) == ("published", None)


def test_one_that_is_served_no_longer_can_be_closed_but_stays_unreviewed(caller, cast, change, allowed, stored):
    sent = {"decision": "approve", "digest": change.version.digest}
    caller("reviewer", session=True).post("changes/1/decisions", sent)
    assert caller("author", session=True).post("changes/1/publish").status_code == 200
    second = cast.save(OTHER, base=change.version.digest).version
    number = cast.propose(second.number).number
    assert caller("reviewer", session=True).post(f"changes/{number}/emergency", WHY).status_code == 200
    address = f"changes/{number}/emergency/close"
    admin = caller("admin", session=True)
    assert "still serves" in problem(admin.post(address, WHY), 409, "conflict")["detail"]
    labels.roll_back_label(actor=cast.actor("admin"), name=REPLY, label="production", version=1, reason="Wrong")
    before = stored()
    problem(admin.post(address, {"reason": " "}), 422, "invalid")
    problem(caller("admin").post(address, WHY), 403, "not-allowed")
    for role in ("reader", "author", "reviewer"):  # the reviewer published it
        problem(caller(role, session=True).post(address, WHY), 403, "not-allowed")
    problem(caller("outsider", session=True).post(address, WHY), 404, "not-found")
    assert stored() - before == 1, "the key of the admin"
    body = admin.post(address, WHY).json()
    assert (body["emergency"], body["unreviewed"], body["state"]) == (True, True, "published")
    assert body["published_in_emergency"]["closed_at"]
    assert (body["blockers"], body["turn"]) == ([], None)
    problem(admin.post(address, WHY), 409, "conflict")
    sent = {"decision": "approve", "digest": second.digest}
    problem(admin.post(f"changes/{number}/decisions", sent), 409, "conflict")
    assert admin.get("changes?state=pending").json()["results"] == []


def test_an_approval_from_before_a_roll_back_does_not_count(caller, cast, allowed):
    second = cast.save(OTHER, base=cast.save().version.digest).version
    cast.publish(1), cast.publish(second.number)
    labels.roll_back_label(actor=cast.actor("admin"), name=REPLY, label="production", version=1, reason="Wrong")
    number = cast.propose(second.number).number
    body = caller("reviewer", session=True).post(f"changes/{number}/emergency", WHY).json()
    emergency = body["published_in_emergency"]
    assert (body["unreviewed"], emergency["served"], emergency["rolled_back_before"], emergency["roll_back_to"]) == (
        True,
        True,
        True,
        1,
    )
    assert caller("reader").get(f"templates/{REPLY}").json()["approval"] == {"production": "emergency"}
    closed = caller("admin", session=True).post(f"changes/{number}/emergency/close", WHY)
    assert "still serves" in problem(closed, 409, "conflict")["detail"]


def test_a_namespace_that_does_not_allow_it_refuses(caller, change, stored):
    reviewer, before = caller("reviewer", session=True), stored()
    details = problem(reviewer.post("changes/1/emergency", WHY), 403, "not-allowed")
    assert "break_glass" in details["detail"]
    assert stored() == before


def test_a_key_never_does(caller, change, allowed, stored):
    reviewer, before = caller("reviewer"), stored()
    problem(reviewer.post("changes/1/emergency", WHY), 403, "not-allowed")
    assert stored() == before


def test_a_reason_must_be_given(caller, change, allowed):
    reviewer = caller("reviewer", session=True)
    assert list(problem(reviewer.post("changes/1/emergency", {"reason": " "}), 422, "invalid")["fields"]) == ["reason"]
    problem(reviewer.post("changes/1/emergency"), 400, "bad-request")


def test_a_request_that_is_through_is_not_published_again(caller, change, allowed):
    reviewer = caller("reviewer", session=True)
    reviewer.post("changes/1/emergency", WHY)
    problem(reviewer.post("changes/1/emergency", WHY), 409, "conflict")
