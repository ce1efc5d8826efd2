"""The preview of a label move in the API."""

import pytest

from registry.changes import check_results, label_preview, rules
from registry.templates import labels
from tests.api.conftest import DOCUMENT, OTHER, REPLY, THIRD, problem

PLACE = f"templates/{REPLY}/-/labels/production/preview"


@pytest.fixture
def published(cast):
    cast.save(OTHER, base=cast.save().version.digest)
    cast.publish(1)


def test_the_answer_has_the_facts_of_the_preview(cast, caller, published):
    answer = caller("reader").get(f"{PLACE}?version=2").json()
    facts = label_preview.find_preview(cast.actor("reader"), REPLY, "production", 2)
    assert (answer["state"], answer["serves"], answer["version"]) == ("ahead", 1, 2)
    assert (answer["undo"], answer["undo_version"]) == (facts.undo, facts.undo_version)
    assert (answer["fetches_moving"], answer["fetches_staying"]) == (facts.fetches_moving, facts.fetches_staying)
    assert (answer["evaluation"], answer["overlapping"], answer["requested_by"]) == (None, [], None)


def test_a_roll_back_from_the_version_is_reported(cast, caller, published):
    assert caller("reader").get(f"{PLACE}?version=2").json()["rolled_back"] is None
    cast.publish(2)
    act = {"actor": cast.actor("reviewer"), "name": REPLY, "label": "production", "version": 1}
    labels.roll_back_label(**act, reason="Wrong answers")
    past = caller("reader").get(f"{PLACE}?version=2").json()["rolled_back"]
    assert (past["by"], past["reason"], past["to"], past["at"][-1]) == ("reviewer", "Wrong answers", 1, "Z")


def test_an_open_request_for_the_same_is_named(cast, caller, published):
    number = cast.propose(2).number
    assert caller("reader").get(f"{PLACE}?version=2").json()["requested_by"] == number


@pytest.mark.parametrize("query", ["", "?version=two", "?version=0"])
def test_a_version_that_is_not_a_number_is_named(caller, published, query):
    assert "version" in problem(caller("reader").get(PLACE + query), 400, "bad-request")["fields"]


def test_an_unknown_version_is_not_found(caller, published):
    assert caller("reader").get(f"{PLACE}?version=9").status_code == 404


def test_checks_say_whether_they_passed_failed_or_never_ran(cast, caller, published):
    rules.set_rules(actor=cast.actor("admin"), namespace="support", required_checks=["samples"])
    (missing,) = caller("reader").get(f"{PLACE}?version=2").json()["checks"]
    assert (missing["name"], missing["state"], missing["required"], missing["at"]) == ("samples", "not_run", True, None)
    check_results.run_checks(number=cast.propose(2).number)
    checks = caller("reader").get(f"{PLACE}?version=2").json()["checks"]
    assert [(check["name"], check["state"]) for check in checks][:2] == [("problems", "passed"), ("samples", "passed")]
    assert all(check["at"].endswith("Z") for check in checks)


def test_a_document_is_previewed_with_its_problems_and_nothing_is_stored(cast, caller, published):
    place = f"templates/{REPLY}/-/labels/production/document-preview"
    answer = caller("author").post(place, {"document": THIRD})
    facts = answer.json()
    assert (answer.status_code, facts["state"], facts["serves"], facts["version"]) == (200, "ahead", 1, 3)
    assert (facts["included"], facts["problems"], facts["size"]["lines"]) == ([2], [], 1)
    assert all(check["state"] == "passed" and check["at"] is None for check in facts["checks"])
    assert caller("reader").get(f"{PLACE}?version=3").status_code == 404
    long = caller("author").post(
        place, {"document": DOCUMENT.replace("inputs:", "token_limit: 1\nmodel: gpt-4o\ninputs:")}
    )
    assert "error" in [problem["severity"] for problem in long.json()["problems"]]
    assert "document" in problem(caller("author").post(place, {}), 400, "bad-request")["fields"]
