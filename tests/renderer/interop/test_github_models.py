"""Prompt files of GitHub Models."""

import json

import pytest

from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop.imported import LossError
from tests.renderer.interop.imports import list_differences, read_one, render_messages

FILE = """\
name: Sum up
description: Sums up a text
model: openai/gpt-4o-mini
modelParameters:
  temperature: 0.5
messages:
  - role: system
    content: 'Be brief. Answer as {"a": 1}.'
  - role: user
    content: '{{input}}'
testData:
  - input: The quick fox
    expected: fox
evaluators:
  - name: has fox
    string: {contains: fox}
"""


def test_a_file_gives_messages_parameters_and_samples():
    template = read_one("sum.prompt.yml", FILE)
    document = parse_document(template.document)
    assert (template.source_format, template.name) == ("github-models", "sum-up")
    assert (document.model, document.settings) == ("openai/gpt-4o-mini", {"temperature": 0.5})
    assert render_messages(template, input="Text") == [("system", 'Be brief. Answer as {"a": 1}.'), ("user", "Text")]
    assert template.samples == {"test 1": {"input": "The quick fox"}}
    assert "expected replies of `testData` are left out" in list_differences(template)
    assert "evaluators (1)" in list_differences(template)


def test_a_json_schema_is_that_of_the_output():
    schema = {"name": "answer", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}}
    value = {"messages": [{"role": "user", "content": "Hi"}], "responseFormat": "json_schema"}
    template = read_one("a.prompt.yml", {**value, "jsonSchema": json.dumps(schema)})
    assert parse_document(template.document).front["output"]["schema"] == schema["schema"]


@pytest.mark.parametrize(
    ("change", "why"),
    [({"jsonSchema": "{"}, "`jsonSchema` isn't valid JSON"), ({"modelParameters": [1]}, "`modelParameters`")],
)
def test_an_unsupported_value_is_refused_with_its_key(change, why):
    with pytest.raises(LossError, match=why):
        read_one("a.prompt.yml", {"testData": [], "messages": [{"role": "user", "content": "Hi"}], **change})
