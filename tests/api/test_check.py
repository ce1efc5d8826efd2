"""POST /api/v1/check."""

import pytest

from promptuary import renderer
from registry.templates.models import Template
from tests.api.conftest import DOCUMENT, SAMPLES, problem


def test_a_sound_document_has_no_problems_and_the_digest_of_its_version(cast, caller):
    response = caller("reader").post("check", {"document": DOCUMENT, "samples": SAMPLES})
    digest = cast.save().version.digest  # that a version of it gets
    assert (response.status_code, response.json()) == (200, {"problems": [], "digest": digest})


def test_problems_are_the_answer_and_not_an_error(caller):
    response = caller("reader").post("check", {"document": DOCUMENT.replace("{{ question }}", "{{ answer }}")})
    problems = response.json()["problems"]
    assert response.status_code == 200
    assert problems[0].keys() >= {"code", "severity", "message", "line", "column", "fix"}
    assert any(item["severity"] == "error" and item["line"] == 8 for item in problems)
    assert Template.objects.count() == 0


def test_a_problem_of_a_sample_names_the_sample(caller):
    body = {"document": DOCUMENT, "samples": {"bad": {"question": 3}}}
    assert caller("reader").post("check", body).json()["problems"][0]["sample"] == "bad"


def test_a_fragment_of_strangers_is_as_good_as_missing(cast, caller):
    cast.save(name="support/policy")
    document = DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@1') }}")
    problems = caller("outsider").post("check", {"document": document}).json()["problems"]
    assert any(item["severity"] == "error" and "support/policy" in item["message"] for item in problems)


def test_a_hostile_template_is_answered_and_so_is_the_next_call(caller):
    reader = caller("reader")
    document = "- name: a\n  content: '{{ 9**(9**8) }}'\n"
    response = reader.post("check", {"document": document, "samples": {"any": {}}})
    assert response.status_code in (200, 422)
    assert reader.post("check", {"document": DOCUMENT}).json()["problems"] == []


def test_a_check_without_a_document_is_refused(caller):
    problem(caller("reader").post("check", {}), 400, "bad-request")


SIXTY = "one two three four five six seven eight nine ten " * 6
FORMATS = {
    "parts": "- name: a\n  content: {}",
    "text": "{}",
    "shaped": "{}",
    "prompter": "kind: chat\ninstruction: {}",
}


@pytest.mark.parametrize("front", ["", "inputs: {}\n"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_document_that_no_data_can_render_is_not_saved(caller, name, front):
    def document(limit):
        return f"---\nformat: {name}\nmodel: gpt-4o\ntoken_limit: {limit}\n{front}---\n{FORMATS[name].format(SIXTY)}"

    needed = renderer.load(document(1000)).render().token_count
    author = caller("author")
    for limit in (10, needed - 1):
        problems = author.post("check", {"document": document(limit)}).json()["problems"]
        assert [(item["code"], item["severity"]) for item in problems] == [("PT603", "error")]
        refused = author.put("templates/support/long", {"document": document(limit), "message": ""})
        assert problem(refused, 422, "invalid")["problems"][0]["code"] == "PT603"
    assert author.put("templates/support/long", {"document": document(needed), "message": ""}).status_code == 201


@pytest.mark.parametrize("document", ["", "{# none #}", "---\nformat: text\n---\n \n", "---\nformat: shaped\n---\n"])
def test_an_empty_document_is_not_saved(caller, document):
    refused = caller("author").put("templates/support/none", {"document": document, "message": ""})
    assert problem(refused, 422, "invalid")["problems"][0]["code"] == "PT311"


def test_a_placeholder_of_another_language_is_reported_with_its_fix(caller):
    body = {"document": "---\nformat: text\n---\nTell {topic} a tale", "message": ""}
    (problem,) = caller("author").put("templates/support/tale", body).json()["problems"]
    assert (problem["code"], problem["severity"], problem["line"], problem["column"]) == ("PT208", "warning", 4, 6)
    assert [edit["text"] for edit in problem["fix"]["edits"]] == ["{{ topic }}"]
