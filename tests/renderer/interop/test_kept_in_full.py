"""Files of which a part has no place here: the rest is read, and what is left out is named."""

import json

import pytest

from promptuary import renderer
from promptuary.renderer.document.parser import parse_document
from promptuary.renderer.interop.imported import LossError
from promptuary.renderer.interop.pasted import read_pasted_prompt
from promptuary.renderer.interop.reading import read_templates
from promptuary.renderer.tokens.lazy import LazyTokenizer
from tests.renderer.interop.imports import list_differences, read_one, render_messages, render_text

HISTORY = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


def test_a_tool_that_is_not_a_function_is_named():
    function = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
    request = {"model": "m", "input": "Hi {x}", "tools": [{"type": "web_search"}, function]}
    template = read_one("a.json", request)
    assert [tool["function"]["name"] for tool in parse_document(template.document).tools] == ["look"]
    assert "1 tools that are not functions are left out: web_search" in list_differences(template)


def test_a_key_next_to_a_message_is_named():
    template = read_one("a.json", [{"role": "user", "content": "Hi", "weight": 1, "name": "ada"}])
    assert "message 1: `weight` is left out" in list_differences(template)
    assert "message 1: `name` is left out" in list_differences(template)


def test_variables_of_two_nodes_with_one_name_stay_two_inputs():
    node = {"type": "llm", "title": "Join", "model": {}, "prompt_template": {"text": "{{#1.text#}}, {{#2.text#}}"}}
    app = {"kind": "app", "app": {"name": "a"}, "workflow": {"graph": {"nodes": [{"id": "3", "data": node}]}}}
    template = read_one("app.json", app)
    assert render_text(template, text="one", text_2="two") == "one, two"
    assert "`{{#2.text#}}` is the input `text_2`" in list_differences(template)


def test_a_place_for_messages_in_langfuse_is_a_loop():
    prompt = [
        {"role": "system", "content": "For {{who}}"},
        {"type": "placeholder", "name": "history"},
        {"role": "user", "content": "{{question}}"},
    ]
    template = read_one("a.json", {"name": "chat", "type": "chat", "prompt": prompt})
    expected = [("system", "For A"), ("user", "Hi"), ("assistant", "Hello"), ("user", "Q")]
    assert render_messages(template, who="A", question="Q", history=HISTORY) == expected
    assert "inside the messages of `history` stay text" in list_differences(template)


HANDLEBARS = """\
name: chat
template_format: handlebars
template: |
  <message role="system">You help {{customer.name}} &amp; others.</message>
  {{#each history}}
  <message role="{{role}}">{{content}}</message>
  {{/each}}
"""
LIQUID = """\
name: chat
template_format: liquid
template: |
  <message role="system">You help {{ customer.name }} &amp; others.</message>
  {% for item in history %}
  <message role="{{ item.role }}">{{ item.content }}</message>
  {% endfor %}
"""


@pytest.mark.parametrize("source", [HANDLEBARS, LIQUID])
def test_a_loop_of_messages_in_semantic_kernel_is_a_loop(source):
    template = read_one("chat.yaml", source)
    expected = [("system", "You help Ann & others."), ("user", "Hi"), ("assistant", "Hello")]
    assert render_messages(template, customer={"name": "Ann"}, history=HISTORY) == expected
    assert "the messages of `history` come by a loop" in list_differences(template)
    assert "escapes such as `&amp;`" in list_differences(template)


def test_text_between_messages_is_refused_and_shown():
    with pytest.raises(LossError, match="outside its messages: `Be kind`; put it in a message"):
        read_one("skprompt.txt", '<message role="user">{{$x}}</message>\nBe kind')


def test_the_format_semantic_kernel_reads_its_yaml():
    source = "name: a\ntemplate: Say {{$x}}.\ntemplate_format: semantic-kernel\n"
    assert render_text(read_one("a.yaml", source, "semantic-kernel"), x="1") == "Say 1."


def test_prose_with_a_tag_in_it_keeps_its_inputs_and_its_tag():
    template = read_one("a.txt", "Never write {% in an answer, nor %}.\nHi {name}!\n")
    assert render_text(template, name="Ann") == "Never write {% in an answer, nor %}.\nHi Ann!\n"


def test_text_in_utf_16_is_read():
    (template,) = read_templates("a.txt", "Grüße an {{ name }}\n".encode("utf-16"))
    assert render_text(template, name="Ann") == "Grüße an Ann\n"
    with pytest.raises(LossError, match="it isn't text in UTF-8; save it in this encoding"):
        read_templates("a.txt", "Grüße".encode("latin-1"))


LANGCHAIN = {"_type": "prompt", "input_variables": ["x"], "template": "A {x} with {{braces}}\\n and\nan end \n"}


def test_a_pasted_file_of_one_text_is_offered_as_that_text():
    offer = read_pasted_prompt(json.dumps(LANGCHAIN))
    assert (offer.kind, offer.title, offer.count) == ("text", "LangChain, LangSmith", 1)
    assert "doubled braces are single ones, as `str.format` prints them" in offer.differences
    prompt = renderer.load(offer.document).render({"x": "lamp"})
    assert [(part.role, part.content) for part in prompt.parts] == [("user", "A lamp with {braces}\\n and\nan end \n")]


def test_a_pasted_file_of_one_text_keeps_its_settings_for_a_whole_document():
    source = "name: a\ntemplate: Say {{$x}}.\ntemplate_format: semantic-kernel\ndescription: Says it\n"
    offer = read_pasted_prompt(source, as_document=True)
    assert parse_document(offer.document).description == "Says it"
    assert "Says it" not in offer.body


def test_a_pasted_file_without_a_text_is_offered_as_it_is_with_the_reason():
    offer = read_pasted_prompt(json.dumps({"_type": "prompt", "template_path": "a.txt"}))
    assert (offer.kind, offer.title) == ("literal", "LangChain, LangSmith")
    assert "its text is in another file, a.txt" in offer.reason


def test_a_file_is_read_without_the_vocabulary_of_its_model(monkeypatch):
    loaded = []
    load = LazyTokenizer.loaded

    def record(tokenizer):
        loaded.append(tokenizer.name)
        return load(tokenizer)

    monkeypatch.setattr(LazyTokenizer, "loaded", record)
    app = {"kind": "app", "app": {"name": "a"}, "model_config": {"model": {"name": "gpt-4"}, "pre_prompt": "Hi {{x}}"}}
    template = read_one("app.json", app)
    assert parse_document(template.document).model == "gpt-4"
    assert "cl100k_base" not in loaded
    renderer.validate(template.document)
    assert "cl100k_base" in loaded
