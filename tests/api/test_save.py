"""PUT /api/v1/templates/<name>: what is stored, and refusals, which store nothing."""

import pytest

from registry.templates.models import SampleSet, Template, Version
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES, THIRD, problem

PATH = f"templates/{REPLY}"


def _save(document=DOCUMENT, **fields):
    return {"document": document, "message": "A change", **fields}


def test_the_first_save_makes_version_one(caller):
    response = caller("author").put(PATH, _save())
    body = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/api/v1/templates/{REPLY}@1"
    assert response["ETag"] == f'"{body["digest"]}"'
    assert (body["name"], body["version"], body["document"], body["base"]) == (REPLY, 1, DOCUMENT, None)
    assert (body["author"], body["message"], body["problems"]) == ("author", "A change", [])


@pytest.mark.parametrize("form", ['"{}"', "{}", '"1.{}"'])
def test_the_next_save_names_the_version_it_was_made_from(cast, caller, form):
    digest = cast.save().version.digest
    response = caller("author").put(PATH, _save(OTHER), If_Match=form.format(digest))
    assert response.status_code == 201
    assert (response.json()["version"], response.json()["base"]) == (2, 1)


def test_saving_an_unchanged_text_creates_no_version(cast, caller):
    digest = cast.save().version.digest
    response = caller("author").put(PATH, _save(), If_Match=digest)
    assert (response.status_code, response.json()["version"], Version.objects.count()) == (200, 1, 1)


def test_a_save_over_an_existing_template_without_its_base_is_refused(cast, caller, stored):
    cast.save()
    author, before = caller("author"), stored()
    details = problem(author.put(PATH, _save(OTHER)), 428, "precondition-required")
    assert (details["latest"], stored()) == (1, before)


def test_a_save_made_from_an_older_version_is_refused(cast, caller, stored):
    old = cast.save().version.digest
    cast.save(OTHER, base=old)
    author, before = caller("author"), stored()
    details = problem(author.put(PATH, _save(THIRD), If_Match=old), 412, "stale")
    assert (details["latest"], stored()) == (2, before)


def test_a_parallel_save_exists_next_to_the_newer_version(cast, caller):
    old = cast.save().version.digest
    cast.save(OTHER, base=old)
    body = caller("author").put(PATH, _save(THIRD, parallel=True), If_Match=old).json()
    assert (body["version"], body["base"]) == (3, 1)


def test_a_base_for_a_template_that_does_not_exist_is_refused(caller, stored):
    author, before = caller("author"), stored()
    problem(author.put(PATH, _save(), If_Match="sha256:" + "0" * 64), 412, "stale")
    assert (stored(), Template.objects.count()) == (before, 0)


@pytest.mark.parametrize("tag", ["*", "v1", 'W/"sha256:' + "0" * 64 + '"', '"sha256:' + "0" * 64, "sha256:XYZ"])
def test_an_if_match_that_is_not_a_digest_is_refused(cast, caller, tag):
    cast.save()
    assert "If-Match" in problem(caller("author").put(PATH, _save(), If_Match=tag), 400, "bad-request")["fields"]


BROKEN = {
    "YAML": "---\ndescription: [\n---\n- name: a\n  content: b\n",
    "Jinja": "- name: a\n  content: '{{ question'\n",
    "an unknown tag": "{% nonsense %}",
    "an undeclared input": DOCUMENT.replace("{{ question }}", "{{ answer }}"),
    "a bad schema": DOCUMENT.replace("type: string", "type: sting"),
    "an unpinned fragment": DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy') }}"),
    "a missing fragment": DOCUMENT.replace("{{ question }}", "{{ question }}{{ fragment('support/policy@3') }}"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_document_with_an_error_is_refused_with_its_problems(caller, stored, fault):
    author, before = caller("author"), stored()
    details = problem(author.put(PATH, _save(BROKEN[fault])), 422, "invalid")["problems"]
    errors = [item for item in details if item["severity"] == "error"]
    assert errors
    assert all(item["line"] >= 1 and item["code"].startswith("PT") and item["message"] for item in errors)
    assert (stored(), Template.objects.count(), Version.objects.count()) == (before, 0, 0)


@pytest.mark.parametrize(
    ("samples", "name"),
    [
        ({"wrong": {"question": 3}}, "wrong"),
        ({"long": {"question": "x" * 101}}, "long"),
        ({"none": {}, "wrong": {"question": None}}, "wrong"),
    ],
)
def test_a_sample_that_breaks_its_schema_is_refused(caller, stored, samples, name):
    author, before = caller("author"), stored()
    details = problem(author.put(PATH, _save(samples=samples)), 422, "invalid")["problems"]
    assert [item["sample"] for item in details if item["severity"] == "error"] == [name]
    assert (stored(), Template.objects.count(), SampleSet.objects.count()) == (before, 0, 0)


def test_a_sample_over_the_token_limit_is_refused(caller, stored):
    tight = DOCUMENT.replace("tags: [support]", "model: gpt-4o\ntoken_limit: 12")
    author, before = caller("author"), stored()
    body = _save(tight, samples={"long": {"question": "word " * 20}})
    details = problem(author.put(PATH, body), 422, "invalid")["problems"]
    assert any(item["sample"] == "long" and item["severity"] == "error" for item in details)
    assert stored() == before


def test_samples_are_stored_with_the_version(caller):
    author = caller("author")
    author.put(PATH, _save(samples=SAMPLES))
    assert author.get(f"{PATH}/-/samples").json() == {"name": REPLY, "samples": SAMPLES}


def test_a_warning_is_stored_with_the_version(caller):
    unused = DOCUMENT.replace("inputs:\n", "inputs:\n  unused: {type: string, default: x}\n")
    response = caller("author").put(PATH, _save(unused))
    assert response.status_code == 201
    assert [item["severity"] for item in response.json()["problems"]] == ["warning"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"message": "no document"}, "document"),
        ({"document": DOCUMENT}, "message"),
        ({"document": DOCUMENT, "mesage": "misspelt"}, "mesage"),
        ({"document": 3}, "document"),
        ({"document": None}, "document"),
        ({"document": DOCUMENT, "parallel": "yes"}, "parallel"),
        ({"document": DOCUMENT, "samples": [1]}, "samples"),
        ({"document": DOCUMENT, "samples": {"a": 1}}, "samples.a"),
        ({"document": DOCUMENT, "version": 7}, "version"),
    ],
)
def test_a_body_of_another_form_is_refused_naming_the_field(caller, stored, body, field):
    author, before = caller("author"), stored()
    assert field in problem(author.put(PATH, body), 400, "bad-request")["fields"]
    assert stored() == before


@pytest.mark.parametrize(
    "name", ["support/Upper", "support/a b", "support/con", "support/a//b", "support/a/-b", "alone"]
)
def test_a_name_that_is_not_a_slug_is_refused(caller, stored, name):
    author, before = caller("author"), stored()
    details = problem(author.put(f"templates/{name.replace(' ', '%20')}", _save()), 422, "invalid")
    assert (list(details["fields"]), stored()) == (["name"], before)


def test_a_document_of_more_than_256_kib_is_too_large(caller, stored):
    author, before = caller("author"), stored()
    problem(author.put(PATH, _save("x" * (256 * 1024 + 1))), 413, "too-large")
    problem(author.put(PATH, _save("x" * (2 * 1024 * 1024))), 413, "too-large")
    assert stored() == before
