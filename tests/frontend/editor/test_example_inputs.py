"""An example's unused inputs are removed from a new template if the author never changed them."""

import json

import pytest

from frontend.editor.example_documents import EXAMPLES
from registry.core.renderer_pool import seconds_of_request
from registry.templates.models import Draft
from tests.frontend.conftest import read_html

NEW = "/t/support/late-parcel/-/edit"
EXAMPLE = EXAMPLES["parts"]
FRONT = EXAMPLE.document.split("---\n")[1]
PASTED = "- name: instructions\n  role: system\n  content: |\n    Write to {{ customer }} about {{ order }}.\n"


@pytest.fixture
def author(desk, browser):
    return browser("author")


def declare(author, front: str, body: str = PASTED, samples=EXAMPLE.samples):
    fields = {"document": f"---\n{front}---\n{body}", "base": "", "samples": samples, "do": "declare:"}
    return author.post(NEW, fields, content_type="application/json").json()


def test_declare_all_removes_what_only_the_example_used(author):
    answer = declare(author, FRONT)
    assert answer["document"].split("---\n")[1] == (
        "description: Answer a question from excerpts, citing them\nformat: parts\ninputs:\n"
        "  customer: {type: string}\n  order: {type: string}\n"
    )
    assert answer["samples"] == {}
    assert answer["status"] == "Declared 2 inputs. Removed what only the example used: excerpts, question."


def test_an_input_that_the_author_changed_stays(author):
    changed = FRONT.replace("maxLength: 4000", "maxLength: 400")
    document = declare(author, changed)["document"]
    assert "  question: {type: string, maxLength: 400, untrusted: true}\n" in document
    assert "excerpts" not in document.split("inputs:\n")[1]


def test_an_input_that_the_text_still_uses_stays_with_its_sample_value(author):
    answer = declare(author, FRONT, PASTED + "- name: question\n  content: |\n    {{ question }}\n")
    assert "  question: {type: string, maxLength: 4000, untrusted: true}\n" in answer["document"]
    assert "excerpts" not in answer["document"].split("inputs:\n")[1]


def test_values_of_the_author_stay_in_the_samples(author):
    samples = {"mine": {**EXAMPLE.samples["two excerpts"], "customer": "Ada", "question": "Why?"}}
    assert declare(author, FRONT, samples=samples)["samples"] == {"mine": {"question": "Why?", "customer": "Ada"}}


def test_without_a_script_as_well(author):
    page = author.post(NEW, {"document": f"---\n{FRONT}---\n{PASTED}", "message": "", "base": "", "do": "declare:"})
    assert page.status_code == 200
    draft = Draft.objects.get()
    assert "excerpts" not in draft.document.split("inputs:\n")[1]
    assert json.loads(draft.samples) == {}
    assert "inputs are used but not declared" not in read_html(page)


def test_a_template_with_a_version_keeps_what_it_declares(author):
    author.post(NEW, {"document": EXAMPLE.document, "message": "First", "base": "", "do": "save"})
    document = declare(author, FRONT)["document"]
    assert "excerpts: {type: array" in document


def test_declare_all_reads_the_text_and_runs_no_check(author):
    children: list[float] = []
    token = seconds_of_request.set(children)
    try:
        assert declare(author, FRONT)["status"].startswith("Declared 2 inputs.")
        assert children == []
        fields = {"document": PASTED, "base": "", "samples": {}}
        author.post(f"{NEW}/preview", fields, content_type="application/json")
        assert len(children) == 1
    finally:
        seconds_of_request.reset(token)
