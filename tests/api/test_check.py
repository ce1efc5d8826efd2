"""POST /api/v1/check."""

from registry.models import Template
from tests.api.conftest import DOCUMENT, SAMPLES, problem


def test_a_sound_document_has_no_problems(caller):
    response = caller("reader").post("check", {"document": DOCUMENT, "samples": SAMPLES})
    assert (response.status_code, response.json()) == (200, {"problems": []})


def test_problems_are_the_answer_and_not_an_error(caller):
    response = caller("reader").post("check", {"document": DOCUMENT.replace("{{ question }}", "{{ answer }}")})
    found = response.json()["problems"]
    assert response.status_code == 200
    assert found[0].keys() >= {"code", "severity", "message", "line", "column", "fix"}
    assert any(item["severity"] == "error" and item["line"] == 8 for item in found)
    assert Template.objects.count() == 0


def test_a_problem_of_a_sample_names_the_sample(caller):
    body = {"document": DOCUMENT, "samples": {"bad": {"question": 3}}}
    assert caller("reader").post("check", body).json()["problems"][0]["sample"] == "bad"


def test_a_fragment_of_strangers_is_as_good_as_missing(cast, caller):
    cast.save(name="support/policy")
    document = DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@1') }}")
    found = caller("outsider").post("check", {"document": document}).json()["problems"]
    assert any(item["severity"] == "error" and "support/policy" in item["message"] for item in found)


def test_a_hostile_template_is_answered_and_so_is_the_next_call(caller):
    reader = caller("reader")
    document = "- name: a\n  content: '{{ 9**(9**8) }}'\n"
    response = reader.post("check", {"document": document, "samples": {"any": {}}})
    assert response.status_code in (200, 422)
    assert reader.post("check", {"document": DOCUMENT}).json() == {"problems": []}


def test_a_check_without_a_document_is_refused(caller):
    problem(caller("reader").post("check", {}), 400, "bad-request")
