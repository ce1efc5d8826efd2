"""Standards of a namespace in the API: set by admins, reported by checks and saves."""

import json
from pathlib import Path

import pytest

from promptuary.workspace import read_standards_file
from tests.api.conftest import DOCUMENT, REPLY, SAMPLES, Caller, problem
from tests.support.markdown_blocks import read_blocks

STANDARDS = {"samples": {"severity": "warning", "least": 1}, "banned_words": {"words": ["guarantee"]}}
BAD = DOCUMENT.replace("Answer a question", "We guarantee an answer")


@pytest.fixture
def admin(cast) -> Caller:
    """The admin's caller, after setting STANDARDS."""
    admin = Caller(person=cast.people["admin"])
    assert admin.call("PATCH", "namespaces/support", {"standards": STANDARDS}).status_code == 200
    return admin


def codes(response):
    return [item["code"] for item in response.json()["problems"]]


def test_standards_are_set_as_a_whole_read_by_members_and_cleared(admin, caller):
    described = caller("reader").get("namespaces/support").json()["rules"]["standards"]
    assert described == {**STANDARDS, "banned_words": {"severity": "error", "words": ["guarantee"]}}
    admin.call("PATCH", "namespaces/support", {"standards": {"size": {"most": 10}}})
    assert list(caller("reader").get("namespaces/support").json()["rules"]["standards"]) == ["size"]
    admin.call("PATCH", "namespaces/support", {"standards": {}})
    assert caller("reader").get("namespaces/support").json()["rules"]["standards"] == {}


def test_a_namespace_is_made_with_standards(cast):
    made = Caller(person=cast.people["reader"]).post("namespaces", {"name": "sales", "standards": {"description": {}}})
    assert made.json()["rules"]["standards"] == {"description": {"severity": "error"}}


def test_a_wrong_standard_is_refused_by_its_path(admin):
    answer = admin.call("PATCH", "namespaces/support", {"standards": {"size": {"most": "many"}}})
    assert list(problem(answer, 422, "invalid")["fields"]) == ["standards.size.most"]


@pytest.mark.parametrize("body", [{"standards": "strict"}, {"standards": {"size": 3}}])
def test_standards_of_another_shape_are_refused(admin, body):
    problem(admin.call("PATCH", "namespaces/support", body), 400, "bad-request")


def test_only_admins_set_standards(cast):
    answer = Caller(person=cast.people["author"]).call("PATCH", "namespaces/support", {"standards": {}})
    problem(answer, 403, "not-allowed")


def test_a_check_with_a_template_name_applies_its_standards(admin, caller):
    author = caller("author")
    assert codes(author.post("check", {"document": BAD})) == []
    assert codes(author.post("check", {"document": BAD, "template": REPLY})) == ["PT004", "PT007"]
    body = {"document": BAD, "template": REPLY, "samples": SAMPLES}
    (item,) = author.post("check", body).json()["problems"]
    assert (item["code"], item["severity"], item["line"], item["column"]) == ("PT007", "error", 2, 17)
    assert item["help_url"].endswith("/help/problems/PT007")


@pytest.mark.parametrize(("name", "status", "kind"), [("other/x", 404, "not-found"), ("support", 422, "invalid")])
def test_a_check_asks_about_namespaces_of_the_caller_only(caller, name, status, kind):
    problem(caller("author").post("check", {"document": DOCUMENT, "template": name}), status, kind)


def test_a_save_is_refused_for_an_error_and_answers_with_its_warnings(admin, caller):
    author = caller("author")
    refused = author.put(f"templates/{REPLY}", {"document": BAD, "message": ""})
    assert "PT007" in [item["code"] for item in problem(refused, 422, "invalid")["problems"]]
    saved = author.put(f"templates/{REPLY}", {"document": DOCUMENT, "message": ""})
    assert (saved.status_code, codes(saved)) == (201, ["PT004"])


def blocks_of(language):
    """The blocks of docs/guide/standards.md in this language."""
    page = Path(__file__).parents[2] / "docs" / "guide" / "standards.md"
    return [block.text for block in read_blocks(page) if block.language == language]


def test_the_standards_of_the_guide_are_taken(cast):
    (body,) = [json.loads(text) for text in blocks_of("json")]
    answer = Caller(person=cast.people["admin"]).call("PATCH", "namespaces/support", body)
    assert (answer.status_code, list(answer.json()["rules"]["standards"])) == (200, list(body["standards"]))


def test_the_file_of_the_guide_is_read_by_the_command_line(tmp_path):
    (text,) = blocks_of("yaml")
    path = tmp_path / "standards.yml"
    path.write_text(text)
    assert list(read_standards_file(path).to_dict()) == ["description", "tags", "banned_words"]
