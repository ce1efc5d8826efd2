"""Publishing in an emergency over the API: where the namespace allows it, by a person, with a reason."""

import pytest

from registry.services import namespaces
from tests.api.conftest import REPLY, problem

WHY = {"reason": "It insults people"}


@pytest.fixture
def change(cast):
    cast.save()
    return cast.propose(1)


@pytest.fixture
def allowed(cast):
    namespaces.set_rules(actor=cast.actor("admin"), namespace="support", break_glass=True)


def test_the_label_moves_at_once_and_the_request_stays_unreviewed(caller, change, allowed):
    reviewer = caller("reviewer", session=True)
    body = reviewer.post("changes/1/emergency", WHY).json()
    assert (body["state"], body["unreviewed"], body["holds"]) == ("published", True, 1)
    assert reviewer.get(f"templates/{REPLY}@production").json()["version"] == 1
    assert [row["number"] for row in reviewer.get("changes?state=pending").json()["results"]] == [1]


def test_a_namespace_that_does_not_allow_it_refuses(caller, change, stored):
    reviewer, before = caller("reviewer", session=True), stored()
    found = problem(reviewer.post("changes/1/emergency", WHY), 403, "not-allowed")
    assert "break_glass" in found["detail"]
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
