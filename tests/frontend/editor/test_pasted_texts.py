"""Pasted texts up to version 1: they are rendered unchanged, or the page names the difference."""

import json

import pytest

from promptuary import renderer
from registry.templates.models import Version
from tests.frontend.conftest import read_html

NEW = "/t/support/pasted-text/-/edit"
LINE_ENDS = "its line ends become line feeds, which documents have"
LEFT_OUT = "the end of the last line is left out"


@pytest.fixture
def author(desk, browser):
    return browser("author")


def post(client, address: str = NEW, **body):
    return client.post(address, {"document": "", "base": "", **body}, content_type="application/json").json()


@pytest.mark.parametrize(
    "text",
    [
        "\n\nBe kind.\n\n",
        "  Be kind.\n\tBe short.  ",
        "\n---\nBe kind.\n---\n\n",
        "A\u00a0B\tC \\n \\nabla C:\\new\n\n",
        'Answer as {"a": {"b": [1, {"c": null}]}}.\n \n',
        "Solve $\\frac{a_1}{2}$ and x_{i+1}.\n\n",
        "key: value\n- item\n& anchor *alias !tag %dir @at `tick`\n\n",
        "A\x0bB\x85C\u2028D\x7fE\ufeffF\n\n",
        "Use the tag <|space|> and 👩\u200d👧.\n\n",
    ],
)
def test_a_text_pasted_as_the_document_is_rendered_as_it_was_pasted(author, text):
    answer = post(author, do="parts:", document=text)
    assert LEFT_OUT not in answer["status"]
    assert post(author, do="save", document=answer["document"])["saved"]
    (part,) = renderer.load(Version.objects.get().document).render({}, token_limit=-1).parts
    assert part.content == text


def test_the_line_end_that_is_left_out_is_shown(author):
    assert LEFT_OUT in post(author, do="parts:", document="Be kind.\n")["status"]


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("Hi <%= name %>.", "Changed: `<%= name %>` is read as an input"),
        ("{{ name }} <%= name %>.", "Changed: `<%= name %>` stays text"),
        ("It is {day:%d.%m.}.", "Changed: `{day:%d.%m.}` stays text"),
        ("It costs {price:.2f}.", "Changed: `{price:.2f}` is read as an input"),
        ("Hi {{First Name}}.", "Changed: `{{First Name}}` stays text"),
        ("Hi {{ name | upper }}\n{{ now() }}", "line 2: `now()` is not offered"),
        ("Hi {{ name }}\n{% widget x %}", "Changed: `{% widget x %}` stays text"),
    ],
)
def test_placeholders_that_stay_text_are_shown(author, text, expected_text):
    answer = post(author, do="parts:", document=text)
    assert expected_text in answer["status"]
    assert post(author, do="save", document=answer["document"])["saved"]


def test_a_card_is_offered_to_keep_the_edges_of_its_text(author):
    pasted = post(author, f"{NEW}/preview", want="pasted", text="\n\nBe kind.\n\n")["pasted"]
    (part,) = renderer.load(pasted["body"]).render({}, token_limit=-1).parts
    assert (pasted["kind"], part.content) == ("edges", "\n\nBe kind.\n\n")


def test_a_page_without_scripts_says_what_a_pasted_text_became(author):
    answer = author.post(NEW, {"document": "Be kind.\r\n", "do": "parts:"})
    page = read_html(answer)
    assert "Turned into 1 part: user 1. Changed: the end of the last line is left out" in page


def test_messages_in_json_are_named_with_their_parts_and_differences(author):
    messages = [{"role": "system", "content": "Help {name}."}, {"role": "user", "content": "Hi", "id": "msg_1"}]
    text = json.dumps(messages)
    status = post(author, do="parts:", document=text)["status"]
    assert status.startswith("Looks like OpenAI, Anthropic. Turned into 2 parts: system 1, user 2. Changed: ")
    assert "`{name}` is read as an input" in status
    assert "message 2: `id` is left out" in status
    pasted = post(author, f"{NEW}/preview", want="pasted", text=text)["pasted"]
    assert pasted["part_names"] == ["system 1", "user 2"]


def test_a_text_whose_format_cannot_be_read_says_why(author):
    text = json.dumps([{"role": "assistant", "content": "", "audio": {"id": "1"}}])
    status = post(author, do="parts:", document=text)["status"]
    assert "Turned into 1 part: user 1. message 1: there is no place for audio; take the message out" in status
    assert LINE_ENDS not in status


def test_other_line_ends_are_named_next_to_an_offer(author):
    offer = post(author, f"{NEW}/preview", want="pasted", text="Help {{name}}.\r\nBe {tone}.")["pasted"]
    assert LINE_ENDS in offer["differences"]
