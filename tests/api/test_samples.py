"""GET and PUT …/-/samples."""

import pytest

from tests.api.conftest import REPLY, SAMPLES, problem

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
    found = problem(author.put(PATH, {"samples": {"bad": {"question": 1}}}), 422, "invalid")
    assert (found["problems"][0]["sample"], stored()) == ("bad", before)


@pytest.mark.parametrize("samples", [[], "x", None, {"a": []}, {"a": None}])
def test_samples_of_another_form_are_refused(cast, caller, samples):
    cast.save()
    problem(caller("author").put(PATH, {"samples": samples}), 400, "bad-request")
