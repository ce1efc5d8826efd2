"""Inputs of a Prompty file that are the properties of an `inputSchema`, and tests of promptfoo in another file."""

import pytest

from promptuary import renderer
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.reading import read_templates

HEAD = "---\nname: late\nmodel: gpt-4o\n"
BODY = "---\nsystem:\nBe kind.\n\nuser:\nAbout {{topic}}.\n"


def read(text, path="late.prompty"):
    (template,) = read_templates(path, text.encode())
    return template


@pytest.mark.parametrize(
    "schema",
    [
        "inputSchema:\n  properties:\n    - name: topic\n      kind: string\n      default: boots\n",
        "inputSchema:\n  properties:\n    topic:\n      kind: string\n      default: boots\n",
        "inputSchema:\n  - name: topic\n    kind: string\n    default: boots\n",
    ],
)
def test_an_input_schema_gives_the_inputs_with_their_defaults(schema):
    template = read(HEAD + schema + BODY)
    document = renderer.load(template.document)
    assert document.render({}).parts[1].content == "About boots."
    assert "inputSchema" not in template.document


def test_a_thread_of_messages_is_refused_by_name():
    schema = "inputSchema:\n  properties:\n    - name: topic\n      kind: thread\n"
    with pytest.raises(LossError, match="the input topic is of the kind thread"):
        read(HEAD + schema + BODY)


def test_tools_and_outputs_are_named_as_noted_only():
    template = read(HEAD + "tools:\n  - name: find\n    kind: function\noutputSchema:\n  properties: []\n" + BODY)
    assert "only noted in a comment of the document: tools, outputSchema" in map(str, template.differences)


def test_tests_of_promptfoo_in_another_file_leave_its_prompts_readable():
    config = "prompts:\n  - 'Weather in {{city}}?'\nproviders: [openai:gpt-4o]\ntests: "
    template = read(config + "file://tests.csv\n", "promptfooconfig.yaml")
    assert "its tests are left out, because they are in another file or made by a program" in map(
        str, template.differences
    )
    assert renderer.load(template.document).render({"city": "Ulm"}).text == "Weather in Ulm?"
    some = read(config + "[file://a.yaml, {vars: {city: Ulm}}]\n", "promptfooconfig.yaml")
    assert "tests in other files are left out" in map(str, some.differences)
    assert some.samples == {"test 2": {"city": "Ulm"}}


def test_a_model_that_is_not_text_is_refused():
    with pytest.raises(LossError, match="`model` must be text"):
        read("---\nmodel: true\n---\nuser:\nHi {{name}}\n")
