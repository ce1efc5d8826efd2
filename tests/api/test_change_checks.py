"""The checks of a change request in the API: their results, running them, accepting a break."""

import pytest

from registry.changes import check_results, decisions, rules
from registry.changes import services as change_services
from registry.jobs.models import Job
from tests.api.conftest import DOCUMENT, REPLY, problem

NARROWER = DOCUMENT.replace("inputs:\n", "inputs:\n  order: {type: string}\n").replace("{{ q", "{{ order }} {{ q")


@pytest.fixture
def broken(cast):
    """Version 1 is on production, version 2 with one more required input is proposed: request 2. Contracts are kept."""
    rules.set_rules(actor=cast.actor("admin"), namespace="support", compatibility="backward")
    first = cast.save().version
    cast.propose(1)
    check_results.run_checks(number=1)
    decisions.decide_on_change(actor=cast.actor("reviewer"), number=1, decision="approve", digest=first.digest)
    change_services.publish_change(actor=cast.actor("author"), number=1)
    second = cast.save(NARROWER, base=first.digest).version
    cast.propose(2)
    return second


def _contract(body):
    return next(check for check in body["checks"] if check["name"] == "contract")


def test_a_check_that_has_not_finished_is_waited_for(caller, broken):
    body = caller("reader").get("changes/2").json()
    assert [check["name"] for check in body["checks"]] == ["problems", "samples", "budget", "contract"]
    assert {check["state"] for check in body["checks"]} == {"waiting"}
    assert (_contract(body)["required"], _contract(body)["blocking"]) == (True, True)
    assert (body["turn"]["people"], body["riding_along"], body["overlapping"]) == (["admin", "reviewer"], [], [])


def test_a_failed_check_has_findings_and_digests(cast, caller, broken):
    check_results.run_checks(number=2)
    contract = _contract(caller("reader").get("changes/2").json())
    assert contract["state"] == "failed"
    assert [finding["path"] for finding in contract["findings"] if finding["breaking"]]
    served = caller("author").get(f"templates/{REPLY}@1").json()["digest"]
    assert contract["digests"] == {"version": broken.digest, "served": [served]}


def test_a_reviewer_accepts_a_break_in_person(caller, broken):
    check_results.run_checks(number=2)
    body = {"digest": broken.digest, "text": "Nobody calls it without"}
    accepted = caller("reviewer", session=True).post("changes/2/contract", body)
    contract = _contract(accepted.json())
    assert (accepted.status_code, contract["acknowledged"], contract["blocking"]) == (201, True, False)
    assert accepted.json()["decisions"][-1]["decision"] == "acknowledge"


def test_a_break_is_not_accepted_without_words_nor_for_another_digest(caller, broken, stored):
    reviewer, before = caller("reviewer", session=True), stored()
    problem(reviewer.post("changes/2/contract", {"digest": broken.digest, "text": " "}), 422, "invalid")
    problem(reviewer.post("changes/2/contract", {"digest": "sha256:0", "text": "Fine"}), 409, "conflict")
    problem(reviewer.post("changes/2/contract", {"digest": broken.digest}), 400, "bad-request")
    assert stored() == before


def test_the_checks_run_again_when_they_are_asked_for(caller, broken):
    Job.objects.all().delete()
    response = caller("author").post("changes/2/checks")
    assert (response.status_code, response.json()["number"]) == (202, 2)
    assert caller("author").post("changes/2/checks").status_code == 202
    assert list(Job.objects.values_list("kind", "subject")) == [("change.checks", "change 2")]


def test_a_closed_request_is_not_checked(caller, broken):
    problem(caller("author").post("changes/1/checks"), 409, "conflict")
    problem(caller("author").post("changes/9/checks"), 404, "not-found")
