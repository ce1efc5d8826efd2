"""Prompty's files are imported as parts, and exported as files that import the same."""

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop import prompty
from promptuary.renderer.interop.imported import LossError

FILE = """---
name: Basic Prompt
description: Answers questions
authors: [someone]
tags: [basic]
model:
  api: chat
  configuration: {type: azure_openai, azure_deployment: gpt-35-turbo, api_key: "${env:KEY}"}
  parameters: {max_tokens: 128, temperature: 0.2}
inputs:
  question: {type: string, sample: "Who?"}
  tone: {type: string, default: warm}
sample: {tone: cold}
---
system:
You are {{tone}}.

# Notes
- name: not a part

user:
{{question}}
"""


def imported(text):
    (template,) = prompty.read_prompty_file(text, "file")
    return template


def test_role_lines_start_messages_and_inputs_keep_their_types():
    template = imported(FILE)
    document = parse_document(template.document)
    assert template.name == "basic-prompt"
    assert renderer.load(template.document).render({"question": "Why?"}).messages == [
        {"role": "system", "content": "You are warm.\n\n# Notes\n- name: not a part"},
        {"role": "user", "content": "Why?"},
    ]
    assert document.inputs == {"question": {"type": "string"}, "tone": {"type": "string", "default": "warm"}}
    assert document.settings == {"max_tokens": 128, "temperature": 0.2}
    assert template.samples == {"sample": {"question": "Who?", "tone": "cold"}}


def test_it_goes_out_as_a_file_that_comes_in_the_same():
    document = parse_document(imported(FILE).document)
    written, lost = prompty.to_prompty_file(document, "support/basic-prompt", {})
    assert lost == []
    assert imported(written).document == document.text


def test_text_that_looks_like_a_statement_survives_a_round_trip():
    text = "- name: a\n  content: \"100 {{ '{%' }} of {{ b }}\"\n"
    written, _ = prompty.to_prompty_file(parse_document(text), "x", {})
    assert renderer.load(imported(written).document).render({"b": "c"}).messages[0]["content"] == "100 {% of c"


def test_plain_values_of_inputs_are_samples():
    template = imported("---\nname: x\ninputs:\n  firstName: Jane\n---\nuser:\nHi {{firstName}}\n")
    assert template.samples == {"sample": {"firstName": "Jane"}}
    assert parse_document(template.document).inputs == {"firstName": {}}


def test_a_completion_prompt_is_one_text():
    template = imported("---\nmodel: {api: completion, id: gpt-4o}\n---\nOnce upon a {{thing}}\n")
    assert (template.name, parse_document(template.document).format, parse_document(template.document).model) == (
        "file",
        "text",
        "gpt-4o",
    )
    assert renderer.load(template.document).render({"thing": "time"}).messages[0]["content"] == "Once upon a time\n"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("{{question}}", "{{role}}:\n{{question}}", "starts a message"),
        ("{{question}}", "{% if tone %}\nassistant:\n{{question}}{% endif %}", "several messages"),
        ("user:\n", "![thread]\nuser:\n", "thread"),
        ("user:\n", 'user[name="x"]:\n', "no place"),
        ("# Notes", "![a](b.png)", "image"),
        ("api: chat", "api: embedding", "embedding"),
        ("tags: [basic]", "template: mustache", "mustache"),
        ('"${env:KEY}"', "abc123", "secret"),
        ("sample: {tone: cold}", "sample: sample.json", "another file"),
        ("name: Basic", "name: [", "cannot be read"),
    ],
)
def test_an_unsupported_import_is_refused_with_the_reason(old, new, why):
    with pytest.raises(LossError, match=why):
        imported(FILE.replace(old, new))


LOOPS = """---
name: Chat
inputs:
  question: {type: string}
---
system:
You help {{customer.firstName}}.
{% for item in documentation %}
catalog: {{item.id}}
{% endfor %}

{% for item in history %}
{{item.role}}:
{{item.content}}
{% endfor %}

user:
{{question | upper}}
"""


def test_loops_paths_and_a_conversation_come_in_as_they_print():
    template = imported(LOOPS)
    data = {
        "customer": {"firstName": "Ada"},
        "documentation": [{"id": 3}, {"id": 5}],
        "history": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}],
        "question": "why",
    }
    assert renderer.load(template.document).render(data).messages == [
        {"role": "system", "content": "You help Ada.\n\ncatalog: 3\n\ncatalog: 5"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Yes?"},
        {"role": "user", "content": "WHY"},
    ]
    assert any("does not declare are declared" in difference.message for difference in template.differences)


@pytest.mark.parametrize(
    ("content", "why"),
    [("user:", "start another"), ("![a](b)", "image"), ('""', "empty"), ("{{ a | upper }}", "plain names")],
)
def test_content_that_prompty_would_change_is_refused(content, why):
    text = f"- name: a\n  content: |-\n    hello\n    {content}\n" if content != '""' else "- name: a\n  content: ''\n"
    with pytest.raises(LossError, match=why):
        prompty.to_prompty_file(parse_document(text), "x", {})


def test_version_2_options_come_in_under_the_names_that_calls_take():
    options = (
        "{temperature: 0.2, maxOutputTokens: 128, topP: 0.9, topK: 5, frequencyPenalty: 0.1, presencePenalty: 0.3, "
        "stopSequences: [END], seed: 7, allowMultipleToolCalls: false, additionalProperties: {user: u}}"
    )
    text = (
        f"---\nname: n\nmodel: {{id: gpt-4o, provider: openai, apiType: chat, options: {options}}}\n---\nsystem:\nHi\n"
    )
    settings = parse_document(imported(text).document).settings
    assert settings == {
        "temperature": 0.2,
        "max_tokens": 128,
        "top_p": 0.9,
        "top_k": 5,
        "frequency_penalty": 0.1,
        "presence_penalty": 0.3,
        "stop": ["END"],
        "seed": 7,
        "parallel_tool_calls": False,
        "user": "u",
    }


@pytest.mark.parametrize(
    ("written", "kind"),
    [("List", "array"), ("dict", "object"), ("list[str]", "array"), ("str", "string"), ("bool", "boolean")],
)
def test_kinds_of_inputs_may_be_named_as_in_python(written, kind):
    template = imported(f"---\ninputs:\n  query: {{type: '{written}'}}\n---\nuser:\nAbout {{{{query}}}}\n")
    assert parse_document(template.document).inputs == {"query": {"type": kind}}


def test_a_kind_that_nobody_knows_is_refused():
    with pytest.raises(LossError, match="the kind Thing, which isn't a JSON type"):
        imported("---\ninputs:\n  query: {type: Thing}\n---\nuser:\nAbout {{query}}\n")


@pytest.mark.parametrize("braced", ['{"a": {"b": 1}} {{name}}', "{{ }}", "{# no comment #}", "{% if %}", "ends in {"])
@pytest.mark.parametrize("format_name", ["parts", "text"])
def test_braces_of_the_text_itself_stay_text_both_ways(format_name, braced):
    literal = "{{ '" + braced + "' }}"
    body = f"{literal}{{{{ b }}}}"
    body = f"- name: a\n  content: |-\n    {body}\n" if format_name == "parts" else body
    document = f"---\nformat: {format_name}\n---\n{body}"
    written, _ = prompty.to_prompty_file(parse_document(document), "x", {})
    again = renderer.load(imported(written).document).render({"b": "c"}).messages[0]["content"]
    assert again == f"{braced}c"
