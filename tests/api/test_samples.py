"""GET and PUT …/-/samples."""

import pytest

from registry.changes import check_results, rules
from tests.api.conftest import DOCUMENT, REPLY, SAMPLES, problem

PATH = f"templates/{REPLY}/-/samples"


def test_samples_are_replaced_as_a_whole(cast, caller):
    cast.save(samples={"old": {"question": "Old?"}})
    author = caller("author")
    assert author.put(PATH, {"samples": SAMPLES}).json() == {"name": REPLY, "samples": SAMPLES}
    assert author.get(PATH).json()["samples"] == SAMPLES


def test_a_template_without_samples_has_none(cast, caller):
    cast.save()
    assert caller("reader").get(PATH).json()["samples"] == {}


def test_a_sample_that_does_not_fit_the_latest_version_is_refused(cast, caller, stored):
    cast.save()
    author, before = caller("author"), stored()
    details = problem(author.put(PATH, {"samples": {"bad": {"question": 1}}}), 422, "invalid")
    assert (details["problems"][0]["sample"], stored()) == ("bad", before)


@pytest.mark.parametrize("samples", [[], "x", None, {"a": []}, {"a": None}])
def test_samples_of_another_form_are_refused(cast, caller, samples):
    cast.save()
    problem(caller("author").put(PATH, {"samples": samples}), 400, "bad-request")


def test_a_sample_that_lacks_a_value_is_kept_and_reported_as_a_warning(cast, caller):
    author = caller("author")
    body = {"document": DOCUMENT, "message": "A change", "samples": {"empty": {}}}
    checked = author.post("check", {"document": DOCUMENT, "samples": {"empty": {}}}).json()["problems"]
    saved = author.put(f"templates/{REPLY}", body)
    assert saved.status_code == 201
    for found in (checked, saved.json()["problems"]):
        assert [(item["code"], item["severity"], item["sample"]) for item in found] == [("PT401", "warning", "empty")]
    assert author.put(PATH, {"samples": {"other": {}}}).status_code == 200


def test_a_change_with_a_sample_that_lacks_a_value_fails_its_samples_check(cast, caller):
    cast.save(samples={"empty": {}})
    rules.set_rules(actor=cast.actor("admin"), namespace="support", required_checks=["samples"])
    number = cast.propose(1).number
    check_results.run_checks(number=number)
    checks = caller("author").get(f"changes/{number}").json()["checks"]
    assert "samples" in [check["name"] for check in checks if check["state"] == "failed"]
