"""The line of tokens below the values of a sample, and the page's text above them."""

import pytest

from tests.frontend.conftest import REPLY

EDIT = f"/t/{REPLY}/-/edit"
DOCUMENT = """---
token_limit: 60
reserve: 10
inputs: { question: { type: string } }
---
- name: ask
  role: user
  content: "{{ question }}"
"""


@pytest.fixture
def ask_tokens(reply, browser):
    """What the line says of a document and values, without line breaks."""
    author = browser("author")

    def ask(document: str, **data: str) -> str:
        body = {"document": document, "base": "2", "sample": "a", "samples": {"a": data}, "data": data}
        said = author.post(f"{EDIT}/preview", body, content_type="application/json").json()
        return " ".join(said["tokens"].split())

    return ask


def test_the_line_says_how_many_tokens_are_left(ask_tokens):
    line = ask_tokens(DOCUMENT, question="Why?")
    assert "of 50," in line
    assert "left" in line
    assert 'id="sample-from-inputs"' in line
    assert 'data-view-link="run"' in line


def test_a_missing_limit_is_reported(ask_tokens):
    line = ask_tokens(DOCUMENT.replace("token_limit: 60\nreserve: 10\n", ""), question="Why?")
    assert "no limit set" in line


def test_tokens_with_a_missing_value_are_not_counted(ask_tokens):
    line = ask_tokens(DOCUMENT)
    assert "not counted: no value for question" in line
    assert "<svg" not in line


@pytest.mark.parametrize(
    ("document", "question", "reason"),
    [
        (DOCUMENT, "Why? " * 90, "over"),
        (DOCUMENT.replace("{{ question }}", "{{ question"), "Why?", "not counted:"),
        (DOCUMENT.replace("inputs:", "inputs: ["), "Why?", "not counted:"),
    ],
)
def test_a_text_that_does_not_render_says_why(ask_tokens, document, question, reason):
    line = ask_tokens(document, question=question)
    assert "not counted:" in line
    assert reason in line
    assert "<svg" not in line


def test_the_page_has_the_head_of_the_values_for_its_script(reply, browser):
    page = browser("author").get(EDIT).content.decode()
    assert "data-sample-name" in page
    assert page.count("data-step-sample") == 2
    assert 'class="sample-head" data-sample-head hidden' in page
